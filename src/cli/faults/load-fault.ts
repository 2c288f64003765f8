import { suggest } from '@turnsole/kube/schema/suggest';
import type { Fault } from '../../experiment/injection/fault.ts';
import { faultRegistry } from '../../faults/index.ts';
import { CommandError } from '../../services/errors.ts';

/** The fault of a name that somebody typed. @throws CommandError with the name that was probably meant */
export async function loadFault(name: string): Promise<Fault> {
  const fault = await faultRegistry.get(name)?.();
  if (fault !== undefined) return fault;
  const near = suggest(name, faultRegistry.keys());
  const hint = near === undefined ? '`turnsole faults list` shows all' : `did you mean ${near}?`;
  throw new CommandError(`there is no fault named ${name}; ${hint}`, 'NOT_FOUND');
}
