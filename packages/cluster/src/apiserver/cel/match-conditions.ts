/** `matchConditions` of admission webhooks and policies: expressions over the request that all have to hold. */
import { messageOf } from '@turnsole/kube/text/error-message';
import { runWithin } from '@turnsole/kube/text/watchdog';
import type { Json } from '../object.ts';
import { CelError } from './environment.ts';
import { programOf } from './programs.ts';
import { fromJson } from './types.ts';

/** Conditions of strangers may take this long for one request. */
const CONDITIONS_MS = 250;

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/**
 * Whether a request is one that is meant. One condition that does not hold is enough for no, also beside others
 * that cannot be evaluated.
 *
 * @param reviewed JSON values by the names of the variables that conditions may use
 * @throws CelError when no condition says no and one cannot be evaluated
 */
export function holdsFor(
  conditions: readonly MatchCondition[],
  reviewed: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(reviewed);
  const variables: Json = Object.fromEntries(names.map((name) => [name, fromJson(reviewed[name])]));
  let failure: CelError | undefined;
  for (const { name, expression } of conditions) {
    try {
      if (runWithin(CONDITIONS_MS, () => programOf(expression, names).run(variables)) !== true) return false;
    } catch (error) {
      const why = messageOf(error);
      failure ??= new CelError(`match condition ${JSON.stringify(name)}: ${why}`, { cause: error });
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}
