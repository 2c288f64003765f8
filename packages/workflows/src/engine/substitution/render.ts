import { Budget } from '../../expression/budget.ts';
import { ExpressionError } from '../../expression/errors.ts';
import { evaluateExpression } from '../../expression/evaluate.ts';
import { namesIn } from '../../expression/expr/names-in.ts';
import { parseExpression } from '../../expression/expr/parser.ts';
import { SPRIG } from '../../expression/sprig/table.ts';
import { nestNames } from '../../expression/tags/environment.ts';
import { KEEP, renderTags } from '../../expression/tags/render.ts';
import type { Value } from '../../expression/values.ts';
import { FUNCTIONS } from './functions.ts';
import { ABSENT, type Names } from './names.ts';

/** How a pass treats tags that it cannot replace. */
export interface PassOptions {
  /** `later`: another pass follows, so whatever fails is kept. `last`: only unknown names are kept; other failures are errors. */
  readonly pass: 'later' | 'last';
  /** Simple tags that have to be known. @default none */
  readonly isRequired?: (name: string) => boolean;
  readonly random: () => number;
  readonly now: number;
}

/**
 * Replaces tags in a plain object. Values are put into its texts and can change nothing else.
 *
 * @throws ExpressionError
 */
export function substitute<T>(object: T, names: Names, options: PassOptions): T {
  const json = JSON.stringify(object);
  if (json === undefined || !json.includes('{{')) return object;
  const rendered = renderTags(json, {
    lookup: (name) => valueOfTag(name, names),
    evaluate: (expression) => valueOfExpression(expression, names, options),
    ...(options.isRequired && { isRequired: options.isRequired }),
  });
  return rendered === json ? object : JSON.parse(rendered);
}

/** An expression without braces, as `valueFrom.expression`, hooks and retries have it. @throws ExpressionError */
export function evaluate(
  expression: string,
  names: Names,
  { random, now }: Pick<PassOptions, 'random' | 'now'>,
): Value {
  const environment = nestNames([['sprig', SPRIG], ...names.entries(namesOfExpression(expression))]);
  return evaluateExpression(expression, environment, { functions: FUNCTIONS, random, now: () => now });
}

function valueOfTag(name: string, names: Names): string | undefined {
  const value = names.get(name);
  if (value !== ABSENT) return value;
  throw new ExpressionError(
    `unable to substitute {{${name}}}: output is an absent optional (skipped/omitted node output with no default)`,
  );
}

/** Names that are there only in some places: an expression that reads one before waits for it. */
const LATE = /^(?:item|retries|lastRetry|workflow\.status|workflow\.failures)(?:\.|$)/;

function valueOfExpression(expression: string, names: Names, options: PassOptions): Value | typeof KEEP {
  const read = [...namesOfExpression(expression)];
  if (read.some((name) => LATE.test(name) && !isKnown(name, names))) return KEEP;
  // A tag with an unknown name is kept whatever follows: the name may be one of the program in the container.
  const isKept = (): boolean =>
    options.pass === 'later' || read.some((name) => name !== 'sprig' && !isKnown(name, names));
  try {
    const value = evaluate(expression, names, options);
    return value === null && isKept() ? KEEP : value;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    if (isKept()) return KEEP;
    throw error;
  }
}

function isKnown(name: string, names: Names): boolean {
  if (names.get(name) !== undefined) return true;
  // Once the element is there, a member that it does not have is nil.
  if (name.startsWith('item.') && names.get('item') !== undefined) return true;
  for (const [known, value] of names.entries(new Set([name]))) {
    if (known === name || known.startsWith(`${name}.`)) return true;
    // A text has no members, but an artifact has.
    if (typeof value === 'object' && name.startsWith(`${known}.`)) return true;
  }
  return false;
}

/** The names that an expression reads. Pure. @throws ExpressionError for an invalid expression */
export function namesOfExpression(expression: string): ReadonlySet<string> {
  return namesIn(parseExpression(expression, new Budget()));
}
