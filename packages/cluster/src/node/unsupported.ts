import type { Container, Pod } from '@turnsole/kube/kinds/core';

/** The rights of the process runtime's user. */
export interface RuntimeRights {
  readonly root: boolean;
  readonly uid: number | undefined;
  /** Whether pods have networks, processes and files of their own. */
  readonly isolated?: boolean;
}

/**
 * Requests of a pod that the process runtime does not fulfil, as sentences for an Event; pure. None of them keeps the
 * pod from running.
 */
export function unsupportedRequests(pod: Pod, rights: RuntimeRights): string[] {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return containers.flatMap((container) => ofContainer(container, pod, rights));
}

function ofContainer(
  container: Container,
  pod: Pod,
  { root, uid, isolated = false }: RuntimeRights,
): string[] {
  const { name, securityContext, ports = [] } = container;
  const found: string[] = [];
  const say = (what: string, why: string): void => {
    found.push(`container ${name}: ${what}: ${why}`);
  };
  if (securityContext?.privileged === true && !root) {
    say('privileged', 'the cluster does not run as root, so the container has no more rights than its user');
  }
  const wanted = securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser;
  if (!isolated && wanted !== undefined && uid !== undefined && wanted !== uid) {
    say(`runAsUser ${wanted}`, `processes run as the cluster's own user (${uid})`);
  }
  for (const { hostPort } of ports) {
    if (hostPort !== undefined && hostPort > 0)
      say(`hostPort ${hostPort}`, 'is not forwarded; use the pod IP');
  }
  return found;
}
