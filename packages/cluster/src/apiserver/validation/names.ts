/**
 * Names that only the API server judges, in its words; the common ones come from `packages/kube/src/text/names.ts`.
 * Source: k8s.io/apimachinery `pkg/util/validation`; kubernetes.io, Object Names and IDs.
 */
export {
  dnsLabelProblems as checkLabelName,
  envNameProblems as checkEnvName,
  labelValueProblems as checkLabelValue,
  qualifiedNameProblems as checkQualifiedName,
  subdomainProblems as checkSubdomainName,
} from '@turnsole/kube/text/names';

import { dnsLabelProblems } from '@turnsole/kube/text/names';

/** Problems of a text; may be empty. */
export type NameCheck = (value: string) => string[];

const DNS1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const LABEL_1035_WORDS =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')";
const CONFIG_KEY_WORDS =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  " +
  "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** RFC 1035 label: names of services. */
export const checkServiceName: NameCheck = (value) => [
  ...(value.length > 63 ? ['must be no more than 63 characters'] : []),
  ...(DNS1035_LABEL.test(value) ? [] : [LABEL_1035_WORDS]),
];

/** Names of namespaces: one label, which a dot would make two of. */
export const checkNamespaceName: NameCheck = (value) =>
  value.includes('.') ? ['must not contain dots'] : dnsLabelProblems(value);

/** Keys of config maps and secrets. */
export const checkConfigKey: NameCheck = (value) => {
  const problems: string[] = [];
  if (value.length > 253) problems.push('must be no more than 253 characters');
  if (!CONFIG_KEY.test(value)) problems.push(CONFIG_KEY_WORDS);
  if (value === '.') problems.push("must not be '.'");
  if (value === '..') problems.push("must not be '..'");
  else if (value.startsWith('..')) problems.push("must not start with '..'");
  return problems;
};

/** Names used as one segment of a path only: RBAC kinds. */
export const checkPathSegmentName: NameCheck = (value) => {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
};

/** `http`, `web-1`: a port name (IANA service name). */
export const checkPortName: NameCheck = (value) => {
  const problems: string[] = [];
  if (value.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]*$/.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)');
  if (value.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(value)) problems.push('must not begin or end with a hyphen');
  return problems;
};
