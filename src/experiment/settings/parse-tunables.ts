import type { Random } from '../../kube/runtime/clock.ts';
import type { Tunable, TunableSchema, Tunables } from '../tunables.ts';

/** The environment of a process or of a container to be. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting that cannot be used: which variable, what stands there, what would be accepted. */
export interface TunableProblem {
  readonly variable: string;
  readonly found: string;
  readonly expected: string;
}

/** Every value (the default where there is a problem), and every problem. */
export interface ParsedTunables<S extends TunableSchema> {
  readonly values: Tunables<S>;
  readonly problems: readonly TunableProblem[];
}

type Value = number | boolean | string | readonly string[];
type Parsed = { readonly value: Value } | { readonly expected: string };

/**
 * Reads the settings of `schema` out of `env`. An absent or empty variable means its default.
 *
 * Unlike upstream, where an unreadable number silently becomes 0 and an unreadable boolean false, such values are
 * problems: nothing may be injected with settings nobody asked for.
 *
 * @param random draws the value of a `lo-hi` range, once
 */
export function parseTunables<S extends TunableSchema>(
  schema: S,
  env: Environment,
  random: Random = Math.random,
): ParsedTunables<S> {
  const values: Record<string, Value> = {};
  const problems: TunableProblem[] = [];
  for (const [variable, tunable] of Object.entries(schema)) {
    const found = (env[variable] ?? '').trim();
    const parsed: Parsed = found === '' ? { value: tunable.default } : parseTunable(tunable, found, random);
    if ('value' in parsed) {
      values[variable] = parsed.value;
    } else {
      values[variable] = tunable.default;
      problems.push({ variable, found, expected: parsed.expected });
    }
  }
  // The loop has put a value of each tunable's type under each key of the schema; TypeScript cannot follow that.
  return { values: values as Tunables<S>, problems };
}

/** A sentence for people: `CHAOS_INTERVAL is "ten"; expected a whole number of seconds from 0`. */
export function describeTunableProblem(problem: TunableProblem): string {
  return `${problem.variable} is ${JSON.stringify(problem.found)}; expected ${problem.expected}`;
}

function parseTunable(tunable: Tunable, found: string, random: Random): Parsed {
  switch (tunable.type) {
    case 'integer':
    case 'number':
      return parseNumber(tunable, found, random);
    case 'boolean':
      return parseBoolean(found);
    case 'choice':
      return parseChoice(tunable.choices, found);
    case 'text':
      return tunable.pattern === undefined || new RegExp(tunable.pattern, 'u').test(found)
        ? { value: found }
        : { expected: `text that matches ${tunable.pattern}` };
    case 'list':
      return { value: parseList(found) };
  }
}

/** Items of a comma-separated list, trimmed, without empty ones. */
function parseList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

type NumberTunable = Extract<Tunable, { type: 'integer' | 'number' }>;

function parseNumber(tunable: NumberTunable, found: string, random: Random): Parsed {
  const expected = describeNumber(tunable);
  const range = tunable.range === true ? /^(\d+)-(\d+)$/.exec(found) : null;
  if (range !== null) {
    const [low, high] = [Number(range[1]), Number(range[2])];
    return low <= high && isWithin(tunable, low) && isWithin(tunable, high)
      ? { value: drawInteger(low, high, random) }
      : { expected };
  }
  const pattern = tunable.type === 'integer' ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  const value = Number(found);
  return pattern.test(found) && Number.isFinite(value) && isWithin(tunable, value) ? { value } : { expected };
}

function isWithin(tunable: NumberTunable, value: number): boolean {
  return value >= (tunable.minimum ?? -Infinity) && value <= (tunable.maximum ?? Infinity);
}

/** A whole number from `low` to `high`, both included. */
export function drawInteger(low: number, high: number, random: Random): number {
  return low + Math.floor(random() * (high - low + 1));
}

function describeNumber(tunable: NumberTunable): string {
  const words = [tunable.type === 'integer' ? 'a whole number' : 'a number'];
  if (tunable.unit !== undefined) words.push(`of ${tunable.unit}`);
  if (tunable.minimum !== undefined) words.push(`from ${tunable.minimum}`);
  if (tunable.maximum !== undefined) words.push(`to ${tunable.maximum}`);
  if (tunable.range === true) words.push('or a range low-high');
  return words.join(' ');
}

/** The words Go's strconv.ParseBool accepts, which is what charts and users rely on. */
function parseBoolean(found: string): Parsed {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(found)) return { value: true };
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(found)) return { value: false };
  return { expected: 'true or false' };
}

/** Choices are matched in any case, as upstream does, and given in the schema's spelling. */
function parseChoice(choices: readonly string[], found: string): Parsed {
  const match = choices.find((choice) => choice.toLowerCase() === found.toLowerCase());
  return match === undefined ? { expected: `one of ${choices.join(', ')}` } : { value: match };
}
