import type { Budget } from '../budget.ts';
import { ExpressionBudgetError, ExpressionError } from '../errors.ts';
import { matches } from '../patterns.ts';
import { compareText, printFloat } from '../values.ts';
import { checkOrder, type GovaluateToken, readGovaluateTokens } from './tokens.ts';

/** A value of the language: numbers are floats, and nil is what a condition without an `else` gives. */
export type GovaluateValue = null | boolean | number | string | readonly GovaluateValue[];

/** Operators from those that bind least. Those of one level are carried out from left to right. */
const LEVELS: readonly (readonly string[])[] = [
  [','],
  ['?', ':', '??'],
  ['||'],
  ['&&'],
  ['==', '!=', '>', '>=', '<', '<=', '=~', '!~', 'in'],
  ['&', '|', '^'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

type Tree =
  | { readonly kind: 'value'; readonly value: GovaluateValue }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'prefix'; readonly symbol: string; readonly operand: Tree }
  | { readonly kind: 'binary'; readonly symbol: string; readonly left: Tree; readonly right: Tree };

/** How names without quotes are read: as texts (conditions of steps), or as parameters, of which none exist (cron). */
export type BareWords = 'texts' | 'parameters';

/**
 * Evaluates a condition in the language of govaluate.
 *
 * @throws ExpressionError in govaluate's words; `phase` of {@link GovaluateSyntaxError} says whether reading or evaluating failed
 */
export function evaluateGovaluate(source: string, bareWords: BareWords, budget: Budget): GovaluateValue {
  const { sourceLength } = budget.limits;
  if (source.length > sourceLength) throw new ExpressionBudgetError('characters of source', sourceLength);
  let tree: Tree;
  try {
    tree = parse(source, bareWords, budget);
  } catch (error) {
    if (!(error instanceof ExpressionError) || error instanceof ExpressionBudgetError) throw error;
    throw new GovaluateSyntaxError(error.problem, { cause: error });
  }
  return evaluateTree(tree, budget);
}

/** The expression cannot be read; other errors come from evaluating it. */
export class GovaluateSyntaxError extends ExpressionError {
  override readonly name = 'GovaluateSyntaxError' as 'ExpressionError';

  constructor(problem: string, options?: ErrorOptions) {
    super(problem, undefined, undefined, options);
  }
}

function parse(source: string, bareWords: BareWords, budget: Budget): Tree {
  const tokens = readGovaluateTokens(source);
  checkOrder(tokens);
  if (tokens.length > budget.limits.nodes) throw new ExpressionBudgetError('nodes', budget.limits.nodes);
  if (bareWords === 'parameters') return new Parser(tokens, budget).parse();
  const texts = tokens.map((token) =>
    token.kind === 'VARIABLE' ? { ...token, kind: 'STRING' as const } : token,
  );
  // A text may not stand everywhere a name may: `!word` is refused here.
  checkOrder(texts);
  return new Parser(texts, budget).parse();
}

class Parser {
  readonly #tokens: readonly GovaluateToken[];
  readonly #budget: Budget;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly GovaluateToken[], budget: Budget) {
    this.#tokens = tokens;
    this.#budget = budget;
  }

  parse(): Tree {
    const tree = this.#level(0);
    const rest = this.#tokens[this.#at];
    if (rest !== undefined)
      throw new ExpressionError(`Unable to plan token kind: '${rest.kind}', value: '${rest.value}'`);
    return tree;
  }

  #level(level: number): Tree {
    const symbols = LEVELS[level];
    if (symbols === undefined) return this.#operand();
    let left = this.#level(level + 1);
    for (;;) {
      const token = this.#tokens[this.#at];
      const isOperator =
        token !== undefined && /^(?:MODIFIER|COMPARATOR|LOGICALOP|TERNARY|SEPARATOR)$/.test(token.kind);
      if (!isOperator || !symbols.includes(String(token.value))) return left;
      this.#at++;
      left = { kind: 'binary', symbol: String(token.value), left, right: this.#level(level + 1) };
    }
  }

  #operand(): Tree {
    const { depth } = this.#budget.limits;
    if (++this.#depth > depth) throw new ExpressionBudgetError('levels', depth);
    const tree = this.#operandAtDepth();
    this.#depth--;
    return tree;
  }

  #operandAtDepth(): Tree {
    const token = this.#tokens[this.#at++];
    switch (token?.kind) {
      case 'PREFIX':
        return { kind: 'prefix', symbol: String(token.value), operand: this.#operand() };
      case 'CLAUSE': {
        if (this.#tokens[this.#at]?.kind === 'CLAUSE_CLOSE') {
          this.#at++;
          return { kind: 'value', value: null };
        }
        const inner = this.#level(0);
        if (this.#tokens[this.#at++]?.kind !== 'CLAUSE_CLOSE')
          throw new ExpressionError('Unbalanced parenthesis');
        return inner;
      }
      case 'NUMERIC':
      case 'BOOLEAN':
      case 'STRING':
      case 'TIME':
        return { kind: 'value', value: token.value };
      case 'VARIABLE':
        return { kind: 'parameter', name: String(token.value) };
      case 'ACCESSOR':
        return { kind: 'parameter', name: String(token.value).split('.')[0] ?? '' };
      default:
        throw new ExpressionError(
          `Unable to plan token kind: '${token?.kind ?? 'UNKNOWN'}', value: '${token?.value ?? '<nil>'}'`,
        );
    }
  }
}

function evaluateTree(tree: Tree, budget: Budget): GovaluateValue {
  budget.chargeSteps(1);
  switch (tree.kind) {
    case 'value':
      return tree.value;
    case 'parameter':
      throw new ExpressionError(`No parameter '${tree.name}' found.`);
    case 'prefix':
      return prefixed(tree.symbol, evaluateTree(tree.operand, budget));
    case 'binary': {
      const left = evaluateTree(tree.left, budget);
      const decided = shortCut(tree.symbol, left);
      return decided === undefined
        ? operate(tree.symbol, left, evaluateTree(tree.right, budget), budget)
        : decided;
    }
  }
}

/** The value when the left side alone decides; undefined when the right side is needed. */
function shortCut(symbol: string, left: GovaluateValue): GovaluateValue | undefined {
  if (symbol === '&&' && left === false) return false;
  if (symbol === '||' && left === true) return true;
  if (symbol === '?' && left === false) return null;
  return (symbol === ':' || symbol === '??') && left !== null ? left : undefined;
}

function prefixed(symbol: string, value: GovaluateValue): GovaluateValue {
  if (symbol === '!' && typeof value === 'boolean') return !value;
  if (symbol === '-' && typeof value === 'number') return -value;
  if (symbol === '~' && typeof value === 'number') return Number(~BigInt(Math.trunc(value)));
  throw new ExpressionError(`Value '${shown(value)}' cannot be used with the prefix '${symbol}'`);
}

function operate(
  symbol: string,
  left: GovaluateValue,
  right: GovaluateValue,
  budget: Budget,
): GovaluateValue {
  switch (symbol) {
    case ',':
      return Array.isArray(left) ? [...left, right] : [left, right];
    case '&&':
    case '||':
      return logical(symbol, left, right);
    case '?':
      if (typeof left !== 'boolean') throw notUsable(left, 'ternary operator', symbol, 'bool');
      return right;
    case ':':
    case '??':
      return right;
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '>':
    case '<':
    case '>=':
    case '<=':
      return compared(symbol, left, right);
    case '=~':
    case '!~':
      for (const side of [left, right])
        if (typeof side !== 'string') throw notUsable(side, 'comparator', symbol, 'number');
      return matches(String(left), String(right)) === (symbol === '=~');
    case 'in':
      if (!Array.isArray(right)) throw notUsable(right, 'comparator', symbol, 'number');
      budget.chargeSteps(right.length);
      return right.some((item) => item === left);
    case '+':
      return added(left, right, budget);
    default:
      return calculated(symbol, left, right);
  }
}

function logical(symbol: string, left: GovaluateValue, right: GovaluateValue): boolean {
  for (const side of [left, right])
    if (typeof side !== 'boolean') throw notUsable(side, 'logical operator', symbol, 'bool');
  return symbol === '&&' ? left === true && right === true : left === true || right === true;
}

function isEqual(left: GovaluateValue, right: GovaluateValue): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  return left.length === right.length && left.every((item, index) => isEqual(item, right[index] ?? null));
}

