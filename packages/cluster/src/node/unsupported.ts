import type { Container, Pod } from '@turnsole/kube/kinds/core';
import type { UserNamespace } from './user-namespace.ts';

/** The rights of the process runtime's user. */
export interface RuntimeRights {
  readonly root: boolean;
  readonly uid: number | undefined;
  /** The ids that pods may have where they have networks, processes and files of their own; undefined where they have not. */
  readonly users?: Pick<UserNamespace, 'hasUser' | 'hasGroup'> | undefined;
}

/**
 * Requests of a pod that the process runtime does not fulfil, as sentences for an Event; pure. None of them keeps the
 * pod from running.
 */
export function unsupportedRequests(pod: Pod, rights: RuntimeRights): string[] {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return [
    ...groupsWithout(pod, rights),
    ...containers.flatMap((container) => ofContainer(container, pod, rights)),
  ];
}

const IT_TAKES =
  'it takes newuidmap (package uidmap) and a line for the cluster’s user in /etc/subuid and /etc/subgid';
const NO_SUCH_ID = `the cluster’s user has no such id; ${IT_TAKES}`;

/**
 * What to say of a container of an image that runs as another user than the image means, as this cluster has not that one; undefined where it has, and
 * where the pod asks for a user, which {@link unsupportedRequests} tells of. Pure.
 */
export function imageUserWithout(
  pod: Pod,
  { name, securityContext }: Container,
  { uid, gid }: { readonly uid: number; readonly gid: number },
  users: Pick<UserNamespace, 'hasUser' | 'hasGroup'>,
): string | undefined {
  if ((securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser) !== undefined) return undefined;
  if (users.hasUser(uid) && users.hasGroup(gid)) return undefined;
  return `container ${name}: the image’s user ${uid}:${gid}: it runs as root of the container; ${NO_SUCH_ID}`;
}

/** Programs that cannot be run at all end with these codes and those above, as do those that are ended by a signal. */
const FIRST_CODE_OF_SHELLS = 126;

/**
 * What to say of a container of an image that has ended by itself with a code of its own, where there is one user only: programs that want to be another one, or give
 * files away, end like this, and few of them say why. Undefined where that cannot be the reason. Pure.
 */
export function endForWantOfUsers(
  name: string,
  exitCode: number,
  users: Pick<UserNamespace, 'hasUser'>,
): string | undefined {
  if (users.hasUser(1) || exitCode === 0 || exitCode >= FIRST_CODE_OF_SHELLS) return undefined;
  return (
    `container ${name} ended with code ${exitCode}: programs that change their user, or owners of files (su-exec, gosu, setpriv, chown), ` +
    `cannot do so here, as there is one user; ${IT_TAKES}`
  );
}

/** Groups of a pod that its processes and files cannot have. */
function groupsWithout({ spec }: Pod, { users }: RuntimeRights): string[] {
  const { fsGroup, supplementalGroups = [] } = spec?.securityContext ?? {};
  const wanted = [
    ...(fsGroup === undefined ? [] : [['fsGroup', fsGroup] as const]),
    ...supplementalGroups.map((group) => ['supplementalGroups', group] as const),
  ];
  return wanted
    .filter(([, group]) => users?.hasGroup(group) === false)
    .map(([field, group]) => `${field} ${group}: ${NO_SUCH_ID}`);
}

function ofContainer(container: Container, pod: Pod, { root, uid, users }: RuntimeRights): string[] {
  const { name, securityContext, ports = [] } = container;
  const found: string[] = [];
  const say = (what: string, why: string): void => {
    found.push(`container ${name}: ${what}: ${why}`);
  };
  if (securityContext?.privileged === true && !root) {
    say('privileged', 'the cluster does not run as root, so the container has no more rights than its user');
  }
  const wanted = securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser;
  if (users === undefined && wanted !== undefined && uid !== undefined && wanted !== uid) {
    say(`runAsUser ${wanted}`, `processes run as the cluster's own user (${uid})`);
  }
  const group = securityContext?.runAsGroup ?? pod.spec?.securityContext?.runAsGroup;
  if (wanted !== undefined && users?.hasUser(wanted) === false) say(`runAsUser ${wanted}`, NO_SUCH_ID);
  if (group !== undefined && users?.hasGroup(group) === false) say(`runAsGroup ${group}`, NO_SUCH_ID);
  for (const { hostPort } of ports) {
    if (hostPort !== undefined && hostPort > 0)
      say(`hostPort ${hostPort}`, 'is not forwarded; use the pod IP');
  }
  return found;
}
