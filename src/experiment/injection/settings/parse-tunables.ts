import type { Random } from '@turnsole/kube/base/clock';
import type { Environment } from '@turnsole/kube/text/environment';
import { splitList } from '@turnsole/kube/text/split-list';
import type { AnyTunableValue, NumberTunable, Tunable, TunableSchema, Tunables } from '../tunables.ts';
import { describeForm } from './describe-tunable.ts';
import { parseDuration } from './duration.ts';

/** One setting that cannot be used: which variable, what stands there, what would be accepted. */
export interface TunableProblem {
  readonly variable: string;
  readonly found: string;
  readonly expected: string;
}

/** Every value (the default for a faulty one), and every problem. */
interface ParsedTunables<S extends TunableSchema> {
  readonly values: Tunables<S>;
  readonly problems: readonly TunableProblem[];
}

type Parsed = { readonly value: AnyTunableValue } | undefined;

/**
 * Reads the settings of `schema` out of `env`. An absent or empty variable means its default.
 *
 * Unlike upstream, where an unreadable number silently becomes 0 and an unreadable boolean false, such values are
 * problems: nothing may be injected with settings that the user did not ask for.
 *
 * @param random draws the value of a `lo-hi` range, once
 */
export function parseTunables<S extends TunableSchema>(
  schema: S,
  env: Environment,
  random: Random = Math.random,
): ParsedTunables<S> {
  const values: Record<string, AnyTunableValue> = {};
  const problems: TunableProblem[] = [];
  for (const [variable, tunable] of Object.entries(schema)) {
    const found = (env[variable] ?? '').trim();
    const parsed = found === '' ? missing(tunable) : parseTunable(tunable, found, random);
    values[variable] = parsed === undefined ? tunable.default : parsed.value;
    if (parsed === undefined) problems.push({ variable, found, expected: describeForm(tunable) });
  }
  // The loop has put a value of each tunable's type under each key of the schema; TypeScript cannot follow that.
  return { values: values as Tunables<S>, problems };
}

/** A sentence for people: `CHAOS_INTERVAL is "ten"; expected a whole number of seconds from 0`. */
export function describeTunableProblem({ variable, found, expected }: TunableProblem): string {
  return found === ''
    ? `${variable} is not set; expected ${expected}`
    : `${variable} is ${JSON.stringify(found)}; expected ${expected}`;
}

/** The text that gives a value back when it is parsed again: how settings are handed on to helpers. */
export function formatTunable(tunable: Tunable, value: AnyTunableValue): string {
  if (value === undefined) return '';
  if (tunable.type === 'duration') return `${String(value)}ms`;
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function missing(tunable: Tunable): Parsed {
  return tunable.required === true ? undefined : { value: tunable.default };
}

function parseTunable(tunable: Tunable, found: string, random: Random): Parsed {
  switch (tunable.type) {
    case 'integer':
    case 'number':
      return parseNumber(tunable, found, random);
    case 'percentage':
      return parseNumber(
        { minimum: 0, maximum: 100, ...tunable, type: tunable.range === true ? 'integer' : 'number' },
        found.replace(/\s*%$/, ''),
        random,
      );
    case 'duration': {
      const value = parseDuration(found, tunable.unit);
      const { minimumMs = 0, maximumMs } = tunable;
      return value !== undefined && value >= minimumMs && value <= maximumMs ? { value } : undefined;
    }
    case 'boolean':
      return parseBoolean(found);
    case 'choice': {
      // In any case, as upstream does; given in the schema's spelling.
      const value = tunable.choices.find((choice) => choice.toLowerCase() === found.toLowerCase());
      return value === undefined ? undefined : { value };
    }
    case 'text':
      return matches(tunable.pattern, found) ? { value: found } : undefined;
    case 'list': {
      const value = splitList(found);
      return value.every((item) => matches(tunable.pattern, item)) ? { value } : undefined;
    }
    case 'map':
      return parseMap(found);
  }
}

function matches(pattern: string | undefined, text: string): boolean {
  return pattern === undefined || new RegExp(`^(?:${pattern})$`, 'su').test(text);
}

/** Keys of a map without braces go to the first colon, so that values may have some. */
function parseMap(text: string): Parsed {
  if (text.startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text);
      return isTextMap(value) ? { value } : undefined;
    } catch {
      return undefined;
    }
  }
  const pairs = splitList(text).map((item) => /^([^:]+):(.*)$/s.exec(item));
  if (pairs.some((pair) => pair === null)) return undefined;
  return {
    value: Object.fromEntries(pairs.map((pair) => [(pair?.[1] ?? '').trim(), (pair?.[2] ?? '').trim()])),
  };
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => typeof item === 'string')
  );
}

type NumberForm = Pick<NumberTunable, 'type' | 'minimum' | 'maximum' | 'range'>;

function parseNumber(form: NumberForm, found: string, random: Random): Parsed {
  const range = form.range === true ? /^(\d+)-(\d+)$/.exec(found) : null;
  if (range !== null) {
    const [low, high] = [Number(range[1]), Number(range[2])];
    const isUsable = low <= high && isWithin(form, low) && isWithin(form, high);
    return isUsable ? { value: drawInteger(low, high, random) } : undefined;
  }
  const pattern = form.type === 'integer' ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  const value = Number(found);
  return pattern.test(found) && Number.isFinite(value) && isWithin(form, value) ? { value } : undefined;
}

function isWithin({ minimum, maximum }: NumberForm, value: number): boolean {
  return value >= minimum && value <= maximum;
}

/** A whole number from `low` to `high`, both included. */
export function drawInteger(low: number, high: number, random: Random): number {
  return low + Math.floor(random() * (high - low + 1));
}

/** The words Go's strconv.ParseBool accepts, which is what charts and users rely on. */
function parseBoolean(found: string): Parsed {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(found)) return { value: true };
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(found)) return { value: false };
  return undefined;
}
