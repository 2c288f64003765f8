import type { ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Clock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import { firstLine } from '@turnsole/kube/text/first-line';
import { humanTime } from '@turnsole/kube/text/human-time';
import { describeRequest, isWrongByItself, networkFailure } from '../http-request.ts';
import type { Lag } from './lag.ts';
import type { LoadTarget, SentRequest } from './load-plan.ts';

/** Opens a request to one target over the connections of its load. */
export type OpenRequest = () => ClientRequest;

/** What one request needs. */
interface OneRequest {
  readonly target: LoadTarget;
  readonly open: OpenRequest;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly lag: Lag;
  /** Called once, with what came of it. Not after a cancel. */
  readonly onEnd: (end: Omit<SentRequest, 'atMs' | 'target'>) => void;
}

/** Enough of a body to say why it was not the expected answer. */
const KEPT_BYTES = 1024;
const SHOWN_CHARACTERS = 200;
/** Repeating these changes nothing that the first try has not changed. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Sends a request and follows it to the end of its answer. Its limit counts the time in which this process could work: a process that got no
 * processor must not blame the server. A connection of the pool that the server has closed in the moment in which it was used is no failure:
 * the request is sent once more, as browsers and Go's client do, if it may be repeated.
 *
 * @returns a function that ends it without a word
 */
export function sendOne({ target, open, timeoutMs, clock, lag, onEnd }: OneRequest): () => void {
  const beganMs = clock.now();
  const lagBeforeMs = lag.totalMs(beganMs);
  let current: ClientRequest | undefined;
  let cancelTimer = (): void => {};
  let hasEnded = false;

  const times = (): { readonly tookMs: number; readonly lagMs: number } => {
    const nowMs = clock.now();
    return { tookMs: nowMs - beganMs, lagMs: lag.totalMs(nowMs) - lagBeforeMs };
  };
  const close = (): boolean => {
    if (hasEnded) return false;
    hasEnded = true;
    cancelTimer();
    return true;
  };
  const fail = (reason: string, detail: string, cannotWork = false): void => {
    if (!close()) return;
    current?.destroy();
    onEnd({
      outcome: 'failed',
      ...times(),
      reason,
      detail: `${describeRequest(target)}: ${detail}`,
      ...(cannotWork && { cannotWork }),
    });
  };
  const broke = (cause: unknown): void => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    fail(networkFailure(cause), messageOf(cause), isWrongByItself(code));
  };
  const answered = (response: IncomingMessage): void => {
    const status = response.statusCode ?? 0;
    const isExpected = target.accepts(status);
    const start: Buffer[] = [];
    let length = 0;
    if (isExpected) response.resume();
    else {
      response.on('data', (chunk: Buffer) => {
        if (length < KEPT_BYTES) start.push(chunk);
        length += chunk.length;
      });
    }
    response.on('error', broke);
    response.on('end', () => {
      if (!isExpected) return fail(`status ${status}`, `status ${status}${beginningOf(start)}`);
      if (close()) onEnd({ outcome: 'answered', ...times() });
    });
  };
  const send = (mayRepeat: boolean): void => {
    const request = open();
    current = request;
    let isAnswered = false;
    request.on('response', (response) => {
      isAnswered = true;
      answered(response);
    });
    request.on('error', (cause) => {
      const isStale = request.reusedSocket && !isAnswered;
      if (mayRepeat && isStale && !hasEnded) send(false);
      else broke(cause);
    });
    request.end(target.body);
  };
  const arm = (ms: number): void => {
    cancelTimer = clock.setTimer(ms, () => {
      const { tookMs, lagMs } = times();
      const leftMs = timeoutMs - (tookMs - lagMs);
      if (leftMs > 1) return arm(leftMs);
      // What has arrived meanwhile is read first.
      setImmediate(() => {
        const limit = humanTime(timeoutMs);
        fail(`no answer in ${limit}`, `no answer in ${limit}`);
      });
    });
  };

  send(IDEMPOTENT.has(target.method));
  arm(timeoutMs);
  return () => {
    if (close()) current?.destroy();
  };
}

function beginningOf(body: readonly Buffer[]): string {
  const line = firstLine(Buffer.concat(body).toString('utf8'), SHOWN_CHARACTERS);
  return line === '' ? '' : `: ${line}`;
}

/** Node's own limit of 16 KiB would fail servers that send large headers and answer well. */
const HEADER_LIMIT_BYTES = 1024 * 1024;

/** The part of a request's options that its target gives; the agent comes on top. Pure. */
export function requestOptions({ url, method, headers, body }: LoadTarget): RequestOptions {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return {
    method,
    headers: { 'user-agent': 'turnsole-load', ...length, ...headers },
    maxHeaderSize: HEADER_LIMIT_BYTES,
    ...partsOf(url),
  };
}

/** As node:http takes them; a URL would be taken apart for every request. */
function partsOf(url: URL): RequestOptions {
  const { protocol, hostname, port, pathname, search, username, password } = url;
  return {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    ...(port !== '' && { port: Number(port) }),
    path: `${pathname}${search}`,
    ...((username !== '' || password !== '') && {
      auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}`,
    }),
  };
}
