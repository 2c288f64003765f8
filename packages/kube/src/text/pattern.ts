/**
 * Regular expressions that users write, as Go reads them (RE2), for texts of strangers: in comparators of probes, schemas of custom
 * resources, CEL, and expressions of workflows. The time of a search is bounded by pattern and text, whatever they are: the engine is a port
 * of RE2, which never goes back (docs/decisions/0040-patterns-by-re2js.md). JavaScript's own expressions are for patterns in our sources.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { messageOf } from './error-message.ts';
import { threadMs } from './watchdog.ts';

/** A pattern that cannot be used, or not on a text of this size; `message` says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** One place in which a pattern is found. */
export interface PatternMatch {
  readonly text: string;
  /** Where it begins, in UTF-16 units. */
  readonly index: number;
  /** What its groups have matched, from the first; undefined for one that has not taken part. */
  readonly groups: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string | undefined>>;
}

/** What searches may still cost. */
export interface PatternBudget {
  /** Instructions of a pattern × characters of a text, which is the worst that a search takes. */
  steps: number;
}

/** Longest pattern, in characters, and the most instructions that it may come to. */
const MAX_LENGTH = 20_000;
const MAX_SIZE = 20_000;
/** Characters of a pattern in a message. */
const MAX_SHOWN = 200;
/** About two seconds at worst; ordinary patterns take a thousandth of it. A pattern of 100 instructions may search a text of a megabyte. */
const MAX_STEPS = 100_000_000;
/** Processor time for all matches in a text: each may look to its end, so that all together are no longer linear. */
const ALL_MATCHES_MS = 1_000;
/** Comparators and expressions use few patterns, again and again. */
const MAX_KEPT = 32;

const kept = new Map<string, Pattern>();

/** A compiled pattern. */
export class Pattern {
  readonly source: string;
  readonly #compiled: RE2JS;
  readonly #size: number;

  private constructor(source: string) {
    this.source = source;
    this.#compiled = compile(source);
    this.#size = this.#compiled.programSize();
    if (this.#size > MAX_SIZE) throw refused(source, 'it is too large; repeat less in it');
  }

  /** @throws PatternError when Go would refuse the pattern, or it is too large */
  static read(source: string): Pattern {
    const pattern = kept.get(source) ?? new Pattern(source);
    // The one that was used last is kept longest.
    kept.delete(source);
    kept.set(source, pattern);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return pattern;
  }

  /** A pattern that is found where it matches the whole text. @throws PatternError as {@link Pattern.read} */
  static whole(source: string): Pattern {
    // Read alone first: `a)|(b` is a pattern only between parentheses.
    return Pattern.read(`\\A(?:${Pattern.read(source).source})\\z`);
  }

  /**
   * Whether it is found anywhere in a text.
   *
   * @param budget shared by several searches, which take their worst from it
   * @throws PatternError when pattern and text together are too large for the budget
   */
  isIn(text: string, budget: PatternBudget = { steps: MAX_STEPS }): boolean {
    this.#take(text, budget);
    return this.#compiled.test(text);
  }

  /** The first place. @throws PatternError when pattern and text together are too large */
  first(text: string): PatternMatch | undefined {
    return this.all(text, 1)[0];
  }

  /**
   * The first `most` places that do not overlap. As in Go, an empty one that touches the one before does not count.
   *
   * @throws PatternError when pattern and text together are too large, or the matches too many
   */
  all(text: string, most: number = Number.POSITIVE_INFINITY): PatternMatch[] {
    this.#take(text, { steps: MAX_STEPS });
    const matcher = this.#compiled.matcher(text);
    const found: PatternMatch[] = [];
    const deadlineMs = threadMs() + ALL_MATCHES_MS;
    let end = -1;
    while (found.length < most && matcher.find()) {
      const index = matcher.start();
      const isEmpty = matcher.end() === index;
      if (!(isEmpty && index === end)) found.push(matchOf(matcher));
      end = matcher.end();
      if (threadMs() > deadlineMs) throw tooLarge(this.source, text);
    }
    return found;
  }

  /** The text with all places replaced; see {@link all}. */
  replaceAll(text: string, by: (match: PatternMatch) => string): string {
    let from = 0;
    let result = '';
    for (const match of this.all(text)) {
      result += text.slice(from, match.index) + by(match);
      from = match.index + match.text.length;
    }
    return result + text.slice(from);
  }

  #take(text: string, budget: PatternBudget): void {
    budget.steps -= this.#size * (text.length + 1);
    if (budget.steps < 0) throw tooLarge(this.source, text);
  }
}

function matchOf(matcher: ReturnType<RE2JS['matcher']>): PatternMatch {
  const groups = Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1) ?? undefined);
  const named = Object.entries(matcher.getNamedGroups()).map(([name, text]) => [name, text ?? undefined]);
  return {
    text: matcher.group() ?? '',
    index: matcher.start(),
    groups,
    named: Object.fromEntries(named) as Record<string, string | undefined>,
  };
}

/** What RE2 has not, by how it looks. */
const MISSING: readonly [looks: RegExp, name: string][] = [
  [/\(\?<?[=!]/, 'look-around such as (?=…)'],
  [/\\[1-9]|\(\?P=|\\k</, 'back references such as \\1'],
  [/\(\?>|[*+?}]\+/, 'possessive repetitions such as a++'],
];

function compile(source: string): RE2JS {
  if (source.length > MAX_LENGTH) {
    throw refused(source, `it is longer than ${MAX_LENGTH} characters`);
  }
  try {
    return engine().compile(source);
  } catch (cause) {
    const missing = MISSING.find(([looks]) => looks.test(source))?.[1];
    const hint = missing === undefined ? '' : `; RE2, the syntax of Go, has no ${missing}`;
    throw refused(source, `${messageOf(cause).replace(/^error parsing regexp: /, '')}${hint}`, { cause });
  }
}

function refused(source: string, problem: string, options?: ErrorOptions): PatternError {
  return new PatternError(`pattern ${shown(source)} does not compile: ${problem}`, options);
}

function tooLarge(source: string, text: string): PatternError {
  return new PatternError(
    `pattern ${shown(source)} on a text of ${text.length} characters takes too many steps; shorten one of them`,
  );
}

function shown(source: string): string {
  return JSON.stringify(source.length <= MAX_SHOWN ? source : `${source.slice(0, MAX_SHOWN)}…`);
}

let loaded: typeof RE2JS | undefined;

/** Loaded with the first pattern: pods that use none start without it. */
function engine(): typeof RE2JS {
  if (loaded === undefined) {
    const { RE2JS: Engine }: typeof import('re2js') = createRequire(import.meta.url)('re2js');
    loaded = Engine;
  }
  return loaded;
}
