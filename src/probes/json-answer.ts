/** Reading JSON that a server sent, whatever it really is. All pure. */

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a text holds, or undefined when it holds none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The beginning of an answer, for messages. */
export function shownHead(body: string): string {
  return body.length > 200 ? `${body.slice(0, 200)}…` : body;
}
