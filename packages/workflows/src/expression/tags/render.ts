import { parseJson } from '@turnsole/kube/text/json';
import { ExpressionBudgetError, ExpressionError } from '../errors.ts';
import { toJson, type Value } from '../values.ts';
import { scanTags } from './scan.ts';

/** What tags stand for. */
export interface TagValues {
  /** The text of a simple tag; undefined for a name that is not known. */
  readonly lookup: (name: string) => string | undefined;
  /**
   * The value of an expression tag, or `keep` to leave the tag as it is, because it needs a name that comes later.
   *
   * @throws ExpressionError
   */
  readonly evaluate: (expression: string) => Value | typeof KEEP;
  /** Whether a simple tag that is not known is an error; otherwise it stays as it is. @default never */
  readonly isRequired?: (name: string) => boolean;
}

/** A tag is left as it is. */
export const KEEP = Symbol('keep');

/** A tag that has to have a value has none. */
export class UnresolvedTagError extends ExpressionError {
  override readonly name = 'UnresolvedTagError' as 'ExpressionError';
  readonly tag: string;

  constructor(tag: string) {
    super(`failed to resolve {{${tag}}}`);
    this.tag = tag;
  }
}

/**
 * Replaces the tags in the JSON text of an object. Values are put in as parts of JSON strings, so no value can change the structure
 * of the object. A tag within a tag is replaced first; the outer one is one for the next pass.
 *
 * @returns JSON text again
 * @throws UnresolvedTagError, or ExpressionError when a tag has no end, an expression fails, or the result is no JSON
 */
export function renderTags(json: string, values: TagValues): string {
  if (!json.includes('{{')) return json;
  const rendered = scanTags(json)
    .map((piece) => {
      if (piece.kind === 'text') return piece.text;
      return piece.kind === 'simple' ? simpleTag(piece.body, values) : expressionTag(piece.body, values);
    })
    .join('');
  if (parseJson(rendered) === undefined) {
    throw new ExpressionError('cannot finish template replacement because the result was invalid JSON');
  }
  return rendered;
}

function simpleTag(body: string, { lookup, isRequired = () => false }: TagValues): string {
  const name = fromJsonString(body).trim();
  const value = lookup(name);
  if (value !== undefined) return asJsonString(value);
  const inner = body.lastIndexOf('{{');
  if (inner >= 0) {
    const innerValue = lookup(fromJsonString(body.slice(inner + 2)).trim());
    // Its end has closed the inner tag; that of the outer one follows.
    if (innerValue !== undefined) return `{{${body.slice(0, inner)}${asJsonString(innerValue)}`;
  }
  if (isRequired(name)) throw new UnresolvedTagError(name);
  return `{{${body}}}`;
}

function expressionTag(body: string, { evaluate }: TagValues): string {
  let value: Value | typeof KEEP;
  try {
    value = evaluate(fromJsonString(body));
  } catch (cause) {
    if (!(cause instanceof ExpressionError) || cause instanceof ExpressionBudgetError) throw cause;
    throw new ExpressionError(`failed to evaluate expression: ${cause.message}`, undefined, undefined, {
      cause,
    });
  }
  if (value === KEEP) return `{{=${body}}}`;
  if (typeof value === 'string') return asJsonString(value);
  const text = value === null ? undefined : toJson(value);
  if (text === undefined) {
    throw new ExpressionError(`failed to evaluate expression ${JSON.stringify(fromJsonString(body))}`);
  }
  return asJsonString(text);
}

/** A text as it stands between the quotes of a JSON string. */
function asJsonString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text of a piece of a JSON string; an incomplete piece is taken as it is. */
function fromJsonString(piece: string): string {
  return String(parseJson(`"${piece}"`) ?? piece);
}
