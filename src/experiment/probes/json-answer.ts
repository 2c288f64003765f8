/** The beginning of an answer, for messages. */
export function shownHead(body: string): string {
  return body.length > 200 ? `${body.slice(0, 200)}…` : body;
}
