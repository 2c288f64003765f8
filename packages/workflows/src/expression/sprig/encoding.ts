import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { PatternMatch } from '@turnsole/kube/text/pattern';
import { ExpressionError } from '../errors.ts';
import {
  asInt,
  asMap,
  asText,
  type FunctionContext,
  type FunctionRow,
  type FunctionTable,
  sizeOf,
  takes,
  textFunction,
} from '../functions/row.ts';
import { parseJson } from '../functions/texts.ts';
import { matches, searched } from '../patterns.ts';
import { entryOf, newMap, toJson, type Value } from '../values.ts';
import { toText } from './convert.ts';

/** Functions of encodings, digests, patterns, paths and URLs. Source: masterminds.github.io/sprig. */
export const ENCODING: FunctionTable = {
  b64enc: textFunction(1, (text = '') => Buffer.from(text).toString('base64')),
  b64dec: textFunction(1, (text = '') => Buffer.from(text, 'base64').toString()),
  b32enc: textFunction(1, (text = '') => toBase32(Buffer.from(text))),
  b32dec: textFunction(1, (text = '') => fromBase32(text).toString()),
  fromJson: textFunction(1, (text = '') => jsonOrNil(text)),
  mustFromJson: textFunction(1, (text = '') => parseJson(text)),
  toJson: json((value) => toJson(value)),
  mustToJson: json((value) => toJson(value)),
  toPrettyJson: json((value) => toJson(value, '  ')),
  mustToPrettyJson: json((value) => toJson(value, '  ')),
  toRawJson: json((value) => withoutEscapes(toJson(value))),
  mustToRawJson: json((value) => withoutEscapes(toJson(value))),
  sha1sum: digest('sha1'),
  sha256sum: digest('sha256'),
  sha512sum: digest('sha512'),
  adler32sum: textFunction(1, (text = '') => String(adler32(Buffer.from(text)))),
  uuidv4: takes(0, (_, context) => drawUuid(context)),
  regexMatch: patternFunction(2, ([pattern = '', text = '']) => matches(text, pattern)),
  regexFind: patternFunction(2, ([pattern = '', text = '']) =>
    searched(pattern, (read) => read.first(text)?.text ?? ''),
  ),
  regexFindAll: patternFunction(3, ([pattern = '', text = ''], count) => {
    const most = count < 0 ? undefined : count;
    return searched(pattern, (read) => read.all(text, most).map((match) => match.text));
  }),
  regexReplaceAll: {
    arity: [3, 3],
    size: replacedSize,
    run: ([pattern, text, by]) => replaced(asText(pattern), asText(text), goReplacement(asText(by))),
  },
  regexReplaceAllLiteral: {
    arity: [3, 3],
    size: replacedSize,
    run: ([pattern, text, by]) => replaced(asText(pattern), asText(text), () => asText(by)),
  },
  regexSplit: patternFunction(3, ([pattern = '', text = ''], count) => splitByPattern(pattern, text, count)),
  regexQuoteMeta: textFunction(1, (text = '') => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
  base: textFunction(1, (path = '') => (path === '' ? '.' : /^\/+$/.test(path) ? '/' : posix.basename(path))),
  dir: textFunction(1, (path = '') => clean(path.slice(0, path.lastIndexOf('/') + 1))),
  clean: textFunction(1, (path = '') => clean(path)),
  ext: textFunction(1, (path = '') => /\.[^./]*$/.exec(path)?.[0] ?? ''),
  isAbs: textFunction(1, (path = '') => path.startsWith('/')),
  urlParse: textFunction(1, (text = '') => parsedUrl(text)),
  urlJoin: takes(1, ([parts]) => joinedUrl(asMap(parts))),
};

function json(write: (value: Value) => string | undefined): FunctionRow {
  return {
    arity: [1, 1],
    size: ([value = null]) => 8 * sizeOf(value),
    run: ([value = null]) => write(value) ?? '',
  };
}

function jsonOrNil(text: string): Value {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function withoutEscapes(text: string | undefined): string | undefined {
  return text
    ?.replace(/\\u003c/g, '<')
    .replace(/\\u003e/g, '>')
    .replace(/\\u0026/g, '&');
}

function digest(algorithm: string): FunctionRow {
  return textFunction(1, (text = '') => createHash(algorithm).update(text).digest('hex'));
}

function adler32(bytes: Buffer): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{1,5}/g) ?? []).map(
    (group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)],
  );
  return letters.join('').padEnd(Math.ceil(letters.length / 8) * 8, '=');
}