function compared(symbol: string, left: GovaluateValue, right: GovaluateValue): boolean {
  const isNumbers = typeof left === 'number' && typeof right === 'number';
  if (!isNumbers && (typeof left !== 'string' || typeof right !== 'string')) {
    throw notUsable(left, 'comparator', symbol, 'number');
  }
  const order = isNumbers ? left - right : compareText(String(left), String(right));
  if (symbol === '>') return order > 0;
  if (symbol === '<') return order < 0;
  return symbol === '>=' ? order >= 0 : order <= 0;
}

/** With a text on either side, both are put together. */
function added(left: GovaluateValue, right: GovaluateValue, budget: Budget): GovaluateValue {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (typeof left !== 'string' && typeof right !== 'string') throw notUsable(left, 'modifier', '+', 'number');
  const text = shown(left) + shown(right);
  budget.chargeSize(text.length);
  return text;
}

function calculated(symbol: string, left: GovaluateValue, right: GovaluateValue): number {
  if (typeof left !== 'number') throw notUsable(left, 'modifier', symbol, 'number');
  if (typeof right !== 'number') throw notUsable(right, 'modifier', symbol, 'number');
  const [a, b] = [toInt64(left), toInt64(right)];
  switch (symbol) {
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return left ** right;
    case '&':
      return Number(a & b);
    case '|':
      return Number(a | b);
    case '^':
      return Number(a ^ b);
    // The count is taken as an unsigned number: a negative one is larger than all bits.
    case '<<':
      return b < 0n || b > 63n ? 0 : Number(BigInt.asIntN(64, a << b));
    case '>>':
      return Number(a >> (b < 0n || b > 63n ? 63n : b));
  }
  throw new ExpressionError(`unknown operator ${symbol}`);
}

function toInt64(value: number): bigint {
  return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n;
}

function notUsable(value: GovaluateValue, role: string, symbol: string, expected: string): ExpressionError {
  return new ExpressionError(
    `Value '${shown(value)}' cannot be used with the ${role} '${symbol}', it is not a ${expected}`,
  );
}

function shown(value: GovaluateValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return printFloat(value);
  return Array.isArray(value) ? `[${value.map(shown).join(' ')}]` : String(value);
}
