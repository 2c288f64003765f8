/** `matchConditions` of admission webhooks: expressions over the request that all have to hold. */
import { messageOf } from '@turnsole/kube/text/error-message';
import { runWithin } from '@turnsole/kube/text/watchdog';
import type { Json } from '../object.ts';
import { compile, type Program } from './compile.ts';
import { CelError, newEnvironment } from './environment.ts';
import { fromJson } from './types.ts';

/** Conditions of strangers may take this long for one request. */
const CONDITIONS_MS = 250;

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The variables of conditions. */
interface ReviewedRequest {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
}

/** Why an expression is invalid; undefined when it is valid. */
export function conditionMistake(expression: string): string | undefined {
  try {
    const { type } = programOf(expression);
    return type === 'bool' || type === 'dyn' ? undefined : 'must evaluate to bool';
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}

/**
 * Whether a request is one that the webhook is for. One condition that does not hold is enough for no, also beside others
 * that cannot be evaluated.
 * @throws CelError when no condition says no and one cannot be evaluated
 */
export function holdsFor(conditions: readonly MatchCondition[], reviewed: ReviewedRequest): boolean {
  const variables: Json = {
    object: fromJson(reviewed.object),
    oldObject: fromJson(reviewed.oldObject),
    request: fromJson(reviewed.request),
  };
  let failure: CelError | undefined;
  for (const { name, expression } of conditions) {
    try {
      if (runWithin(CONDITIONS_MS, () => programOf(expression).run(variables)) !== true) return false;
    } catch (error) {
      const why = messageOf(error);
      failure ??= new CelError(`match condition ${JSON.stringify(name)}: ${why}`, { cause: error });
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}

const programs = new Map<string, Program>();
const MAX_PROGRAMS = 256;

function programOf(expression: string): Program {
  const known = programs.get(expression);
  if (known !== undefined) return known;
  const environment = newEnvironment()
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'dyn');
  const program = compile(environment, expression);
  if (programs.size >= MAX_PROGRAMS) programs.clear();
  programs.set(expression, program);
  return program;
}
