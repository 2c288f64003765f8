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

const NO_SUCH_ID =
  'the cluster’s user has no such id; it takes newuidmap (package uidmap) and a line for him in /etc/subuid and /etc/subgid';

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
