/**
 * Regular expressions of strangers, with a limit of time. Go's engine takes linear time for any pattern; JavaScript's may
 * try every way to split a text, so `^(a+)+$` would keep a server busy for years. A pattern that cannot do harm on a text
 * of this length runs as it is; any other one runs under V8's watchdog, which costs a tenth of a millisecond.
 */
import { OverTimeError, runWithin, threadMs } from './watchdog.ts';

/** Steps that take about ten milliseconds at worst. */
const HARMLESS_STEPS = 1_000_000;

/** Processor time that is left for a number of texts, in milliseconds. */
export interface RegexBudget {
  leftMs: number;
}

/** Whether the pattern is found in the text; undefined when the budget is used up. */
export function testWithin(regex: RegExp, text: string, budget: RegexBudget): boolean | undefined {
  try {
    return searchWithin(regex, text, budget, () => regex.test(text));
  } catch (error) {
    if (error instanceof OverTimeError) return undefined;
    throw error;
  }
}

/**
 * Does something with a pattern and a text, all matches of a pattern with the flag `g` included. It may begin anew, so it must not change
 * anything.
 *
 * @throws OverTimeError when the budget is used up
 */
export function searchWithin<T>(regex: RegExp, text: string, budget: RegexBudget, search: () => T): T {
  const exponent = ambiguity(regex.source) + (regex.global ? 1 : 0);
  if (text.length ** exponent <= HARMLESS_STEPS) return search();
  const timeout = Math.floor(budget.leftMs);
  if (timeout < 1) throw new OverTimeError('no time is left');
  const startedAt = threadMs();
  try {
    return runWithin(timeout, search);
  } finally {
    budget.leftMs -= threadMs() - startedAt;
  }
}

/**
 * The exponent of the worst time a pattern may take, guessed from above: each repetition may try all lengths; infinite
 * where a repetition repeats something that can itself be split in several ways.
 */
export function ambiguity(source: string): number {
  let repetitions = 0;
  /** For each open group: whether it holds a repetition or a choice. */
  const groups = [false];
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '[') at = endOfClass(source, at);
    else if (character === '(') groups.push(false);
    else if (character === '|') groups[groups.length - 1] = true;
    else if (character === ')') {
      const holds = groups.pop() === true;
      if (holds && /^[*+{]/.test(source.slice(at + 1))) return Number.POSITIVE_INFINITY;
      if (holds) groups[groups.length - 1] = true;
    } else if (
      character === '*' ||
      character === '+' ||
      character === '{' ||
      (character === '?' && source[at - 1] !== '(')
    ) {
      groups[groups.length - 1] = true;
      if (character !== '?') repetitions += 1;
    }
  }
  return repetitions + 1;
}

function endOfClass(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at;
}
