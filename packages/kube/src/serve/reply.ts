/** An answer of a small server. */
export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  /** In pieces where it is large: each is made when the one before has been sent, and may use its memory again. */
  readonly body: string | Iterable<string | Uint8Array>;
}

/** An answer for people. */
export function textReply(status: number, body: string): HttpReply {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

/** An answer for programs. */
export function jsonReply(status: number, value: unknown): HttpReply {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}
