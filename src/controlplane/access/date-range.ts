import type { DateRange } from '../schema/generated/types.ts';
import { Refusal } from './refusal.ts';

/** Times of a range in milliseconds; open where none is given. @throws Refusal for a time that is no number */
export function dateRangeOf(range: DateRange | null | undefined): {
  readonly from?: number;
  readonly to?: number;
} {
  if (range === null || range === undefined) return {};
  const { startDate, endDate } = range;
  return { from: timeOf('startDate', startDate), ...(endDate ? { to: timeOf('endDate', endDate) } : {}) };
}

function timeOf(field: string, text: string): number {
  const time = text === '' ? 0 : Number(text);
  if (Number.isSafeInteger(time)) return time;
  throw new Refusal(
    'invalid',
    `unable to parse ${field} ${JSON.stringify(text)}: write milliseconds since 1970`,
    {
      fields: [`request.filter.dateRange.${field}`],
    },
  );
}
