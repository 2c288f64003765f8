/** The level baseline of Pod Security. Source: kubernetes.io, Pod Security Standards. */
import { asJson, asList, asObjects, asString, type Json } from '../../object.ts';
import { containersText, ofContainers, quoted, type Violation } from './wording.ts';

/** A pod as the rules look at it. */
export interface JudgedPod {
  readonly spec: Json;
  readonly metadata: Json;
  /** All of them, those for debugging included. */
  readonly containers: readonly Json[];
}

type Rule = (pod: JudgedPod) => readonly Violation[];

const contextOf = (container: Json): Json => asJson(container.securityContext);
const DEFAULT_CAPABILITIES: ReadonlySet<string> = new Set([
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]);
const SAFE_SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);
const SELINUX_TYPES: ReadonlySet<string> = new Set([
  ...['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'],
]);

const unconfined =
  (field: string) =>
  (context: Json): boolean =>
    asJson(context[field]).type === 'Unconfined';

/** `pod and container "a"` of those whose context is bad; undefined where none is. */
function whoOf({ spec, containers }: JudgedPod, isBad: (context: Json) => boolean): string | undefined {
  const bad = containers.filter((container) => isBad(contextOf(container)));
  const who = [
    ...(isBad(asJson(spec.securityContext)) ? ['pod'] : []),
    ...(bad.length === 0 ? [] : [containersText(bad)]),
  ];
  return who.length === 0 ? undefined : who.join(' and ');
}

const appArmor: Rule = (pod) => {
  const who = whoOf(pod, unconfined('appArmorProfile'));
  if (who === undefined) return [];
  return [
    {
      rule: 'forbidden AppArmor profile',
      detail: `${who} must not set AppArmor profile type to "Unconfined"`,
    },
  ];
};

/** In restricted another rule takes its place. */
export const capabilities: Rule = ({ containers }) => {
  const forbidden = (container: Json): string[] =>
    asList(asJson(contextOf(container).capabilities).add)
      .map(asString)
      .filter((name) => !DEFAULT_CAPABILITIES.has(name));
  const names = [...new Set(containers.flatMap(forbidden))].sort();
  return ofContainers(
    containers,
    (container) => forbidden(container).length > 0,
    'non-default capabilities',
    (who) => `${who} must not include ${quoted(names)} in securityContext.capabilities.add`,
  );
};

const hostNamespaces: Rule = ({ spec }) => {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  return shared.length === 0
    ? []
    : [{ rule: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') }];
};

/** In restricted another rule takes its place. */
export const hostPathVolumes: Rule = ({ spec }) => {
  const names = asObjects(spec.volumes)
    .filter(({ hostPath }) => hostPath !== undefined)
    .map(({ name }) => asString(name));
  if (names.length === 0) return [];
  return [
    { rule: 'hostPath volumes', detail: `${names.length === 1 ? 'volume' : 'volumes'} ${quoted(names)}` },
  ];
};

const hostPorts: Rule = ({ containers }) => {
  const used = (container: Json): number[] =>
    asObjects(container.ports).flatMap(({ hostPort }) =>
      typeof hostPort === 'number' && hostPort !== 0 ? [hostPort] : [],
    );
  const ports = [...new Set(containers.flatMap(used))].sort((a, b) => a - b);
  return ofContainers(
    containers,
    (container) => used(container).length > 0,
    'hostPort',
    (who) =>
      `${who} ${who.startsWith('containers') ? 'use' : 'uses'} ${ports.length === 1 ? 'hostPort' : 'hostPorts'} ${ports.join(', ')}`,
  );
};

const probeHosts: Rule = ({ containers }) => {
  const hooks = ['livenessProbe', 'readinessProbe', 'startupProbe', 'postStart', 'preStop'] as const;
  const hostsOf = (container: Json): string[] => {
    const all = { ...container, ...asJson(container.lifecycle) } as Json;
    return hooks.flatMap((hook) =>
      ['httpGet', 'tcpSocket'].flatMap((kind) => asString(asJson(asJson(all[hook])[kind]).host) || []),
    );
  };
  const hosts = [...new Set(containers.flatMap(hostsOf))].sort();
  return ofContainers(
    containers,
    (container) => hostsOf(container).length > 0,
    'probe or lifecycle host',
    (who) =>
      `${who} ${who.startsWith('containers') ? 'use' : 'uses'} probe or lifecycle ${hosts.length === 1 ? 'host' : 'hosts'} ${quoted(hosts)}`,
  );
};

const privileged: Rule = ({ containers }) =>
  ofContainers(
    containers,
    (container) => contextOf(container).privileged === true,
    'privileged',
    (who) => `${who} must not set securityContext.privileged=true`,
  );

const seLinux: Rule = (pod) => {
  const optionsOf = (context: Json): Json => asJson(context.seLinuxOptions);
  const isBad = (context: Json): boolean => {
    const { type, user, role } = optionsOf(context);
    return !SELINUX_TYPES.has(asString(type)) || asString(user) !== '' || asString(role) !== '';
  };
  const who = whoOf(pod, isBad);
  if (who === undefined) return [];
  const all = [asJson(pod.spec.securityContext), ...pod.containers.map(contextOf)].map(optionsOf);
  const types = [...new Set(all.map(({ type }) => asString(type)))].filter(
    (type) => !SELINUX_TYPES.has(type),
  );
  const why = [
    ...(types.length === 0 ? [] : [`${types.length === 1 ? 'type' : 'types'} ${quoted(types.sort())}`]),
    ...['user', 'role'].flatMap((field) =>
      all.some((options) => asString(options[field]) !== '') ? [`${field} may not be set`] : [],
    ),
  ];
  const detail = `${who} set forbidden securityContext.seLinuxOptions: ${why.join('; ')}`;
  return [{ rule: 'seLinuxOptions', detail }];
};

/** In restricted another rule takes its place. */
export const seccomp: Rule = (pod) => {
  const who = whoOf(pod, unconfined('seccompProfile'));
  if (who === undefined) return [];
  return [
    {
      rule: 'seccompProfile',
      detail: `${who} must not set securityContext.seccompProfile.type to "Unconfined"`,
    },
  ];
};

const sysctls: Rule = ({ spec }) => {
  const names = asObjects(asJson(spec.securityContext).sysctls)
    .map(({ name }) => asString(name))
    .filter((name) => !SAFE_SYSCTLS.has(name));
  return names.length === 0 ? [] : [{ rule: 'forbidden sysctls', detail: names.join(', ') }];
};

const windowsHostProcess: Rule = (pod) => {
  const who = whoOf(pod, (context) => asJson(context.windowsOptions).hostProcess === true);
  if (who === undefined) return [];
  return [
    { rule: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` },
  ];
};

/** In the order in which violations are listed. */
export const BASELINE: readonly Rule[] = [
  appArmor,
  capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  probeHosts,
  privileged,
  seLinux,
  seccomp,
  sysctls,
  windowsHostProcess,
];
