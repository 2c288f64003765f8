/** A time range in the form of the API: milliseconds since the epoch, in digits. */
interface DayRange {
  readonly startDate: string;
  readonly endDate?: string;
}

/** The first millisecond of a day of the reader, `2026-11-24`, as digits; empty for no day. Pure, apart from what zone the reader is in. */
export function startOf(day: string): string {
  return day === '' ? '' : String(new Date(`${day}T00:00`).getTime());
}

/** The last millisecond of a day of the reader, as digits; empty for no day. Pure, apart from what zone the reader is in. */
export function endOf(day: string): string {
  return day === '' ? '' : String(new Date(`${day}T23:59:59.999`).getTime());
}

/** From one day to another, both included; undefined if neither is given. Pure, apart from the reader's time zone. */
export function dayRange(from: string, to: string): DayRange | undefined {
  if (from === '' && to === '') return undefined;
  const endDate = endOf(to);
  return { startDate: startOf(from) || '0', ...(endDate !== '' && { endDate }) };
}
