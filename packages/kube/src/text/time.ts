/** The text of a meta/v1 Time: RFC 3339 in whole seconds, which is all it has. */
export function metaTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** The text of a meta/v1 MicroTime: six digits of a second, and the API server refuses other numbers of them. */
export function metaMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

/** Milliseconds since the epoch of an object's time; undefined when it is absent or no time. */
export function parseTime(text: string | undefined | null): number | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
