/** How a strategic merge patch is blamed whose result does not fit its kind: in the words of Kubernetes' converter, and not of its decoder. */
import { isJson } from '../object.ts';

/** A value as Go prints a map of JSON: `map[spec:map[replicas:x]]`. Pure. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJson(value)) return String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((field) => `${field}:${goText(value[field])}`).join(' ')}]`;
}

const UNFIT = /^json: cannot unmarshal (\w+) into Go (?:struct field \S+|value) of type (\S+)/;
const SCALARS = /^(bool|string|u?int\d*|float\d+)$/;
/** What JSON's kinds are in Go. */
const KINDS: Readonly<Record<string, string>> = {
  object: 'map',
  array: 'slice',
  number: 'int64',
  bool: 'bool',
  string: 'string',
};

/** The converter's words for a mistake of the decoder; others stay as they are. Pure. */
export function converterWords(why: string): string {
  const [, found = '', type = ''] = UNFIT.exec(why) ?? [];
  if (type === '') return why;
  if (SCALARS.test(type)) return `unrecognized type: ${type}`;
  const given = KINDS[found] ?? found;
  if (type.startsWith('[]')) return `cannot restore slice from ${given}`;
  if (type.startsWith('map[')) return `cannot restore map from ${given}`;
  return `cannot restore struct from: ${given}`;
}
