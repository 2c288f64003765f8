import type { Container, PodSpec } from './core.ts';
import { restrictedContainer } from './restricted-container.ts';

/** Nobody in particular: no image has files of this user, so it may read what all may read. */
const SOME_USER = 65_532;

/** Whether a refused pod was refused by Pod Security, as its message says. Pure. */
export function isOfPodSecurity(message: string): boolean {
  return /\bviolates PodSecurity "/.test(message);
}

/**
 * The same pod as Pod Security's level `restricted` takes it, as far as nothing that is written contradicts that: its containers
 * are restricted ({@link restrictedContainer}), and where nothing names a user they run as {@link SOME_USER}, since many images run as
 * root unless a user is named. Pure.
 */
export function restrictedPod(spec: PodSpec): PodSpec {
  const ofPod = spec.securityContext;
  const restricted = (container: Container): Container => {
    const context = restrictedContainer(container.securityContext, ofPod);
    const user = context.runAsUser ?? ofPod?.runAsUser;
    const isFree = user === undefined && context.privileged !== true;
    return { ...container, securityContext: isFree ? { ...context, runAsUser: SOME_USER } : context };
  };
  return {
    ...spec,
    ...(spec.initContainers && { initContainers: spec.initContainers.map(restricted) }),
    containers: spec.containers.map(restricted),
  };
}
