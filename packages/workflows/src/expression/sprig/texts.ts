import { ExpressionError } from '../errors.ts';
import {
  asInt,
  asText,
  type FunctionRow,
  type FunctionTable,
  MANY,
  sizeOf,
  takes,
  textFunction,
} from '../functions/row.ts';
import { trimBoth, upperCase, withoutPrefix, withoutSuffix } from '../functions/texts.ts';
import { newMap, type Value } from '../values.ts';
import { toText, toTexts } from './convert.ts';

/** Functions of texts; most take the text last, so that it can come through a pipe. Source: masterminds.github.io/sprig, strings. */
export const TEXTS: FunctionTable = {
  trim: textFunction(1, (text = '') => text.trim()),
  trimAll: textFunction(2, (characters = '', text = '') => trimBoth(text, characters)),
  trimall: textFunction(2, (characters = '', text = '') => trimBoth(text, characters)),
  trimPrefix: textFunction(2, (prefix = '', text = '') => withoutPrefix(text, prefix)),
  trimSuffix: textFunction(2, (suffix = '', text = '') => withoutSuffix(text, suffix)),
  upper: textFunction(1, (text = '') => upperCase(text)),
  lower: textFunction(1, (text = '') => text.toLowerCase()),
  title: textFunction(1, (text = '') =>
    text.replace(/(?<![\p{L}\p{N}_])\p{L}/gu, (letter) => upperCase(letter)),
  ),
  untitle: textFunction(1, (text = '') => text.replace(/(?<!\S)\p{L}/gu, (letter) => letter.toLowerCase())),
  swapcase: textFunction(1, (text = '') =>
    text.replace(/\p{L}/gu, (letter) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : upperCase(letter),
    ),
  ),
  nospace: textFunction(1, (text = '') => text.replace(/\s/g, '')),
  initials: textFunction(1, (text = '') => [...text.matchAll(/(?<!\S)\S/gu)].join('')),
  snakecase: textFunction(1, (text = '') => wordsOf(text).join('_').toLowerCase()),
  kebabcase: textFunction(1, (text = '') => wordsOf(text).join('-').toLowerCase()),
  camelcase: textFunction(1, (text = '') =>
    text.replace(/(?:^|[-_ ]+)([\p{L}\p{N}])/gu, (_, letter: string) => upperCase(letter)),
  ),
  contains: textFunction(2, (part = '', text = '') => text.includes(part)),
  hasPrefix: textFunction(2, (prefix = '', text = '') => text.startsWith(prefix)),
  hasSuffix: textFunction(2, (suffix = '', text = '') => text.endsWith(suffix)),
  replace: {
    arity: [3, 3],
    size: ([old, by, text]) => {
      const length = asText(text).length;
      return length + ((length + 1) / Math.max(1, asText(old).length)) * asText(by).length;
    },
    run: ([old, by, text]) => asText(text).replaceAll(asText(old), () => asText(by)),
  },
  repeat: {
    arity: [2, 2],
    size: ([count, text]) => asText(text).length * Math.max(0, Number(asInt(count))),
    run: ([count, text]) => {
      if (asInt(count) < 0n) throw new ExpressionError('strings: negative Repeat count');
      return asText(text).repeat(Number(asInt(count)));
    },
  },
  substr: takes(3, ([start, end, text]) => part(asText(text), Number(asInt(start)), Number(asInt(end)))),
  trunc: takes(2, ([count, text]) => {
    const bytes = Buffer.from(asText(text));
    const length = Number(asInt(count));
    return (length < 0 ? bytes.subarray(length) : bytes.subarray(0, length)).toString();
  }),
  abbrev: takes(2, ([width, text]) => abbreviated(asText(text), 0, Number(asInt(width)))),
  abbrevboth: takes(3, ([offset, width, text]) =>
    abbreviated(asText(text), Number(asInt(offset)), Number(asInt(width))),
  ),
  quote: takes([0, MANY], (args) =>
    present(args)
      .map((value) => JSON.stringify(toText(value)))
      .join(' '),
  ),
  squote: takes([0, MANY], (args) =>
    present(args)
      .map((value) => `'${toText(value)}'`)
      .join(' '),
  ),
  cat: takes([0, MANY], (args) => present(args).map(toText).join(' ')),
  indent: indenting((text) => text),
  nindent: indenting((text) => `\n${text}`),
  plural: takes(3, ([one, many, count]) => (asInt(count) === 1n ? asText(one) : asText(many))),
  wrap: takes(2, ([width, text]) => wrapped(asText(text), Number(asInt(width)), '\n', false)),
  wrapWith: {
    arity: [3, 3],
    size: ([, separator, text]) => asText(text).length * (1 + asText(separator).length),
    run: ([width, separator, text]) => wrapped(asText(text), Number(asInt(width)), asText(separator), true),
  },
  split: takes(2, ([separator, text]) => numbered(asText(text).split(asText(separator)))),
  splitn: takes(3, ([separator, count, text]) =>
    numbered(splitAtMost(asText(text), asText(separator), Number(asInt(count)))),
  ),
  splitList: takes(2, ([separator, text]) => asText(text).split(asText(separator))),
  join: {
    arity: [2, 2],
    size: ([glue, list]) => sizeOf(list ?? null) * (8 + asText(glue).length),
    run: ([glue, list]) => toTexts(list).join(asText(glue)),
  },
  toStrings: { arity: [1, 1], size: ([list]) => 8 * sizeOf(list ?? null), run: ([list]) => toTexts(list) },
  sortAlpha: {
    arity: [1, 1],
    size: ([list]) => 16 * sizeOf(list ?? null),
    // By bytes, as Go does.
    run: ([list]) => toTexts(list).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  },
  randAlphaNum: drawing('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
  randAlpha: drawing('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
  randNumeric: drawing('0123456789'),
  randAscii: drawing(String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index))),
  shuffle: takes(1, ([text], { random }) => {
    const all = [...asText(text)];
    for (let last = all.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [all[last], all[other]] = [all[other] ?? '', all[last] ?? ''];
    }
    return all.join('');
  }),
};

