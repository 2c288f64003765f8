import { TargetSelectionError } from '../injection/errors.ts';

/** What decides whether namespaces may be hit. */
interface ProtectionRequest {
  /** PROTECTED_NAMESPACES. */
  readonly protectedNamespaces: readonly string[];
  /** ALLOW_PROTECTED_NAMESPACES: those the user asks for by name all the same. */
  readonly allowed: readonly string[];
}

/**
 * Refuses targets in protected namespaces: a selector that is a little too wide must not take the cluster's own pods. Pure.
 *
 * @throws TargetSelectionError naming the namespaces and the setting that allows them
 */
export function refuseProtectedNamespaces(
  { protectedNamespaces, allowed }: ProtectionRequest,
  namespaces: readonly string[],
): void {
  const refused = [...new Set(namespaces)].filter(
    (name) => protectedNamespaces.includes(name) && !allowed.includes(name),
  );
  if (refused.length === 0) return;
  const [what, are] = refused.length === 1 ? ['namespace', 'is'] : ['namespaces', 'are'];
  throw new TargetSelectionError(
    `cannot select targets in ${what} ${refused.join(', ')}: protected by PROTECTED_NAMESPACES ` +
      `(${protectedNamespaces.join(', ')}); if ${refused.join(', ')} ${are} meant, set ALLOW_PROTECTED_NAMESPACES to ` +
      `${refused.join(',')} in the env of the experiment in the ChaosEngine`,
  );
}
