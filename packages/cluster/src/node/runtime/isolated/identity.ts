import type { Container, Pod } from '@turnsole/kube/kinds/core';
import type { ImageUser } from '../../images/image-user.ts';
import type { UserNamespace } from '../../user-namespace.ts';

/** User, groups and rights of a container's processes. */
export interface ProcessIdentity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly privileged: boolean;
  /** Without `CAP_`, lower case; what the bounding set has. */
  readonly capabilities: readonly string[];
  readonly noNewPrivileges: boolean;
}

/** Capabilities of containers that ask for none (the default of the OCI runtimes). */
const DEFAULT_CAPABILITIES = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'setgid',
  'setuid',
  'setpcap',
  'net_bind_service',
  'net_raw',
  'sys_chroot',
  'mknod',
  'audit_write',
  'setfcap',
] as const;

/**
 * Gives what the security contexts of a pod and its container come to; pure.
 *
 * @param user as the image's own files have it, with regard to both contexts. @default root, as the image is the host
 */
export function processIdentity(
  pod: Pod,
  container: Container,
  user?: Pick<ImageUser, 'uid' | 'gid' | 'groups'>,
): ProcessIdentity {
  const ofPod = pod.spec?.securityContext;
  const own = container.securityContext;
  const privileged = own?.privileged === true;
  const gid = user?.gid ?? own?.runAsGroup ?? ofPod?.runAsGroup ?? 0;
  const fsGroup = ofPod?.fsGroup === undefined ? [] : [ofPod.fsGroup];
  return {
    uid: user?.uid ?? own?.runAsUser ?? ofPod?.runAsUser ?? 0,
    gid,
    groups: [...new Set([...(user?.groups ?? []), ...(ofPod?.supplementalGroups ?? []), ...fsGroup])],
    privileged,
    capabilities: capabilities(own?.capabilities),
    noNewPrivileges: own?.allowPrivilegeEscalation === false && !privileged,
  };
}

/**
 * The identity as far as a user namespace has its ids: others are those of the namespace's root. Pure.
 */
export function possibleIdentity(identity: ProcessIdentity, users: UserNamespace): ProcessIdentity {
  const { uid, gid, groups } = identity;
  return {
    ...identity,
    uid: users.hasUser(uid) ? uid : 0,
    gid: users.hasGroup(gid) ? gid : 0,
    groups: users.choosesGroups ? groups.filter((group) => users.hasGroup(group)) : [],
  };
}

type CapabilityChange = NonNullable<NonNullable<Container['securityContext']>['capabilities']>;

function capabilities({ add = [], drop = [] }: CapabilityChange = {}): string[] {
  const plain = (name: string): string => name.toLowerCase().replace(/^cap_/, '');
  const dropped = new Set(drop.map(plain));
  const added = add.map(plain);
  const kept = dropped.has('all') ? [] : DEFAULT_CAPABILITIES.filter((name) => !dropped.has(name));
  return added.includes('all') ? ['all'] : [...new Set([...kept, ...added])];
}

/**
 * Gives the words of setpriv (util-linux) in front of a command, none where nothing is to be changed; pure.
 */
export function setprivWords(identity: ProcessIdentity): string[] {
  const { uid, gid, groups, privileged, capabilities: kept, noNewPrivileges } = identity;
  const words: string[] = [];
  if (gid !== 0) words.push('--regid', String(gid));
  if (uid !== 0) words.push('--reuid', String(uid));
  if (groups.length > 0) words.push('--groups', groups.join(','));
  else if (uid !== 0 || gid !== 0) words.push('--clear-groups');
  if (!privileged && !kept.includes('all')) {
    words.push('--inh-caps', '-all', '--bounding-set', ['-all', ...kept.map((name) => `+${name}`)].join(','));
  }
  if (noNewPrivileges) words.push('--no-new-privs');
  return words.length === 0 ? [] : ['setpriv', ...words];
}
