import { isObject } from '@turnsole/kube/text/json';
import { jsonProblem } from '@turnsole/kube/text/json-problem';
import { loopFields } from './loop.ts';
import type { Item, Sequence, WorkflowStep } from './template.ts';

/** A step says wrongly what its loop runs over; the status of its node shows `message`. */
export class LoopError extends Error {
  override readonly name = 'LoopError';
}

/** More elements than these are a mistake in the manifest: no status holds their nodes. */
const MOST_ELEMENTS = 100_000;

/** The elements of a step's loop; undefined for a step without one. Pure. @throws LoopError */
export function itemsOf(step: WorkflowStep): readonly Item[] | undefined {
  const { withItems = [], withParam = '', withSequence = {} } = step;
  switch (loopFields(step)[0]) {
    case 'withItems':
      return withItems;
    case 'withParam':
      return readParam(withParam);
    case 'withSequence':
      return sequence(withSequence);
    case undefined:
      return undefined;
  }
}

function readParam(text: string): readonly Item[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new LoopError(`withParam value could not be parsed as a JSON list: ${text}: ${jsonProblem(text)}`, {
      cause,
    });
  }
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  throw new LoopError(
    `withParam value could not be parsed as a JSON list: ${text}: json: cannot unmarshal ${goKind(value)} into Go value of type []v1alpha1.Item`,
  );
}

function goKind(value: unknown): string {
  return isObject(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
}

/** @throws LoopError */
function sequence({ count, start, end, format }: Sequence): string[] {
  const first = start === undefined ? 0 : integer(start, 'start');
  if (count === undefined && end === undefined)
    throw new LoopError('neither end nor count was specified in withSequence');
  const length = count === undefined ? undefined : integer(count, 'count');
  const last = length === undefined ? integer(end ?? 0, 'end') : first + length - 1;
  if (length !== undefined && length <= 0) return [];
  const step = first <= last ? 1 : -1;
  const total = Math.abs(last - first) + 1;
  if (total > MOST_ELEMENTS)
    throw new LoopError(`withSequence has ${total} elements; at most ${MOST_ELEMENTS} are run`);
  return Array.from({ length: total }, (_, index) => formatted(first + index * step, format));
}

function integer(value: number | string, field: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && String(value).trim() !== '') return number;
  throw new LoopError(`withSequence.${field} must be an integer, but is ${JSON.stringify(value)}`);
}

/** printf with one integer: `testuser%02X`. */
function formatted(value: number, format: string | undefined): string {
  if (format === undefined || format === '') return String(value);
  return format.replaceAll(
    /%(%|([-+ 0#]*)(\d*)([dxXob]))/g,
    (_whole, what, flags = '', width = '', verb = 'd') => {
      if (what === '%') return '%';
      const digits = Math.abs(value).toString({ d: 10, x: 16, X: 16, o: 8, b: 2 }[verb as string] ?? 10);
      const text = verb === 'X' ? digits.toUpperCase() : digits;
      const sign = value < 0 ? '-' : flags.includes('+') ? '+' : '';
      const missing = Number(width) - text.length - sign.length;
      if (missing <= 0) return sign + text;
      if (flags.includes('-')) return sign + text + ' '.repeat(missing);
      return flags.includes('0') ? sign + '0'.repeat(missing) + text : ' '.repeat(missing) + sign + text;
    },
  );
}

/** What `item` and the tags below it stand for in an element of a loop. Pure. */
export function itemNames(item: Item): Map<string, string> {
  const names = new Map([['item', textOfItem(item)]]);
  if (isObject(item))
    for (const [key, value] of Object.entries(item)) names.set(`item.${key}`, textOfItem(value));
  return names;
}

function textOfItem(item: Item): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

/** The name of one element of a loop: `a(0:x)`. Characters stay as JSON writes them. Pure. */
export function elementName(step: string, index: number, item: Item): string {
  return `${step}(${index}:${shown(item).replaceAll(/[()]/g, '')})`;
}

/** Within a list, texts are plain and maps are JSON. */
function listed(item: Item): string {
  return isObject(item) ? JSON.stringify(item) : shown(item);
}

function shown(item: Item): string {
  if (typeof item === 'string') return JSON.stringify(item).slice(1, -1);
  if (item === null) return '[]';
  if (Array.isArray(item)) return `[${item.map(listed).join(' ')}]`;
  if (!isObject(item)) return String(item);
  return Object.entries(item)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}:${typeof value === 'string' ? shown(value) : JSON.stringify(value)}`)
    .join(',');
}
