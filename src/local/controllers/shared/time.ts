/** Text of a metadata time: RFC 3339 in whole seconds, UTC, as the API serves it. */
export function formatTime(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch of an API time; `undefined` when absent or not a time. */
export function parseTime(text: string | undefined | null): number | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
