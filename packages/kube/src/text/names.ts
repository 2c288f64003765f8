/**
 * The rules for names in Kubernetes. Each function gives the problems in the API server's own words; an empty list
 * means that the name is right.
 *
 * Source: kubernetes.io, Object Names and IDs, Labels and Selectors; RFC 1123; the words are those of apimachinery.
 */

const LABEL_CHARACTERS = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const ENV_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

const QUALIFIED_NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** Names of most objects: a DNS subdomain in lower case, such as `web-1.example`. */
export function subdomainProblems(name: string): string[] {
  return patternProblems(
    name,
    253,
    SUBDOMAIN,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
      "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  );
}

/** Names of namespaces, containers, ports: one DNS label in lower case. */
export function dnsLabelProblems(name: string): string[] {
  return patternProblems(
    name,
    63,
    LABEL_CHARACTERS,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
      "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  );
}

/** Keys of labels and annotations: a name, optionally after a DNS subdomain and `/`. */
export function qualifiedNameProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    const form = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${QUALIFIED_NAME_RULE} ${form}`];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    problems.push(...subdomainProblems(prefix).map((problem) => `prefix part ${problem}`));
  }
  if (name === '') problems.push('name part must be non-empty');
  problems.push(...lengthProblems(name, 63).map((problem) => `name part ${problem}`));
  if (!QUALIFIED_NAME.test(name)) problems.push(`name part ${QUALIFIED_NAME_RULE}`);
  return problems;
}

/** Values of labels: empty, or at most 63 characters, all of them of one byte. */
export function labelValueProblems(value: string): string[] {
  const tooLong = value.length > 63 ? ['must be no more than 63 bytes'] : [];
  const others = patternProblems(
    value,
    Number.POSITIVE_INFINITY,
    LABEL_VALUE,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
      "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
      "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  );
  return [...tooLong, ...others];
}

/** Names of environment variables. */
export function envNameProblems(name: string): string[] {
  if (ENV_NAME.test(name)) return [];
  return [
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not " +
      "start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is " +
      "'[-._a-zA-Z][-._a-zA-Z0-9]*')",
  ];
}

function patternProblems(text: string, limit: number, pattern: RegExp, rule: string): string[] {
  const problems = lengthProblems(text, limit);
  return pattern.test(text) ? problems : [...problems, rule];
}

function lengthProblems(name: string, limit: number): string[] {
  return name.length > limit ? [`must be no more than ${limit} characters`] : [];
}
