import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { Clock, Random } from '../base/clock.ts';
import { messageOf } from '../text/error-message.ts';
import { type AnsweredCall, type ApiCall, describeCall } from './api-call.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { type ApiRequest, describeRequest } from './request.ts';
import { readText, toStatus } from './response.ts';
import { decideRetry, type FailedTry, isDoubtful } from './retry.ts';
import { ClientClosedError, openScope, type RequestScope, TimeLimitError } from './scope.ts';
import {
  type ClientIdentity,
  createTransport,
  type RequestHeaders,
  SendError,
  type Transport,
} from './transport.ts';
import type { ClusterConfig, RequestOptions, WriteOptions } from './types.ts';
import { parseWarnings } from './warnings.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** What a request is sent with. */
export type SendOptions = RequestOptions & Pick<WriteOptions, 'repeatable'>;

/** An answer whose body is still to be read. The reader must end or destroy it, then close the scope. */
interface OpenResponse {
  readonly response: IncomingMessage;
  readonly scope: RequestScope;
}

/** A WebSocket whose handshake is done; nothing is read from it yet. The user must end it, then close the scope. */
interface OpenWebSocket {
  readonly socket: WebSocket;
  readonly scope: RequestScope;
}

type Outcome<T> = { readonly done: T } | { readonly failed: FailedTry; readonly error: unknown };

/**
 * Carries requests out: credentials, time limit, repeated tries, errors.
 *
 * One instance per client. Nothing is connected before the first request.
 */
export class Sender {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onCall: ((call: AnsweredCall) => void) | undefined;
  readonly #underWay = new Set<RequestScope>();
  #transport: { readonly identity: ClientIdentity | undefined; readonly transport: Transport } | undefined;
  #isClosed = false;
  /** When a connection was last refused, or broke, in use or not. */
  #outageAt: number | undefined;

  constructor(
    config: ClusterConfig,
    clock: Clock,
    random: Random,
    onCall: ((call: AnsweredCall) => void) | undefined,
  ) {
    this.#config = config;
    this.#clock = clock;
    this.#random = random;
    this.#onCall = onCall;
  }

  /** The whole body of a successful answer, as text. */
  async text(request: ApiRequest, options: SendOptions): Promise<string> {
    const { response, scope } = await this.open(request, options);
    try {
      destroyOnAbort(response, scope.signal);
      const text = await readText(response);
      if (options.onWarning !== undefined) {
        for (const warning of parseWarnings(response.headers.warning)) options.onWarning(warning);
      }
      return text;
    } catch (error) {
      throw this.explain(error, request, scope);
    } finally {
      this.release(scope);
    }
  }

