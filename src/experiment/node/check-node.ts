import type { Fault } from '../fault.ts';
import type { TunableSchema, Tunables } from '../tunables.ts';
import { requireCapabilities } from './capabilities.ts';
import { requireTools } from './tools.ts';

/**
 * Whether this process, on this machine, can inject a fault with these settings. Touches nothing.
 *
 * @throws NodeError (CapabilityError, MissingToolError) with what is missing, by name
 */
export async function checkNode(
  fault: Pick<Fault, 'name' | 'needs' | 'checkNode'>,
  tunables: Tunables<TunableSchema>,
  signal: AbortSignal,
): Promise<void> {
  requireCapabilities(fault.needs?.capabilities ?? [], `inject ${fault.name}`);
  requireTools(fault.needs?.tools ?? []);
  await fault.checkNode?.(tunables, signal);
}
