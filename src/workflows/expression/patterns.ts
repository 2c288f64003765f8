import { compileRegex, PatternError } from '../../text/regex.ts';
import { searchWithin } from '../../text/regex-budget.ts';
import { OverTimeError } from '../../text/watchdog.ts';
import { ExpressionError } from './errors.ts';

/** Time that one function or operator may search with a pattern, in milliseconds of processor time. */
const PATTERN_BUDGET_MS = 100;

/** Whether an RE2 pattern is found in a text. @throws ExpressionError for a bad pattern, or one that takes too long */
export function matches(text: string, pattern: string): boolean {
  return searched(pattern, '', text, (regex) => regex.test(text));
}

/**
 * What a search in a text comes to. RE2 takes linear time for every pattern; the engine here does not.
 *
 * @param flags `g` for all matches
 * @throws ExpressionError for a bad pattern, or one that takes too long
 */
export function searched<T>(pattern: string, flags: '' | 'g', text: string, search: (regex: RegExp) => T): T {
  try {
    const compiled = compileRegex(pattern);
    const regex = flags === '' ? compiled : new RegExp(compiled, compiled.flags + flags);
    return searchWithin(regex, text, { leftMs: PATTERN_BUDGET_MS }, () => search(regex));
  } catch (cause) {
    const tooSlow = `the pattern ${JSON.stringify(pattern)} takes more than ${PATTERN_BUDGET_MS} ms; simplify it`;
    if (cause instanceof OverTimeError) throw new ExpressionError(tooSlow, undefined, undefined, { cause });
    if (!(cause instanceof PatternError)) throw cause;
    throw new ExpressionError(cause.message, undefined, undefined, { cause });
  }
}
