/** The exact time in a zone: `24 Nov 2026, 18:45:11 UTC`. Pure, apart from the reader's time zone. */
export function exactWords(ms: number, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    timeZone,
  });
  return Number.isFinite(ms) ? parts.format(ms) : 'at an unknown time';
}

/** The day in a zone: `24 Nov 2026`. */
export function dayWords(ms: number, timeZone?: string): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  return Number.isFinite(ms)
    ? new Intl.DateTimeFormat('en-GB', { ...day, timeZone }).format(ms)
    : 'an unknown day';
}

/** The day of the week, the day and the minute in a zone: `Tue 24 Nov, 18:45`. Pure. */
export function hourWords(ms: number, timeZone?: string): string {
  const hour = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  return Number.isFinite(ms)
    ? new Intl.DateTimeFormat('en-GB', { ...hour, timeZone }).format(ms)
    : 'at an unknown time';
}

/** The day of the week and the minute in a zone, with both named: `Tue, 24 Nov 2026, 18:45 UTC`. Pure. */
export function minuteWords(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short', timeZone },
  });
  return Number.isFinite(ms) ? parts.format(ms) : 'at an unknown time';
}

/** The time of day in a zone: `18:45:11`. Pure, apart from the reader's time zone. */
export function clockWords(ms: number, timeZone?: string): string {
  return Number.isFinite(ms)
    ? new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone }).format(ms)
    : 'an unknown time';
}
