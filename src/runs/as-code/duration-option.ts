import { refusedSettings } from './errors.ts';
import { durationMs } from './settings/setting-form.ts';

/** Seven days, as for chaos itself. */
const MAX_MS = 168 * 3_600_000;

/**
 * Milliseconds of an option.
 *
 * @throws ChaosError when it is no time with a unit, above zero and at most seven days
 */
export function durationOption(field: string, value: string): number {
  const milliseconds = typeof value === 'string' ? durationMs(value) : undefined;
  if (milliseconds !== undefined && milliseconds > 0 && milliseconds <= MAX_MS) return milliseconds;
  const message = `expected a time with its unit, above zero and at most 168h, such as '90s', found ${JSON.stringify(value)}`;
  throw refusedSettings([{ field, message }]);
}
