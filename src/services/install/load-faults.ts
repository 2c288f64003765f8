import { faultRegistry, isBuiltInFault } from '../../faults/index.ts';
import type { InstalledFault } from './fault-objects.ts';

/** Names of all faults. */
export function knownFaults(): string[] {
  return [...faultRegistry.keys()].sort();
}

/** Names of Turnsole's own, which its image has. */
export function faultsOfTurnsole(): string[] {
  return knownFaults().filter(isBuiltInFault);
}

/** The faults of these names, which must be known. */
export async function loadFaults(names: readonly string[]): Promise<InstalledFault[]> {
  const faults = await Promise.all(names.map((name) => faultRegistry.get(name)?.()));
  return faults.filter((fault) => fault !== undefined);
}
