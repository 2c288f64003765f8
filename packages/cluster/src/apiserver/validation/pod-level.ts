/** Validation of what a pod says of itself as a whole: host, users, names, spreading. Source: core/v1 API reference. */
import { isIP } from 'node:net';
import { asJson, asList, asNumber, asObjects, asString, isJson, type Json } from '../object.ts';
import { type FieldErrors, structure } from './field.ts';

const LARGEST_ID = 2 ** 31 - 1;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_WORDS =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const IP_WORDS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Problems of the security context, and of what the pod shares with its host. */
export function validatePodSecurity(spec: Json, path: string, errors: FieldErrors): void {
  const context = asJson(spec.securityContext);
  const at = `${path}.securityContext`;
  checkIds(context, at, errors);
  for (const [index, { name }] of asObjects(context.sysctls).entries()) {
    const text = asString(name);
    if (text === '') errors.required(`${at}.sysctls[${index}].name`);
    else if (text.length > 253 || !SYSCTL.test(text)) {
      errors.invalid(`${at}.sysctls[${index}].name`, text, SYSCTL_WORDS);
    }
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.invalid(`${at}.shareProcessNamespace`, true, why);
  }
  if (spec.hostUsers !== false) return;
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
    if (spec[field] === true) errors.forbidden(`${path}.${field}`, 'when `hostUsers` is false');
  }
}

/** Problems of a container's security context. */
export function validateContainerSecurity(context: Json, path: string, errors: FieldErrors): void {
  if (context.allowPrivilegeEscalation === false) {
    const shown = structure(shownContext(context));
    if (context.privileged === true) {
      errors.invalid(path, shown, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
    }
    if (asList(asJson(context.capabilities).add).includes('CAP_SYS_ADMIN')) {
      const why = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
      errors.invalid(path, shown, why);
    }
  }
  checkIds(context, path, errors);
}

function checkIds(context: Json, path: string, errors: FieldErrors): void {
  for (const field of ['runAsUser', 'runAsGroup', 'fsGroup']) {
    const id = context[field];
    if (typeof id !== 'number' || (id >= 0 && id <= LARGEST_ID)) continue;
    errors.invalid(`${path}.${field}`, id, 'must be between 0 and 2147483647, inclusive');
  }
}

/** All fields of a security context in the server's own order and spelling. */
function shownContext(context: Json): Record<string, unknown> {
  const { capabilities } = context;
  const names = [
    'privileged',
    'seLinuxOptions',
    'windowsOptions',
    'runAsUser',
    'runAsGroup',
    'runAsNonRoot',
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'procMount',
    'seccompProfile',
    'appArmorProfile',
  ];
  const shownName = (name: string): string =>
    name === 'seLinuxOptions' ? 'SELinuxOptions' : name.charAt(0).toUpperCase() + name.slice(1);
  return {
    Capabilities: isJson(capabilities)
      ? { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null }
      : null,
    ...Object.fromEntries(names.map((name) => [shownName(name), context[name]])),
  };
}

/** Problems of the name server's settings, which a pod has to bring where it takes none of the cluster's. */
export function validateDns(spec: Json, path: string, errors: FieldErrors): void {
  if (spec.dnsPolicy !== 'None') return;
  const { dnsConfig } = spec;
  if (!isJson(dnsConfig)) {
    errors.required(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None');
  } else if (asList(dnsConfig.nameservers).length === 0) {
    errors.required(
      `${path}.dnsConfig.nameservers`,
      'must provide at least one DNS nameserver when `dnsPolicy` is None',
    );
  }
}

/** Problems of the constraints by which pods are spread. */
export function validateSpread(constraints: readonly Json[], path: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [index, constraint] of constraints.entries()) {
    const at = `${path}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = constraint;
    if (asNumber(maxSkew) <= 0) errors.invalid(`${at}.maxSkew`, maxSkew ?? 0, 'must be greater than zero');
    if (asString(topologyKey) === '') errors.required(`${at}.topologyKey`, 'can not be empty');
    errors.oneOf(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']);
    const pair = `{${asString(topologyKey)}, ${asString(whenUnsatisfiable)}}`;
    if (seen.has(pair)) errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair);
    seen.add(pair);
    if (typeof minDomains === 'number' && minDomains <= 0) {
      errors.invalid(`${at}.minDomains`, minDomains, 'must be greater than zero');
    }
  }
}

/** Problems of further names of hosts. */
export function validateHostAliases(aliases: readonly Json[], path: string, errors: FieldErrors): void {
  for (const [index, { ip }] of aliases.entries()) {
    if (isIP(asString(ip)) === 0) errors.invalid(`${path}[${index}].ip`, ip ?? '', IP_WORDS);
  }
}

/** Problems of the operating system that a pod is for. */
export function validateOs(os: unknown, path: string, errors: FieldErrors): void {
  if (!isJson(os)) return;
  const name = asString(os.name);
  if (name === '') errors.required(`${path}.name`);
  else errors.oneOf(path, name, ['linux', 'windows']);
}