function fromBase32(text: string): Buffer {
  const letters = [...text.replace(/=+$/, '')];
  const values = letters.map((letter) => BASE32.indexOf(letter));
  if (values.includes(-1)) throw new ExpressionError('illegal base32 data');
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((group) => Number.parseInt(group, 2)));
}

/** Version 4, from the random source that is passed in. */
function drawUuid({ random }: FunctionContext): string {
  const bytes = Buffer.from(Array.from({ length: 16 }, () => Math.floor(random() * 256)));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A function with a pattern first; the last of three arguments is a count. Both forms of the name are errors for a bad pattern. */
function patternFunction(count: 2 | 3, run: (texts: string[], count: number) => Value): FunctionRow {
  return takes(count, ([pattern, text, most]) =>
    run([asText(pattern), asText(text)], most === undefined ? -1 : Number(asInt(most))),
  );
}

function replaced(pattern: string, text: string, by: (match: PatternMatch) => string): string {
  return searched(pattern, (read) => read.replaceAll(text, by));
}

function replacedSize([, text, by]: readonly Value[]): number {
  return (asText(text).length + 1) * (1 + asText(by).length);
}

/** `$1`, `${1}` and `${name}` stand for groups; a name reaches as far as letters, digits and `_` do. */
function goReplacement(by: string): (match: PatternMatch) => string {
  return ({ text, groups, named }) =>
    by.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (token, braced, bare) => {
      if (token === '$$') return '$';
      const name: string = braced ?? bare;
      if (name === '0') return text;
      const group = /^\d+$/.test(name) ? groups[Number(name) - 1] : named[name];
      return group ?? '';
    });
}

function splitByPattern(pattern: string, text: string, count: number): Value {
  if (count === 0) return [];
  const parts: string[] = [];
  let from = 0;
  for (const match of searched(pattern, (read) => read.all(text))) {
    if (count > 0 && parts.length === count - 1) break;
    if (match.text === '' && (match.index === 0 || match.index === text.length)) continue;
    parts.push(text.slice(from, match.index));
    from = match.index + match.text.length;
  }
  return [...parts, text.slice(from)];
}

function clean(path: string): string {
  const normal = posix.normalize(path === '' ? '.' : path);
  return normal.length > 1 ? normal.replace(/\/$/, '') : normal;
}

function parsedUrl(text: string): Value {
  const [, scheme = '', authority, path = '', query = '', fragment = ''] =
    /^(?:([a-zA-Z][a-zA-Z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  const at = authority?.lastIndexOf('@') ?? -1;
  const host = (authority ?? '').slice(at + 1);
  const isOpaque = scheme !== '' && authority === undefined && !path.startsWith('/');
  return newMap([
    ['fragment', fragment],
    ['host', host],
    ['hostname', host.replace(/:\d*$/, '')],
    ['opaque', isOpaque ? path : ''],
    ['path', isOpaque ? '' : path],
    ['query', query],
    ['scheme', scheme.toLowerCase()],
    ['userinfo', at < 0 ? '' : (authority ?? '').slice(0, at)],
  ]);
}

function joinedUrl(parts: ReturnType<typeof asMap>): string {
  const part = (name: string): string => toText(entryOf(parts, name) ?? '');
  const scheme = part('scheme') === '' ? '' : `${part('scheme')}:`;
  if (part('opaque') !== '') return `${scheme}${part('opaque')}`;
  const userinfo = part('userinfo') === '' ? '' : `${part('userinfo')}@`;
  const host = part('host') === '' && userinfo === '' ? '' : `//${userinfo}${part('host')}`;
  const path =
    part('path') !== '' && host !== '' && !part('path').startsWith('/') ? `/${part('path')}` : part('path');
  const query = part('query') === '' ? '' : `?${part('query')}`;
  const fragment = part('fragment') === '' ? '' : `#${part('fragment')}`;
  return `${scheme}${host}${path}${query}${fragment}`;
}
