/**
 * Requests and answers apart from any socket, so that the whole server can be called in process.
 * `listen.ts` connects them to Node's HTTP servers.
 */
import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

export interface ApiRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The whole body; may be empty. */
  readonly body: Buffer;
  /** The client's certificate, of which the client has proven to hold the key; its issuer is not checked yet. */
  readonly certificate?: X509Certificate | undefined;
  /** Calls back once when the answer is over or the client has gone. */
  readonly onGone?: (listener: () => void) => void;
}

/** Where a streamed answer goes. */
export interface StreamSink {
  /** Queues bytes; several writes of one tick leave together. */
  write(bytes: Buffer): void;
  /** Bytes that the receiver has not taken yet. */
  readonly pendingBytes: number;
  /** Resolves when the receiver has taken most of what was written, or is gone. */
  drained(): Promise<void>;
  end(): void;
  /** Breaks the connection; what was not taken yet is dropped. */
  abort(): void;
  /** Called once when the receiver is gone or the stream was ended. */
  onClose(listener: () => void): void;
}

export interface ApiReply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Absent for streams. Several buffers are sent one after the other. */
  readonly body?: readonly Buffer[];
  /** Called once after the headers were sent. */
  readonly stream?: (sink: StreamSink) => void;
}

export const JSON_TYPE = 'application/json';

/** An answer with a JSON body that is serialised already. */
export function jsonReply(
  status: number,
  body: readonly Buffer[],
  headers: OutgoingHttpHeaders = {},
): ApiReply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}

/** An answer with a value as JSON. */
export function valueReply(status: number, value: unknown, headers: OutgoingHttpHeaders = {}): ApiReply {
  return jsonReply(status, [Buffer.from(JSON.stringify(value))], headers);
}

export function textReply(status: number, text: string): ApiReply {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: [Buffer.from(text)],
  };
}
