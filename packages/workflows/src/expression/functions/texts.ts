import { ExpressionError } from '../errors.ts';
import { fromJsonData, int, printValue, toJson, type Value } from '../values.ts';
import { asInt, asList, asText, type FunctionTable, sizeOf, takes, textFunction } from './row.ts';

/** Built-in functions of expr for texts. Source: github.com/expr-lang/expr, docs/language-definition.md. */
export const TEXT_FUNCTIONS: FunctionTable = {
  trim: takes([1, 2], ([text, characters]) =>
    trimBoth(asText(text), characters === undefined ? undefined : asText(characters)),
  ),
  trimPrefix: takes([1, 2], ([text, prefix = ' ']) => withoutPrefix(asText(text), asText(prefix))),
  trimSuffix: takes([1, 2], ([text, suffix = ' ']) => withoutSuffix(asText(text), asText(suffix))),
  upper: textFunction(1, (text = '') => upperCase(text)),
  lower: textFunction(1, (text = '') => text.toLowerCase()),
  split: takes([2, 3], ([text, separator, count]) =>
    splitText(asText(text), asText(separator), count, false),
  ),
  splitAfter: takes([2, 3], ([text, separator, count]) =>
    splitText(asText(text), asText(separator), count, true),
  ),
  replace: {
    arity: [3, 4],
    size: ([text, old, by]) => {
      const length = asText(text).length;
      return length + ((length + 1) / Math.max(1, asText(old).length)) * asText(by).length;
    },
    run: ([text, old, by, count]) => replaceText(asText(text), asText(old), asText(by), count),
  },
  repeat: {
    arity: [2, 2],
    size: ([text, count]) => asText(text).length * Math.max(0, Number(asInt(count))),
    run: ([text, count]) => {
      const times = Number(asInt(count));
      if (times < 0)
        throw new ExpressionError(`invalid argument for repeat (expected positive integer, got ${times})`);
      return asText(text).repeat(times);
    },
  },
  join: {
    arity: [1, 2],
    size: ([list, glue = '']) => sizeOf(list ?? null) + asList(list).length * asText(glue).length,
    run: ([list, glue = '']) => asList(list).map(asText).join(asText(glue)),
  },
  indexOf: textFunction(2, (text = '', part = '') => byteIndex(text, text.indexOf(part))),
  lastIndexOf: textFunction(2, (text = '', part = '') => byteIndex(text, text.lastIndexOf(part))),
  hasPrefix: textFunction(2, (text = '', prefix = '') => text.startsWith(prefix)),
  hasSuffix: textFunction(2, (text = '', suffix = '') => text.endsWith(suffix)),
  toJSON: {
    arity: [1, 1],
    // Quotes, escapes and indentation of nested values.
    size: ([value]) => 8 * sizeOf(value ?? null),
    run: ([value = null]) => {
      const text = toJson(value, '  ');
      if (text === undefined) throw new ExpressionError('json: unsupported type or value');
      return text;
    },
  },
  fromJSON: textFunction(1, (text = '') => parseJson(text)),
  toBase64: textFunction(1, (text = '') => Buffer.from(text).toString('base64')),
  fromBase64: textFunction(1, (text = '') => {
    if (!/^[A-Za-z\d+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
      throw new ExpressionError('illegal base64 data');
    }
    return Buffer.from(text, 'base64').toString();
  }),
  string: {
    arity: [1, 1],
    size: ([value]) => 8 * sizeOf(value ?? null),
    run: ([value = null]) => printValue(value),
  },
};

/** JSON text as a value. @throws ExpressionError */
export function parseJson(text: string): Value {
  try {
    return fromJsonData(JSON.parse(text));
  } catch (cause) {
    throw new ExpressionError(`invalid JSON: ${(cause as Error).message}`, undefined, undefined, { cause });
  }
}

/** Character by character, as Go does: one that would become two, such as ß, stays. */
export function upperCase(text: string): string {
  return text.replace(/./gsu, (character) => {
    const upper = character.toUpperCase();
    return [...upper].length === 1 ? upper : character;
  });
}

/** Without blanks, or the given characters, at both ends. */
export function trimBoth(text: string, characters?: string): string {
  if (characters === undefined) return text.trim();
  const all = [...text];
  const drop = new Set(characters);
  const first = all.findIndex((one) => !drop.has(one));
  const last = all.findLastIndex((one) => !drop.has(one));
  return first < 0 ? '' : all.slice(first, last + 1).join('');
}

export function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

export function withoutSuffix(text: string, suffix: string): string {
  return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

/** As Go's strings.SplitN and SplitAfterN: at most `count` parts; below 0 all, 0 none. */
function splitText(
  text: string,
  separator: string,
  count: Value | undefined,
  keepsSeparator: boolean,
): Value {
  const most = count === undefined ? -1 : Number(asInt(count));
  if (most === 0) return [];
  const parts = separator === '' ? [...text] : text.split(separator);
  const glue = keepsSeparator ? separator : '';
  const all = parts.map((part, index) => (index < parts.length - 1 ? part + glue : part));
  if (most < 0 || all.length <= most) return all;
  return [...all.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function replaceText(text: string, old: string, by: string, count: Value | undefined): string {
  const most = count === undefined ? -1 : Number(asInt(count));
  if (most < 0) return text.replaceAll(old, () => by);
  let result = '';
  let rest = text;
  for (let done = 0; done < most; done++) {
    const at = rest.indexOf(old);
    if (at < 0) break;
    result += rest.slice(0, at) + by;
    rest = rest.slice(at + old.length);
  }
  return result + rest;
}

/** Go counts bytes of UTF-8. */
function byteIndex(text: string, index: number): bigint {
  return int(index < 0 ? -1 : Buffer.byteLength(text.slice(0, index)));
}
