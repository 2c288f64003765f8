/**
 * One HTTP request as a probe makes it: a connection of its own each time (so that every attempt tests connecting, and a
 * service spreads attempts over its pods), redirects followed as Go's client follows them, and nothing left open.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Clock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { MeasureContext } from './probe-kind.ts';
import { checkAddress, lookupOf, UnreachableAddressError } from './reachable.ts';

/** What to ask. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Headers that only the server of `url` may see: they are not sent on to where it redirects. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** @default true */
  readonly verifyTls?: boolean;
  /** False makes a redirect an error: the request goes to its own address and nowhere else. @default true */
  readonly followRedirects?: boolean;
  /** Certificates in PEM: the authorities to trust instead of the usual ones, and our own. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** The answer to the last request of a chain of redirects. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** What to do with the body: read it whole up to a limit, or get rid of it, and keep its beginning. */
export type BodyUse =
  | { readonly use: 'read'; readonly limitBytes: number }
  | { readonly use: 'discard'; readonly keepBytes?: number };

/**
 * The request could not be answered. `cannotWork` says why: true when the request itself is wrong (URL, certificate,
 * endless redirects), false when the network or the server failed.
 */
export class HttpRequestError extends Error {
  override readonly name = 'HttpRequestError';
  readonly cannotWork: boolean;
  /** The kind of the failure, in words that follow a number: `refused`, `reset`. */
  readonly failure: string;

  constructor(message: string, cannotWork: boolean, options?: ErrorOptions) {
    super(message, options);
    this.cannotWork = cannotWork;
    this.failure = networkFailure(options?.cause);
  }
}

const NETWORK_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ENOTFOUND: 'unknown name',
  EAI_AGAIN: 'unknown name',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ETIMEDOUT: 'no connection',
};

/** The kind of a failed request, in words that follow a number; by the first address, where a name has several. Pure. */
export function networkFailure(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  return NETWORK_FAILURES[code] ?? (code.startsWith('HPE_') ? 'no HTTP' : 'not answered');
}

/** As Go's client. */
const REDIRECT_LIMIT = 10;
/** A body that is not wanted is read to its end within these limits, so that the server sees a normal end; else cut off. */
const DISCARD_LIMIT_BYTES = 1024 * 1024;
const DISCARD_LIMIT_MS = 1000;
/** Node's own limit of 16 KiB would fail servers that send large headers and answer well. */
const HEADER_LIMIT_BYTES = 1024 * 1024;

/** Gives the URL of a text. @throws HttpRequestError when it is no http(s) URL */
export function parseHttpUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null) throw new HttpRequestError(`'${text}' is not a URL such as http://host:80/path`, true);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HttpRequestError(
      `unsupported protocol ${url.protocol} in '${text}'; use http: or https:`,
      true,
    );
  }
  return url;
}

/**
 * The next request after `status` with `location`, or undefined when the answer is final. Pure.
 *
 * As Go's client: 301, 302 and 303 turn anything into GET without a body; 307 and 308 repeat the request; a redirect
 * without a location is a final answer.
 *
 * @throws HttpRequestError when the location is no http(s) URL
 */
function redirected(
  request: HttpRequest,
  status: number,
  location: string | undefined,
): HttpRequest | undefined {
  if (location === undefined || location === '' || ![301, 302, 303, 307, 308].includes(status))
    return undefined;
  const target = URL.parse(location, request.url.href);
  const url = parseHttpUrl(target?.href ?? location);
  const { credentials, headers: _, body: __, ...rest } = request;
  const sent = credentials !== undefined && url.origin === request.url.origin ? { credentials } : {};
  if (status === 307 || status === 308) return { ...request, credentials: {}, ...sent, url };
  return { ...rest, ...sent, url, method: 'GET' };
}

/**
 * Sends the request and follows redirects.
 *
 * @throws HttpRequestError, also when `signal` is aborted before the head of the answer has come · the signal's reason when it is aborted
 *   later. Either way the connection was destroyed.
 */
