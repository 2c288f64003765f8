import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import { type Answer, type HttpAnswer, judgeAnswer, withoutSecrets } from './answer.ts';
import type { ControlPlaneAddress } from './settings.ts';

/** A GraphQL operation: a constant document with variables. */
export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Identifies repetitions of the operation for a server that honours it: sent as header `Idempotency-Key`. */
  readonly idempotencyKey?: string;
}

/** Sends operations to a control plane. */
export interface ControlPlaneClient {
  /**
   * Sends an operation once; again only where a kept connection had been closed. Every failure is an {@link Answer}, which never contains
   * keys.
   * @throws the signal's reason
   */
  send(operation: Operation, signal: AbortSignal): Promise<Answer>;
  /** Closes its connections. */
  close(): void;
}

/** Time limit of a request. */
const TIMEOUT_MS = 30_000;
/** Codes of what is sent on a connection that the other side has closed. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
/** Answers are a sentence; a larger body is not from the server. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** TLS options for an address; also for WebSockets. */
export function tlsOptionsOf({ skipTlsVerify, authorities }: ControlPlaneAddress): {
  readonly rejectUnauthorized: boolean;
  readonly ca?: readonly string[];
} {
  if (authorities === undefined) return { rejectUnauthorized: !skipTlsVerify };
  // A list replaces the system's authorities, so it has to include them.
  const { rootCertificates } = process.getBuiltinModule('node:tls');
  return { rejectUnauthorized: true, ca: [...rootCertificates, authorities] };
}

/** A client that keeps its connections. */
export function createControlPlaneClient(
  address: ControlPlaneAddress,
  options: { readonly timeoutMs?: number } = {},
): ControlPlaneClient {
  const isTls = address.url.protocol === 'https:';
  const agent = agentOf(address, isTls);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return {
    send: async (operation, signal) => {
      signal.throwIfAborted();
      const limit = limitOf(signal, timeoutMs);
      try {
        const answer = await exchange(address.url, agent, operation, limit.signal);
        return withoutSecrets(judgeAnswer(answer), accessKeys(operation.variables));
      } catch (error) {
        signal.throwIfAborted();
        const why = limit.signal.aborted ? `no answer within ${timeoutMs} ms` : messageOf(error);
        return { type: 'again', why: `cannot reach ${address.url.origin}: ${why}` };
      } finally {
        limit.lift();
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Aborts with the caller's signal or after a time, until it is cancelled. `AbortSignal.timeout` and `AbortSignal.any` cannot be cancelled: the
 * signals of all requests of the last thirty seconds, thousands beside a large log, would stay in memory with their requests.
 */
function limitOf(
  outer: AbortSignal,
  timeoutMs: number,
): { readonly signal: AbortSignal; readonly lift: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, timeoutMs).unref();
  outer.addEventListener('abort', abort, { once: true });
  const lift = (): void => {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, lift };
}

/** Values of `accessKey` in variables, which are nested objects. */
function accessKeys(variables: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (name === 'accessKey' && typeof value === 'string') return [value];
    return isObject(value) ? accessKeys(value) : [];
  });
}

function agentOf(address: ControlPlaneAddress, isTls: boolean): Agent {
  if (!isTls) return new (process.getBuiltinModule('node:http').Agent)({ keepAlive: true });
  const { ca, rejectUnauthorized } = tlsOptionsOf(address);
  const { Agent: SecureAgent } = process.getBuiltinModule('node:https');
  return new SecureAgent({ keepAlive: true, rejectUnauthorized, ...(ca && { ca: [...ca] }) });
}

/**
 * A server ends a connection that was idle for some seconds, and the next operation may leave in the same moment. It is sent on another
 * one then: answers to actions would be lost otherwise, since nothing else repeats them.
 */
async function exchange(
  url: URL,
  agent: Agent,
  operation: Operation,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  let answer: HttpAnswer | undefined;
  // The loop ends: each attempt uses up one of the kept connections, and what fails on a new one is not repeated.
  while (answer === undefined) answer = await attempt(url, agent, operation, signal);
  return answer;
}

/** @returns undefined when a kept connection broke before anything of an answer came */
function attempt(
  url: URL,
  agent: Agent,
  { query, variables, idempotencyKey }: Operation,
  signal: AbortSignal,
): Promise<HttpAnswer | undefined> {
  const body = JSON.stringify({ query, variables });
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  const options: RequestOptions = { method: 'POST', agent, headers, signal };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      readAnswer(response).then(resolve, reject);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && CLOSED.has(error.code ?? '')) resolve(undefined);
      else reject(error);
    });
    sent.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { 'retry-after': retryAfter } = response.headers;
  return { status: response.statusCode ?? 0, retryAfter, body: Buffer.concat(chunks).toString() };
}
