/** An answer of a small server. */
export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** An answer for people. */
export function textReply(status: number, body: string): HttpReply {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

/** An answer for programs. */
export function jsonReply(status: number, value: unknown): HttpReply {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}
