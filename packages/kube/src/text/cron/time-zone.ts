/** Formats are dear to make and cheap to use. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether a text names a time zone of the IANA database. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** By how much wall clocks of a zone are ahead of UTC at a time. @param timeZone undefined: UTC */
export function offsetMs(timeMs: number, timeZone: string | undefined): number {
  if (timeZone === undefined || timeZone === '' || timeZone === 'UTC') return 0;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(timeMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  return wall - Math.floor(timeMs / 1000) * 1000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}
