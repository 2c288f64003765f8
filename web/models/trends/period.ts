/** A span of days of the reader, the last one included. */
export interface Period {
  /** `2026-11-24` */
  readonly from: string;
  readonly to: string;
}

/** The so many weeks that end today. Pure, apart from the reader's time zone. */
export function lastWeeks(weeks: number, nowMs: number): Period {
  const today = new Date(nowMs);
  const begin = new Date(today.getFullYear(), today.getMonth(), today.getDate() - weeks * 7 + 1);
  return { from: dayOf(begin), to: dayOf(today) };
}

function dayOf(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The begin of its first day and the end of its last, in milliseconds; undefined where these are no days in their order. Pure, apart from the zone. */
export function periodMs({
  from,
  to,
}: Period): { readonly fromMs: number; readonly toMs: number } | undefined {
  const fromMs = Date.parse(`${from}T00:00`);
  const last = new Date(`${to}T00:00`);
  last.setDate(last.getDate() + 1);
  const toMs = last.getTime();
  return fromMs < toMs ? { fromMs, toMs } : undefined;
}

/** One of some spans of equal length that make up a period. */
interface Column<Item> {
  readonly fromMs: number;
  readonly items: readonly Item[];
}

/** Most columns of a row: more have no room on a telephone. */
const MOST_COLUMNS = 13;
const WEEK_MS = 7 * 86_400_000;

/** Divides a period into weeks, or into spans of several weeks where it is long, each with what happened in it. Pure. */
export function columnsOf<Item>(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  items: readonly Item[],
  timeOf: (item: Item) => number,
): readonly Column<Item>[] {
  const weeks = Math.max(1, Math.ceil((toMs - fromMs) / WEEK_MS - 0.1));
  const length = WEEK_MS * Math.ceil(weeks / MOST_COLUMNS);
  const count = Math.max(1, Math.ceil((toMs - fromMs) / length - 0.1));
  return Array.from({ length: count }, (_, place) => {
    const begin = fromMs + place * length;
    // An hour more or less, where clocks were changed, belongs to the last one.
    const end = place === count - 1 ? Number.POSITIVE_INFINITY : begin + length;
    return {
      fromMs: begin,
      items: items.filter((item) => timeOf(item) >= begin && timeOf(item) < end),
    };
  });
}
