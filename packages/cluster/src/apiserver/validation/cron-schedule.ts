/** What the API server says of a cron schedule that it cannot read, in the words of the library that a real one reads them with. */
import { MACROS, MONTHS, WEEKDAYS } from '@turnsole/kube/text/cron/schedule';

const FIELDS: readonly (readonly [min: number, max: number, names: readonly string[]])[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, MONTHS],
  [0, 6, WEEKDAYS],
];

/** The mistakes of a schedule; pure. */
export function scheduleMistakes(text: string): string[] {
  const mistakes = [syntaxMistake(text.replace(/^(?:CRON_)?TZ=\S*\s*/, ''))];
  if (text.includes('TZ')) mistakes.push('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  return mistakes.filter((mistake) => mistake !== undefined);
}

function syntaxMistake(text: string): string | undefined {
  if (text.startsWith('@'))
    return Object.hasOwn(MACROS, text) || text.startsWith('@every ')
      ? undefined
      : `unrecognized descriptor: ${text}`;
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of fields.entries()) {
    const [min = 0, max = 0, names = []] = FIELDS[index] ?? [];
    for (const part of field.split(',').filter((part) => part !== '')) {
      const mistake = partMistake(part, min, max, index < 3 ? undefined : { names, first: min });
      if (mistake !== undefined) return mistake;
    }
  }
  return undefined;
}

interface Names {
  readonly names: readonly string[];
  /** The number of the first one. */
  readonly first: number;
}

/** A number, a range, or either with a step. */
function partMistake(part: string, min: number, max: number, named: Names | undefined): string | undefined {
  const [range = '', step, ...moreSteps] = part.split('/');
  const [low = '', high, ...moreHighs] = range.split('-');
  let [start, end] = [min, max];
  if (low !== '*' && low !== '?') {
    const first = numberOf(low, named);
    if (typeof first === 'string') return first;
    [start, end] = [first, first];
    if (moreHighs.length > 0) return `too many hyphens: ${part}`;
    if (high !== undefined) {
      const last = numberOf(high, named);
      if (typeof last === 'string') return last;
      end = last;
    }
  }
  if (moreSteps.length > 0) return `too many slashes: ${part}`;
  const width = step === undefined ? 1 : numberOf(step, undefined);
  if (typeof width === 'string') return width;
  if (step !== undefined && high === undefined) end = max;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${part}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return width === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** The number, or what is wrong with it. */
function numberOf(text: string, named: Names | undefined): number | string {
  const index = named?.names.indexOf(text.toLowerCase()) ?? -1;
  if (index >= 0) return index + (named?.first ?? 0);
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