export async function sendHttpRequest(
  request: HttpRequest,
  bodyUse: BodyUse,
  { clock, signal, ...reach }: Pick<MeasureContext, 'clock' | 'signal' | 'mayReach' | 'addressOf'>,
): Promise<HttpAnswer> {
  let current = request;
  for (let redirects = 0; ; redirects += 1) {
    const response = await respond(current, signal, reach);
    const status = response.statusCode ?? 0;
    let next: HttpRequest | undefined;
    try {
      next = redirected(current, status, response.headers.location);
    } catch (error) {
      response.destroy();
      throw error;
    }
    if (next === undefined) return { status, body: await consume(response, bodyUse, current, clock, signal) };
    response.destroy();
    if (request.followRedirects === false) {
      throw new HttpRequestError(
        `${describeRequest(request)}: redirects to ${next.url.origin}, where it is not followed`,
        true,
      );
    }
    if (redirects >= REDIRECT_LIMIT) {
      throw new HttpRequestError(
        `${describeRequest(request)}: stopped after ${REDIRECT_LIMIT} redirects`,
        true,
      );
    }
    current = next;
  }
}

/** Resolves with the head of the response. */
async function respond(
  request: HttpRequest,
  signal: AbortSignal,
  { mayReach, addressOf }: Pick<MeasureContext, 'mayReach' | 'addressOf'>,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method: request.method,
    headers: {
      'user-agent': 'turnsole-probe',
      ...request.headers,
      ...request.credentials,
      ...(request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }),
    },
    // No pooling: see the head of this file.
    agent: false,
    signal,
    maxHeaderSize: HEADER_LIMIT_BYTES,
    rejectUnauthorized: request.verifyTls ?? true,
    ...request.tls,
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const fail = (cause: unknown): void => reject(requestError(request, cause));
  try {
    if (mayReach !== undefined) {
      checkAddress(request.url, mayReach);
      options.lookup = lookupOf(mayReach, addressOf);
    }
    const open = await opener(request.url);
    const sent = open(request.url, options);
    sent.on('response', resolve);
    sent.on('error', fail);
    sent.end(request.body);
  } catch (cause) {
    fail(cause);
  }
  return promise;
}

/** node:https is loaded for the first https URL only. */
async function opener(url: URL): Promise<(url: URL, options: RequestOptions) => ClientRequest> {
  return url.protocol === 'https:'
    ? (await import('node:https')).request
    : (await import('node:http')).request;
}

async function consume(
  response: IncomingMessage,
  bodyUse: BodyUse,
  request: HttpRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<string> {
  if (bodyUse.use === 'discard') {
    const kept = await discard(response, clock, bodyUse.keepBytes ?? 0);
    signal.throwIfAborted();
    return kept;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      // Without an encoding set, a response is a stream of buffers.
      const bytes: unknown = chunk;
      if (!Buffer.isBuffer(bytes)) continue;
      length += bytes.length;
      if (length > bodyUse.limitBytes) break;
      chunks.push(bytes);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw requestError(request, cause);
  }
  if (length > bodyUse.limitBytes) {
    throw new HttpRequestError(
      `${describeRequest(request)}: the answer is longer than ${bodyUse.limitBytes} bytes`,
      false,
    );
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads to the end or to the limits, then closes; gives the beginning of the body. Never rejects: the answer is known already. */
async function discard(response: IncomingMessage, clock: Clock, keepBytes: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const kept: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    if (length < keepBytes) kept.push(chunk.subarray(0, keepBytes - length));
    length += chunk.length;
    if (length > DISCARD_LIMIT_BYTES) response.destroy();
  });
  response.on('error', () => resolve());
  response.on('close', () => resolve());
  const cancel = clock.setTimer(DISCARD_LIMIT_MS, () => response.destroy());
  await promise;
  cancel();
  return Buffer.concat(kept).toString('utf8');
}

/** `GET http://web/`, without a password. */
export function describeRequest({ method, url }: { readonly method: string; readonly url: URL }): string {
  return `${method} ${shownUrl(url)}`;
}

/** A URL as messages show it: without its password. */
export function shownUrl(url: URL): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.href;
}

/** Codes of OpenSSL's certificate checks as Node reports them, and of requests that cannot be built. */
const CANNOT_WORK =
  /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|HOSTNAME_MISMATCH|ERR_INVALID_|ERR_UNESCAPED_)/;

/** Whether an error with this code is one of the request itself, so that no server could answer it. Pure. */
export function isWrongByItself(code: string): boolean {
  return CANNOT_WORK.test(code);
}

function requestError(request: HttpRequest, cause: unknown): HttpRequestError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const cannotWork = cause instanceof UnreachableAddressError || isWrongByItself(code);
  const hint =
    cannotWork && /CERT|SIGNATURE/.test(code)
      ? '; set insecureSkipVerify: true to accept the certificate'
      : '';
  return new HttpRequestError(`${describeRequest(request)}: ${messageOf(cause)}${hint}`, cannotWork, {
    cause,
  });
}
