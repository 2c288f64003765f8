import { ExpressionError } from '../errors.ts';
import { parseLayout } from '../functions/go-layout.ts';

/** Kinds of words, by the names that errors show. */
type TokenKind =
  | 'UNKNOWN'
  | 'PREFIX'
  | 'NUMERIC'
  | 'BOOLEAN'
  | 'STRING'
  | 'PATTERN'
  | 'TIME'
  | 'VARIABLE'
  | 'SEPARATOR'
  | 'ACCESSOR'
  | 'COMPARATOR'
  | 'LOGICALOP'
  | 'MODIFIER'
  | 'CLAUSE'
  | 'CLAUSE_CLOSE'
  | 'TERNARY';

export interface GovaluateToken {
  readonly kind: TokenKind;
  readonly value: string | number | boolean | null;
}

const OPERAND: readonly TokenKind[] = [
  'NUMERIC',
  'BOOLEAN',
  'VARIABLE',
  'ACCESSOR',
  'STRING',
  'TIME',
  'CLAUSE',
];
const AFTER_OPERAND: readonly TokenKind[] = [
  'MODIFIER',
  'COMPARATOR',
  'LOGICALOP',
  'CLAUSE_CLOSE',
  'SEPARATOR',
];
const BEGIN: readonly TokenKind[] = ['PREFIX', 'PATTERN', ...OPERAND];

/**
 * Kinds of words that may follow each kind; `UNKNOWN` is the beginning. Source: the grammar of github.com/Knetic/govaluate at the version
 * that Argo Workflows uses (2017-10-22), as its answers in `test-data/` show it.
 */
const FOLLOWERS: Readonly<Record<TokenKind, readonly TokenKind[]>> = {
  UNKNOWN: BEGIN,
  CLAUSE: [...BEGIN, 'CLAUSE_CLOSE'],
  CLAUSE_CLOSE: [
    ...AFTER_OPERAND,
    'TERNARY',
    'NUMERIC',
    'BOOLEAN',
    'VARIABLE',
    'STRING',
    'PATTERN',
    'TIME',
    'CLAUSE',
  ],
  NUMERIC: [...AFTER_OPERAND, 'TERNARY'],
  BOOLEAN: [...AFTER_OPERAND, 'TERNARY'],
  STRING: [...AFTER_OPERAND, 'TERNARY'],
  VARIABLE: [...AFTER_OPERAND, 'TERNARY'],
  ACCESSOR: [...AFTER_OPERAND, 'TERNARY', 'CLAUSE'],
  TIME: AFTER_OPERAND,
  PATTERN: AFTER_OPERAND,
  MODIFIER: ['PREFIX', 'NUMERIC', 'VARIABLE', 'ACCESSOR', 'STRING', 'BOOLEAN', 'CLAUSE', 'CLAUSE_CLOSE'],
  COMPARATOR: [...BEGIN, 'CLAUSE_CLOSE'],
  LOGICALOP: ['PREFIX', ...OPERAND, 'CLAUSE_CLOSE'],
  PREFIX: ['NUMERIC', 'BOOLEAN', 'VARIABLE', 'ACCESSOR', 'CLAUSE', 'CLAUSE_CLOSE'],
  TERNARY: ['PREFIX', ...OPERAND, 'SEPARATOR'],
  SEPARATOR: ['PREFIX', ...OPERAND],
};

/** Kinds with which an expression may end. */
const ENDS: ReadonlySet<TokenKind> = new Set([
  ...(['CLAUSE_CLOSE', 'NUMERIC', 'BOOLEAN', 'STRING', 'VARIABLE', 'ACCESSOR', 'TIME', 'PATTERN'] as const),
]);

const PREFIXES = new Set(['-', '!', '~']);

const SYMBOLS: ReadonlyMap<string, TokenKind> = new Map([
  ...['+', '-', '*', '/', '%', '**', '&', '|', '^', '>>', '<<'].map(
    (symbol) => [symbol, 'MODIFIER'] as const,
  ),
  ...['&&', '||'].map((symbol) => [symbol, 'LOGICALOP'] as const),
  ...['==', '!=', '>', '>=', '<', '<=', '=~', '!~'].map((symbol) => [symbol, 'COMPARATOR'] as const),
  ...['?', ':', '??'].map((symbol) => [symbol, 'TERNARY'] as const),
]);

/** Texts of these forms are times, and compared as seconds since 1970. */
const TIME_LAYOUTS = [
  'Mon Jan _2 15:04:05 2006',
  'Mon Jan _2 15:04:05 MST 2006',
  'Mon Jan 02 15:04:05 -0700 2006',
  '3:04PM',
  '2006-01-02T15:04:05Z07:00',
  '2006-01-02',
  '2006-01-02 15:04',
  '2006-01-02 15:04:05',
  '2006-01-02 15:04:05-07:00',
  '2006-01-02T15Z0700',
  '2006-01-02T15:04Z0700',
  '2006-01-02T15:04:05Z0700',
];

/** The words of an expression. @throws ExpressionError in govaluate's words */
export function readGovaluateTokens(source: string): GovaluateToken[] {
  const reader = new Reader(source);
  const tokens: GovaluateToken[] = [];
  for (let before: TokenKind = 'UNKNOWN'; ; before = tokens.at(-1)?.kind ?? before) {
    const token = reader.next(FOLLOWERS[before].includes('PREFIX'));
    if (token === undefined) break;
    tokens.push(token);
  }
  const open = tokens.filter(({ kind }) => kind === 'CLAUSE').length;
  const closed = tokens.filter(({ kind }) => kind === 'CLAUSE_CLOSE').length;
  if (open !== closed) throw new ExpressionError('Unbalanced parenthesis');
  return tokens;
}

