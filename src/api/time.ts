/** The text of a meta/v1 Time: RFC 3339 in whole seconds, which is all it has. */
export function metaTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
