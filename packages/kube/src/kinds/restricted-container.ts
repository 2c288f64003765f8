import type { PodSecurityContext, SecurityContext } from './core.ts';

/**
 * What Pod Security's level `restricted` asks of a container: no user root, no capability, no way to more rights, and no system call
 * that ordinary programs do not make.
 */
export const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
} as const satisfies SecurityContext;

/** Capabilities with which the API server refuses `allowPrivilegeEscalation: false`. */
const ESCALATING = /^(CAP_)?SYS_ADMIN$/;

/**
 * The security context of a container of Turnsole's own image, which needs no right of its pod: what its user has written, and beside that
 * what `restricted` asks for ({@link RESTRICTED_CONTAINER}). Written fields win, and so do those of the pod, which hold
 * for every container that does not write its own; what would contradict them is left out. Pure.
 */
export function restrictedContainer(
  written: SecurityContext | undefined,
  ofPod: PodSecurityContext | undefined,
): SecurityContext {
  if (written?.privileged === true) return written;
  const { allowPrivilegeEscalation, runAsNonRoot, seccompProfile, capabilities } = RESTRICTED_CONTAINER;
  const isRoot = (written?.runAsUser ?? ofPod?.runAsUser) === 0;
  const escalates = written?.capabilities?.add?.some((name) => ESCALATING.test(name)) === true;
  return {
    ...(escalates ? {} : { allowPrivilegeEscalation }),
    capabilities: { drop: [...capabilities.drop] },
    ...(isRoot || ofPod?.runAsNonRoot !== undefined ? {} : { runAsNonRoot }),
    ...(ofPod?.seccompProfile === undefined ? { seccompProfile } : {}),
    ...written,
  };
}
