import { readOwnStatus } from '@turnsole/kube/base/machine';
import { type Capability, lackingCapabilities, nameCapabilities } from '@turnsole/kube/text/capabilities';
import { NodeError } from './node-error.ts';

export type { Capability } from '@turnsole/kube/text/capabilities';

/** This process lacks capabilities without which the fault cannot act. Nothing was touched. */
export class CapabilityError extends NodeError {
  override readonly name = 'CapabilityError';
}

/** What to do about capabilities that a helper lacks. */
export const CAPABILITY_ADVICE =
  'a helper gets capabilities by its security context, which the admission policy of its namespace has to allow; ' +
  'on the embedded cluster, start turnsole as root';

/**
 * Makes sure that this process has the capabilities an act needs.
 *
 * @param purpose what they are for, as in `cannot <purpose>`
 * @throws CapabilityError naming those that are missing, and how a helper gets them
 */
export function requireCapabilities(
  needed: readonly Capability[],
  purpose: string,
  readStatus: () => string = readOwnStatus,
): void {
  if (needed.length === 0) return;
  const missing = lackingCapabilities(readStatus(), needed);
  if (missing.length === 0) return;
  throw new CapabilityError(
    `cannot ${purpose}: this process lacks ${nameCapabilities(missing)}; ${CAPABILITY_ADVICE}`,
  );
}
