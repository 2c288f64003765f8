import type { JSONValue } from '@jmespath-community/jmespath';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import { OverTimeError, runWithin } from '@turnsole/kube/text/watchdog';

/** Reads values of objects by an expression. */
export type Expression = (object: unknown) => unknown;

/** Reads expressions. @throws ExpressionError */
export type ReadExpression = (text: string) => Expression;

/** The text is no expression. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** Expressions can multiply what they read; no honest one takes so long, also of an object of a megabyte. */
const LIMIT_MS = 250;
const TOO_SLOW = `takes longer than ${LIMIT_MS} ms; it is not evaluated again before the tracker starts anew`;
/** So many expressions that take too long are remembered. */
const MAX_TOO_SLOW = 1_000;

/** Loads the language: only the tracker needs it. */
export async function loadExpressions(): Promise<ReadExpression> {
  const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath');
  const tooSlow = new Set<string>();
  return (text) => {
    let node: ReturnType<typeof compile>;
    try {
      node = compile(text);
    } catch (cause) {
      throw new ExpressionError(messageOf(cause), { cause });
    }
    // What the API server has sent is JSON.
    const search = (object: unknown): unknown => TreeInterpreter.search(node, object as JSONValue) ?? null;
    if (isPath(node)) return search;
    return (object) => {
      // Once is enough: it would hold up everything else for each workload.
      if (tooSlow.has(text)) throw new OverTimeError(TOO_SLOW);
      try {
        return runWithin(LIMIT_MS, () => search(object));
      } catch (error) {
        if (!(error instanceof OverTimeError)) throw error;
        if (tooSlow.size >= MAX_TOO_SLOW) tooSlow.clear();
        tooSlow.add(text);
        throw new OverTimeError(TOO_SLOW, { cause: error });
      }
    };
  };
}

/** Each takes one step, whatever the object holds. */
const STEPS: ReadonlySet<unknown> = new Set([
  'Field',
  'Index',
  'IndexExpression',
  'Subexpression',
  'Pipe',
  'Current',
  'Root',
]);

/**
 * Whether an expression only goes down a path, such as `spec.containers[0].image`: then its evaluation needs no time limit. A limit takes
 * a thread that is started and ended for each evaluation, which takes milliseconds on a busy machine. Pure.
 */
function isPath(node: unknown): boolean {
  if (!isObject(node) || !STEPS.has(node.type)) return false;
  return [node.left, node.right].every((part) => part === undefined || isPath(part));
}
