/** Gives the time as the API writes it: RFC 3339, UTC, whole seconds. */
export function formatTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
