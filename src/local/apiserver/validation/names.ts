/**
 * The syntax of names, labels and their kin, with the API server's words for what is wrong.
 * Source: k8s.io/apimachinery `pkg/util/validation`; kubernetes.io, Object Names and IDs.
 */

export const QUALIFIED_NAME =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
export const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const DNS1123_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS1123_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DNS1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const ENV_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

const LABEL_WORDS =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_WORDS =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_1035_WORDS =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_WORDS =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_WORDS =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const ENV_WORDS =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
const CONFIG_KEY_WORDS =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Problems of a text; empty when there are none. */
export type NameCheck = (value: string) => string[];

function check(pattern: RegExp, words: string, limit: number): NameCheck {
  return (value) => [
    ...(value.length > limit ? [`must be no more than ${limit} characters`] : []),
    ...(pattern.test(value) ? [] : [words]),
  ];
}

/** RFC 1123 label: names of namespaces, containers, volumes, ports. */
export const checkLabelName: NameCheck = check(DNS1123_LABEL, LABEL_WORDS, 63);
/** RFC 1123 subdomain: names of most objects. */
export const checkSubdomainName: NameCheck = check(DNS1123_SUBDOMAIN, SUBDOMAIN_WORDS, 253);
/** RFC 1035 label: names of services. */
export const checkServiceName: NameCheck = check(DNS1035_LABEL, LABEL_1035_WORDS, 63);
export const checkLabelValue: NameCheck = check(LABEL_VALUE, LABEL_VALUE_WORDS, 63);
export const checkConfigKey: NameCheck = check(CONFIG_KEY, CONFIG_KEY_WORDS, 253);

/** Names used as one segment of a path only: RBAC kinds. */
export const checkPathSegmentName: NameCheck = (value) => {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
};

/** A name of an environment variable. */
export const checkEnvName: NameCheck = (value) => {
  const problems = ENV_NAME.test(value) ? [] : [ENV_WORDS];
  if (value === '.') problems.push("must not be '.'");
  if (value === '..') problems.push("must not be '..'");
  else if (value.startsWith('..')) problems.push("must not start with '..'");
  return problems;
};

/** `prefix/name` as label keys, annotation keys and resource names have it. */
export const checkQualifiedName: NameCheck = (value) => {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${QUALIFIED_WORDS.slice('name part '.length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') problems.push('prefix part must be non-empty');
    else problems.push(...checkSubdomainName(prefix).map((words) => `prefix part ${words}`));
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 characters');
  if (!QUALIFIED_NAME.test(name)) problems.push(QUALIFIED_WORDS);
  return problems;
};

/** `http`, `8080`: a port name (IANA service name). */
export const checkPortName: NameCheck = (value) => {
  const problems: string[] = [];
  if (value.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]*$/.test(value))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)');
  if (value.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(value)) problems.push('must not begin or end with a hyphen');
  return problems;
};
