/** What a collector makes of a trace. */
export type Answer =
  | { readonly kind: 'taken' }
  /** The collector will not take this trace, however often it is sent. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The collector may take the trace at a later try. */
  | { readonly kind: 'later'; readonly why: string; readonly afterMs?: number };

/** Hands a request to a collector once. Never rejects, but when the signal fires. */
export type Transmit = (request: Uint8Array, signal: AbortSignal) => Promise<Answer>;

/** Statuses of HTTP after which OTLP lets a client try again. */
const LATER: readonly number[] = [429, 502, 503, 504];
/** So much of a collector's answer is logged. */
const LONGEST_TEXT = 200;

/** What an answer by HTTP means. Pure. */
export function answerOfHttp(status: number, retryAfter: string | undefined, body: string): Answer {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  const said = body.trim().slice(0, LONGEST_TEXT);
  const why = `the collector answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (!LATER.includes(status)) return { kind: 'refused', why };
  const seconds = Number(retryAfter);
  const isKnown = retryAfter !== undefined && Number.isFinite(seconds) && seconds >= 0;
  return { kind: 'later', why, ...(isKnown ? { afterMs: seconds * 1000 } : {}) };
}

/** Codes of gRPC after which OTLP lets a client try again: what was cancelled, late, aborted, out of range, away or lost. */
const LATER_CODES: readonly number[] = [1, 4, 10, 11, 14, 15];

/**
 * What an answer by gRPC means. Pure.
 *
 * @param httpStatus of the stream: proxies in between may not know gRPC
 * @param code `grpc-status`, from headers or trailers
 * @param message `grpc-message`, with percent signs
 */
export function answerOfGrpc(
  httpStatus: number | undefined,
  code: string | undefined,
  message: string | undefined,
): Answer {
  if (code === undefined && (httpStatus === undefined || httpStatus === 200))
    return { kind: 'later', why: 'the collector ended the request without an answer' };
  if (code === undefined) return answerOfHttp(httpStatus ?? 0, undefined, 'this is no answer of gRPC');
  if (code === '0') return { kind: 'taken' };
  const why = `the collector answered gRPC code ${code}${message === undefined ? '' : `: ${decoded(message).slice(0, LONGEST_TEXT)}`}`;
  return LATER_CODES.includes(Number(code)) ? { kind: 'later', why } : { kind: 'refused', why };
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
