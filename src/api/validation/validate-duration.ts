import { type FieldError, invalid } from '@turnsole/kube/schema/field-error';
import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import { type Path, textOf } from './input-parts.ts';

/** Seven days, as for chaos itself. */
const MAX_DURATION_MS = 7 * 24 * 3_600_000;

/** A duration text from zero to seven days; absent and blank are right. */
export function validateDuration(text: string | undefined, path: Path): FieldError[] {
  if (text === undefined) return [];
  try {
    const milliseconds = parseDuration(textOf(text));
    if (milliseconds < 0) return [invalid(path, text, 'must not be negative')];
    return milliseconds > MAX_DURATION_MS ? [invalid(path, text, 'must be at most 168h (seven days)')] : [];
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return [invalid(path, text, error.expectation)];
  }
}
