import type { Fault } from '../injection/fault.ts';
import type { TunableSchema, Tunables } from '../injection/tunables.ts';
import { NodeError } from './node-error.ts';
import { obstacleTo, ownLacks } from './obstacle.ts';

/**
 * Whether this process, on this machine, can inject a fault with these settings. Touches nothing.
 *
 * @throws NodeError with all that is missing, by name
 */
export async function checkNode(
  fault: Pick<Fault, 'name' | 'needs' | 'checkNode'>,
  tunables: Tunables<TunableSchema>,
  signal: AbortSignal,
): Promise<void> {
  const obstacle = obstacleTo(fault, ownLacks(), 'helper');
  if (obstacle !== undefined) throw new NodeError(obstacle);
  await fault.checkNode?.(tunables, signal);
}