  /** An answer with status 2xx. Retried by the rules of {@link decideRetry}; other answers are thrown as ApiError. */
  async open(request: ApiRequest, options: SendOptions): Promise<OpenResponse> {
    return await this.#inScope(request, options, async (scope) => {
      const attempt = (): Promise<Outcome<IncomingMessage>> => this.#tryOnce(request, scope);
      const repeatable = READS.has(request.method) || options.repeatable === true;
      return { response: await this.#tryUntilDone(request, repeatable, scope, attempt), scope };
    });
  }

  /** A WebSocket with one of the protocols. The handshake is a GET, but repeated as rarely as a POST: it starts something. */
  async openWebSocket(
    request: ApiRequest,
    protocols: readonly string[],
    options: RequestOptions,
  ): Promise<OpenWebSocket> {
    return await this.#inScope(request, options, async (scope) => {
      const attempt = (): Promise<Outcome<WebSocket>> => this.#connectOnce(request, protocols, scope);
      return { socket: await this.#tryUntilDone(request, false, scope, attempt), scope };
    });
  }

  async #inScope<T>(
    request: ApiRequest,
    options: RequestOptions,
    work: (scope: RequestScope) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw new ConnectionError(describeRequest(request), new ClientClosedError().message);
    const scope = openScope(this.#clock, options.timeoutMs ?? DEFAULT_TIMEOUT_MS, options.signal);
    this.#underWay.add(scope);
    try {
      return await work(scope);
    } catch (error) {
      this.release(scope);
      throw this.explain(error, request, scope);
    }
  }

  release(scope: RequestScope): void {
    scope.close();
    this.#underWay.delete(scope);
  }

  close(): void {
    this.#isClosed = true;
    for (const scope of this.#underWay) scope.abort(new ClientClosedError());
    this.#underWay.clear();
    this.#transport?.transport.close();
    this.#transport = undefined;
  }

  async #tryUntilDone<T>(
    request: ApiRequest,
    repeatable: boolean,
    scope: RequestScope,
    attempt: () => Promise<Outcome<T>>,
  ): Promise<T> {
    let hasRefreshed = false;
    for (let tries = 1; ; tries++) {
      const outcome = await attempt();
      if ('done' in outcome) return outcome.done;
      if (
        outcome.failed.kind === 'status' &&
        outcome.failed.code === 401 &&
        this.#config.refreshCredentials !== undefined &&
        !hasRefreshed
      ) {
        // A rotated or revoked token: ask for a new one, once.
        hasRefreshed = true;
        if (await this.#hasRefreshed(scope)) continue;
        throw outcome.error;
      }
      if (outcome.failed.kind === 'connection') this.#outageAt = this.#clock.monotonic();
      const sinceOutageMs =
        this.#outageAt === undefined ? undefined : this.#clock.monotonic() - this.#outageAt;
      const now = this.#clock.now();
      const situation = { repeatable, tries, remainingMs: scope.remainingMs(), now, sinceOutageMs };
      const waitMs = decideRetry(outcome.failed, situation, this.#random);
      if (waitMs === undefined)
        throw isDoubtful(outcome.failed, sinceOutageMs)
          ? this.#starting(request, outcome.error)
          : outcome.error;
      await this.#clock.sleep(waitMs, scope.signal);
    }
  }

  /** Whether the credentials were asked for anew within the request's time: after that the refusal is the answer, and no outage. */
  async #hasRefreshed(scope: RequestScope): Promise<boolean> {
    try {
      await this.#config.refreshCredentials?.(scope.signal);
      return true;
    } catch (error) {
      if (scope.signal.reason instanceof TimeLimitError) return false;
      throw error;
    }
  }

  async #tryOnce(request: ApiRequest, scope: RequestScope): Promise<Outcome<IncomingMessage>> {
    const identity = await this.#config.clientIdentity?.();
    const headers = await this.#headers(request);
    const sentAt = this.#clock.monotonic();
    let response: IncomingMessage;
    try {
      response = await this.#transportFor(identity).send(request, headers, scope.signal);
    } catch (error) {
      this.#report(describeCall(request), undefined, sentAt);
      return notSent(error);
    }
    const code = response.statusCode ?? 0;
    this.#report(describeCall(request), code, sentAt);
    if (code >= 200 && code < 300) return { done: response };
    return await refusal(request, response, scope);
  }

  async #connectOnce(
    request: ApiRequest,
    protocols: readonly string[],
    scope: RequestScope,
  ): Promise<Outcome<WebSocket>> {
    const { connectWebSocket } = await import('./exec/web-socket.ts');
    const identity = await this.#config.clientIdentity?.();
    // Kubelets refuse a handshake that accepts JSON only: what follows is none.
    const headers = { ...(await this.#headers(request)), accept: '*/*' };
    const route = this.#transportFor(identity).webSocket(request.path);
    const call = { ...describeCall(request), verb: 'connect' };
    const sentAt = this.#clock.monotonic();
    try {
      const answer = await connectWebSocket({ ...route, headers, protocols }, scope.signal);
      this.#report(call, 'socket' in answer ? 101 : (answer.refused.statusCode ?? 0), sentAt);
      return 'socket' in answer ? { done: answer.socket } : await refusal(request, answer.refused, scope);
    } catch (error) {
      if (error instanceof SendError) this.#report(call, undefined, sentAt);
      return notSent(error);
    }
  }

  #report(call: ApiCall, code: number | undefined, sentAt: number): void {
    this.#onCall?.({ ...call, code, seconds: (this.#clock.monotonic() - sentAt) / 1_000 });
  }

  async #headers(request: ApiRequest): Promise<RequestHeaders> {
    const headers: RequestHeaders = {
      accept: 'application/json',
      'user-agent': this.#config.userAgent ?? 'turnsole',
    };
    if (request.body !== undefined) {
      headers['content-type'] = request.contentType ?? 'application/json';
      headers['content-length'] = String(Buffer.byteLength(request.body));
    }
    const token = await this.#config.token?.();
    if (token !== undefined && token !== '') headers.authorization = `Bearer ${token}`;
    const { impersonate } = this.#config;
    if (impersonate !== undefined) {
      headers['impersonate-user'] = impersonate.user;
      // Node sends an array as repeated headers, as the API wants groups.
      if (impersonate.groups !== undefined) headers['impersonate-group'] = [...impersonate.groups];
    }
    return headers;
  }

  /** A changed client certificate needs new connections; requests under way keep theirs. */
  #transportFor(identity: ClientIdentity | undefined): Transport {
    const current = this.#transport;
    if (current !== undefined && current.identity?.certificate === identity?.certificate) {
      return current.transport;
    }
    const transport = createTransport(this.#config, identity, () => {
      this.#outageAt = this.#clock.monotonic();
    });
    this.#transport = { identity, transport };
    return transport;
  }

  /** What a failure of sending, or in the middle of a body, means to the caller. */
  explain(error: unknown, request: ApiRequest, scope: RequestScope): unknown {
    const text = describeRequest(request);
    if (scope.signal.aborted) {
      const reason: unknown = scope.signal.reason;
      if (reason instanceof TimeLimitError) {
        // The server has answered in time.
        if (error instanceof ApiError) return error;
        return new ConnectionError(
          text,
          `${reason.message} from ${this.#where()}; check that the API server is alive, or raise timeoutMs`,
          { cause: error },
        );
      }
      return reason instanceof ClientClosedError ? new ConnectionError(text, reason.message) : reason;
    }
    if (error instanceof SendError) {
      return new ConnectionError(
        text,
        `cannot reach ${this.#where()}: ${error.message}; check the address and that the server is running`,
        { cause: error.cause },
      );
    }
    if (isConnectionFailure(error)) {
      this.#outageAt = this.#clock.monotonic();
      return new ConnectionError(text, `the connection to ${this.#where()} broke: ${error.message}`, {
        cause: error,
      });
    }
    return error;
  }

  /** A server that was away has refused, and no time is left to ask it again. */
  #starting(request: ApiRequest, error: unknown): ConnectionError {
    const text = `${this.#where()} was away and may not have read its roles and kinds yet: ${messageOf(error)}`;
    return new ConnectionError(describeRequest(request), `${text}; ask again, or raise timeoutMs`, {
      cause: error,
    });
  }

  #where(): string {
    return this.#config.socketPath === undefined
      ? this.#config.server
      : `${this.#config.server} (socket ${this.#config.socketPath})`;
  }
}

/** A try that got no answer. Other errors than those of sending are thrown. */
function notSent(error: unknown): { readonly failed: FailedTry; readonly error: unknown } {
  if (!(error instanceof SendError)) throw error;
  return { failed: { kind: 'connection', code: error.code, sent: error.sent }, error };
}

/** A try whose answer says no. */
async function refusal(
  request: ApiRequest,
  response: IncomingMessage,
  scope: RequestScope,
): Promise<{ readonly failed: FailedTry; readonly error: unknown }> {
  destroyOnAbort(response, scope.signal);
  const code = response.statusCode ?? 0;
  const status = toStatus(code, response.headers['content-type'], await readText(response));
  return {
    failed: { kind: 'status', code, status, retryAfter: response.headers['retry-after'] },
    error: new ApiError(describeRequest(request), code, status),
  };
}

/** Ends a response with the scope; also when the scope ended between the response's head and this call. */
export function destroyOnAbort(response: IncomingMessage, signal: AbortSignal): void {
  if (signal.aborted) response.destroy();
  signal.throwIfAborted();
  signal.addEventListener('abort', () => response.destroy(), { once: true });
}

/** Errors of a body that broke off; programming and parse errors have no `code`. */
function isConnectionFailure(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && !(error instanceof ApiError);
}