/** @throws ExpressionError for a word that may not stand where it stands */
export function checkOrder(tokens: readonly GovaluateToken[]): void {
  let before: GovaluateToken = { kind: 'UNKNOWN', value: null };
  for (const token of tokens) {
    if (!FOLLOWERS[before.kind].includes(token.kind)) {
      if (before.kind === 'VARIABLE' && token.kind === 'CLAUSE') {
        throw new ExpressionError(`Undefined function ${before.value}`);
      }
      throw new ExpressionError(`Cannot transition token types from ${shown(before)} to ${shown(token)}`);
    }
    before = token;
  }
  if (!ENDS.has(before.kind)) throw new ExpressionError('Unexpected end of expression');
}

/** `STRING [a]`. A parenthesis appears as the number of its character. */
function shown({ kind, value }: GovaluateToken): string {
  const isClause = kind === 'CLAUSE' || kind === 'CLAUSE_CLOSE';
  const text = isClause
    ? String(value).charCodeAt(0)
    : kind === 'ACCESSOR'
      ? `[${String(value).replaceAll('.', ' ')}]`
      : value;
  return `${kind} [${text ?? '<nil>'}]`;
}

class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = [...source];
  }

  /** @param mayBePrefix whether `-` here is a sign and no difference */
  next(mayBePrefix: boolean): GovaluateToken | undefined {
    while (isBlank(this.#characters[this.#at])) this.#at++;
    const character = this.#characters[this.#at];
    if (character === undefined) return undefined;
    if (/[\p{Nd}.]/u.test(character)) return this.#number();
    if (character === ',') return this.#single('SEPARATOR');
    if (character === '(') return this.#single('CLAUSE');
    if (character === ')') return this.#single('CLAUSE_CLOSE');
    if (character === '[')
      return { kind: 'VARIABLE', value: this.#enclosed(/\]/, 'Unclosed parameter bracket') };
    if (/\p{L}/u.test(character)) return this.#word();
    if (character === "'" || character === '"') return this.#text();
    const symbol = this.#run(/[\p{Nd}\p{L}()'"[\]]/u);
    const kind = mayBePrefix && PREFIXES.has(symbol) ? 'PREFIX' : SYMBOLS.get(symbol);
    if (kind === undefined) throw new ExpressionError(`Invalid token: '${symbol}'`);
    return { kind, value: symbol };
  }

  #single(kind: TokenKind): GovaluateToken {
    return { kind, value: this.#characters[this.#at++] ?? '' };
  }

  #number(): GovaluateToken {
    if (this.#characters[this.#at] === '0' && this.#characters[this.#at + 1] === 'x') {
      this.#at += 2;
      const digits = this.#run(/[^\da-fA-F]/);
      if (digits === '') throw new ExpressionError("Unable to parse hex value '' to uint64\n");
      return { kind: 'NUMERIC', value: Number.parseInt(digits, 16) };
    }
    const text = this.#run(/[^\p{Nd}.]/u);
    if (!/^(?:\d+\.?\d*|\.\d+)$/.test(text)) {
      throw new ExpressionError(`Unable to parse numeric value '${text}' to float64\n`);
    }
    return { kind: 'NUMERIC', value: Number(text) };
  }

  #word(): GovaluateToken {
    const text = this.#run(/[^\p{L}\p{Nd}_.]/u);
    if (text === 'true' || text === 'false') return { kind: 'BOOLEAN', value: text === 'true' };
    if (text === 'in' || text === 'IN') return { kind: 'COMPARATOR', value: 'in' };
    if (!text.includes('.')) return { kind: 'VARIABLE', value: text };
    if (text.endsWith('.')) throw new ExpressionError(`Hanging accessor on token '${text}'`);
    const hidden = text
      .split('.')
      .slice(1)
      .find((part) => part.slice(0, 1).toUpperCase() !== part.slice(0, 1));
    if (hidden !== undefined) {
      throw new ExpressionError(`Unable to access unexported field '${hidden}' in token '${text}'`);
    }
    return { kind: 'ACCESSOR', value: text };
  }

  /** Either quote ends it, whichever began it. */
  #text(): GovaluateToken {
    const text = this.#enclosed(/['"]/, 'Unclosed string literal');
    const ms = TIME_LAYOUTS.map((layout) => parseLayout(text, layout)).find((time) => time !== undefined);
    return ms === undefined
      ? { kind: 'STRING', value: text }
      : { kind: 'TIME', value: Math.floor(ms / 1000) };
  }

  #enclosed(end: RegExp, problem: string): string {
    this.#at++;
    let text = '';
    for (; this.#at < this.#characters.length; this.#at++) {
      const character = this.#characters[this.#at] ?? '';
      if (character === '\\') text += this.#characters[++this.#at] ?? '';
      else if (end.test(character)) {
        this.#at++;
        return text;
      } else text += character;
    }
    throw new ExpressionError(problem);
  }

  /** Up to a blank or a character that ends it; a backslash takes the next one as it is. */
  #run(end: RegExp): string {
    let text = '';
    for (; this.#at < this.#characters.length; this.#at++) {
      const character = this.#characters[this.#at] ?? '';
      if (character === '\\') text += this.#characters[++this.#at] ?? '';
      else if (isBlank(character) || end.test(character)) break;
      else text += character;
    }
    return text;
  }
}

function isBlank(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}