function present(args: readonly Value[]): Value[] {
  return args.filter((value) => value !== null);
}

function drawing(alphabet: string): FunctionRow {
  return {
    arity: [1, 1],
    size: ([count]) => Math.max(0, Number(asInt(count))),
    run: ([count], { random }) =>
      Array.from(
        { length: Math.max(0, Number(asInt(count))) },
        () => alphabet[Math.floor(random() * alphabet.length)] ?? '',
      ).join(''),
  };
}

function indenting(put: (text: string) => string): FunctionRow {
  return {
    arity: [2, 2],
    size: ([blanks, text]) =>
      asText(text).length + asText(text).split('\n').length * Math.max(0, Number(asInt(blanks))),
    run: ([blanks, text]) => {
      const pad = ' '.repeat(Math.max(0, Number(asInt(blanks))));
      return put(pad + asText(text).replaceAll('\n', `\n${pad}`));
    },
  };
}

/** Bytes from start to end; a negative start means from the beginning, a negative end to the end. */
function part(text: string, start: number, end: number): string {
  const bytes = Buffer.from(text);
  return bytes.subarray(Math.max(0, start), end < 0 ? bytes.length : end).toString();
}

/** Shortened to a width with dots at the end, and at the beginning where it starts beyond it. */
function abbreviated(text: string, offset: number, width: number): string {
  if (width < 4 || (offset > 0 && width < 7) || text.length <= width) return text;
  const start = Math.min(offset, text.length - (width - 3));
  if (start <= 4) return `${text.slice(0, width - 3)}...`;
  if (start + width - 3 < text.length) return `...${abbreviated(text.slice(start), 0, width - 3)}`;
  return `...${text.slice(text.length - (width - 3))}`;
}

/** `HTTPServer_x` as `HTTP`, `Server`, `x`. */
function wordsOf(text: string): string[] {
  return text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[^\p{L}\p{N}\s_-]+/gu) ?? [];
}

/** Lines of at most `width` characters, broken at blanks; longer words are broken only on request. */
function wrapped(text: string, width: number, separator: string, breaksWords: boolean): string {
  const most = Math.max(1, width);
  const lines: string[] = [];
  let rest = text.replace(/^ +/, '');
  while (rest.length > most) {
    const blank = rest.slice(0, most + 1).lastIndexOf(' ');
    const next = blank > 0 ? blank : breaksWords ? -1 : rest.indexOf(' ', most);
    if (next > 0) {
      lines.push(rest.slice(0, next));
      rest = rest.slice(next + 1).replace(/^ +/, '');
    } else if (breaksWords) {
      lines.push(rest.slice(0, most));
      rest = rest.slice(most);
    } else break;
  }
  return [...lines, rest].join(separator);
}

function splitAtMost(text: string, separator: string, count: number): string[] {
  const parts = text.split(separator);
  if (count < 0 || parts.length <= count) return parts;
  return count === 0 ? [] : [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

/** `{_0: first, _1: second}`. */
function numbered(parts: readonly string[]): Value {
  return newMap(parts.map((text, index) => [`_${index}`, text]));
}
