import { Pattern, PatternError } from '@turnsole/kube/text/pattern';
import { ExpressionError } from './errors.ts';

/** Whether a pattern is found in a text. @throws ExpressionError as {@link searched} */
export function matches(text: string, pattern: string): boolean {
  return searched(pattern, (read) => read.isIn(text));
}

/**
 * What a search with a pattern comes to.
 *
 * @throws ExpressionError for a pattern that Go would refuse, or that is too large for the text
 */
export function searched<T>(pattern: string, search: (pattern: Pattern) => T): T {
  try {
    return search(Pattern.read(pattern));
  } catch (cause) {
    if (!(cause instanceof PatternError)) throw cause;
    throw new ExpressionError(cause.message, undefined, undefined, { cause });
  }
}
