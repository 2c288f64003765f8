import { ExpressionError, type Span } from '../errors.ts';

/** A word of the language. `value` is the text of a name or operator, the content of a text, the digits of a number. */
export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'operator' | 'bracket' | 'end';
  readonly value: string;
  readonly span: Span;
}

/** Words that are operators although they look like names. */
const WORD_OPERATORS = new Set([
  'not',
  'in',
  'or',
  'and',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'let',
  'if',
  'else',
]);

/** Longest first: each is tried in turn. `#` begins a pointer (`#`, `#acc`, `#index`). */
const SYMBOLS = [
  ...['&&', '||', '==', '!=', '<=', '>=', '**', '??', '?.', '..', '::'],
  ...[',', ';', '%', '+', '-', '^', '/', '!', '<', '>', '*', '?', ':', '.', '#', '|', '='],
];

const BLANKS = /(?:\s|\/\/[^\n]*(?:\n|$)|\/\*.*?\*\/)+/sy;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER =
  /0[xX][\da-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|(?:\d[\d_]*)?(?:\.(?!\.)[\d_]*)?(?:[eE][+-]?[\d_]*)?/y;
const AFTER_NUMBER = /[\p{L}\p{N}_$]/uy;
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/suy;
const RAW_TEXT = /`(?:[^`]|``)*`/y;

/** The words of an expression, the last of kind `end`. @throws ExpressionError at a character that begins none */
export function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const take = (kind: Token['kind'], text: string, value = text): void => {
    tokens.push({ kind, value, span: { from: at, to: at + text.length } });
    at += text.length;
  };
  const fail = (problem: string, from = at): never => {
    throw new ExpressionError(problem, source, { from, to: from + 1 });
  };
  for (;;) {
    at += match(BLANKS)?.length ?? 0;
    if (at >= source.length) break;
    const character = source[at] ?? '';
    const next = source[at + 1] ?? '';
    if (source.startsWith('/*', at)) fail('unclosed comment');
    if (/\d/.test(character) || (character === '.' && /\d/.test(next))) {
      const text = match(NUMBER) ?? '';
      AFTER_NUMBER.lastIndex = at + text.length;
      if (AFTER_NUMBER.test(source))
        fail(`bad number syntax: ${JSON.stringify(text + source[at + text.length])}`);
      take('number', text);
    } else if (character === "'" || character === '"') {
      const text = match(TEXT) ?? fail('literal not terminated', source.length);
      take('text', text, unescaped(text.slice(1, -1), fail));
    } else if (character === '`') {
      const text = match(RAW_TEXT) ?? fail('literal not terminated', source.length);
      take('text', text, text.slice(1, -1).replaceAll('``', '`'));
    } else if ('([{)]}'.includes(character)) {
      take('bracket', character);
    } else {
      const name = match(NAME);
      const symbol = SYMBOLS.find((one) => source.startsWith(one, at));
      if (name !== undefined) take(WORD_OPERATORS.has(name) ? 'operator' : 'name', name);
      else if (symbol !== undefined) take('operator', symbol);
      else fail(`unrecognized character: ${unicodeName(source.codePointAt(at) ?? 0)}`);
    }
  }
  // Where expr-lang shows the end: at the last character.
  tokens.push({ kind: 'end', value: '', span: { from: Math.max(0, source.length - 1), to: source.length } });
  return tokens;
}

/** `U+0040 '@'`, as Go names characters. */
function unicodeName(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCodePoint(codePoint)}'`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

const ESCAPE =
  /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|U([\da-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;

/** The text that a literal stands for. */
function unescaped(text: string, fail: (problem: string) => never): string {
  return text.replace(ESCAPE, (_, x, u, braced, wide, octal, single) => {
    const hex: string | undefined = x ?? u ?? braced ?? wide;
    const codePoint = hex !== undefined ? Number.parseInt(hex, 16) : octal && Number.parseInt(octal, 8);
    if (codePoint !== undefined) {
      return codePoint > 0x10ffff ? fail('unable to unescape string') : String.fromCodePoint(codePoint);
    }
    return ESCAPES[single] ?? fail('unable to unescape string');
  });
}
