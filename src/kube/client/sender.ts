import type { IncomingMessage } from 'node:http';
import type { Clock, Random } from '../runtime/clock.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { type ApiRequest, describeRequest } from './request.ts';
import { readText, toStatus } from './response.ts';
import { decideRetry, type FailedTry } from './retry.ts';
import { ClientClosedError, openScope, type RequestScope, TimeLimitError } from './scope.ts';
import {
  type ClientIdentity,
  createTransport,
  type RequestHeaders,
  SendError,
  type Transport,
} from './transport.ts';
import type { ClusterConfig, RequestOptions } from './types.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** An answer whose body is still to be read. The reader must end or destroy it, then close the scope. */
export interface OpenResponse {
  readonly response: IncomingMessage;
  readonly scope: RequestScope;
}

/**
 * Carries requests out: credentials, time limit, repeated tries, errors.
 *
 * One instance per client. Nothing is connected before the first request.
 */
export class Sender {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #underWay = new Set<RequestScope>();
  #transport: { readonly identity: ClientIdentity | undefined; readonly transport: Transport } | undefined;
  #isClosed = false;

  constructor(config: ClusterConfig, clock: Clock, random: Random) {
    this.#config = config;
    this.#clock = clock;
    this.#random = random;
  }

  /** The whole body of a successful answer, as text. */
  async text(request: ApiRequest, options: RequestOptions): Promise<string> {
    const { response, scope } = await this.open(request, options);
    try {
      destroyOnAbort(response, scope.signal);
      return await readText(response);
    } catch (error) {
      throw this.explain(error, request, scope);
    } finally {
      this.release(scope);
    }
  }

  /** An answer with status 2xx. Retried by the rules of {@link decideRetry}; other answers are thrown as ApiError. */
  async open(request: ApiRequest, options: RequestOptions): Promise<OpenResponse> {
    if (this.#isClosed) throw new ConnectionError(describeRequest(request), new ClientClosedError().message);
    const scope = openScope(this.#clock, options.timeoutMs ?? DEFAULT_TIMEOUT_MS, options.signal);
    this.#underWay.add(scope);
    try {
      return { response: await this.#tryUntilDone(request, scope), scope };
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

  async #tryUntilDone(request: ApiRequest, scope: RequestScope): Promise<IncomingMessage> {
    let hasRefreshed = false;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#tryOnce(request, scope);
      if ('response' in outcome) return outcome.response;
      if (
        outcome.failed.kind === 'status' &&
        outcome.failed.code === 401 &&
        this.#config.refreshCredentials !== undefined &&
        !hasRefreshed
      ) {
        // A rotated or revoked token: ask for a new one, once.
        hasRefreshed = true;
        this.#config.refreshCredentials();
        continue;
      }
      const waitMs = decideRetry(
        outcome.failed,
        { method: request.method, tries, remainingMs: scope.remainingMs(), now: this.#clock.now() },
        this.#random,
      );
      if (waitMs === undefined) throw outcome.error;
      await this.#clock.sleep(waitMs, scope.signal);
    }
  }

  async #tryOnce(
    request: ApiRequest,
    scope: RequestScope,
  ): Promise<{ response: IncomingMessage } | { failed: FailedTry; error: unknown }> {
    const identity = await this.#config.clientIdentity?.();
    const headers = await this.#headers(request);
    let response: IncomingMessage;
    try {
      response = await this.#transportFor(identity).send(request, headers, scope.signal);
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      return { failed: { kind: 'connection', code: error.code, sent: error.sent }, error };
    }
    const code = response.statusCode ?? 0;
    if (code >= 200 && code < 300) return { response };
    destroyOnAbort(response, scope.signal);
    const status = toStatus(code, response.headers['content-type'], await readText(response));
    return {
      failed: { kind: 'status', code, status, retryAfter: response.headers['retry-after'] },
      error: new ApiError(describeRequest(request), code, status),
    };
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
    const transport = createTransport(this.#config, identity);
    this.#transport = { identity, transport };
    return transport;
  }

  /** What a failure of sending, or in the middle of a body, means to the caller. */
  explain(error: unknown, request: ApiRequest, scope: RequestScope): unknown {
    const text = describeRequest(request);
    if (scope.signal.aborted) {
      const reason: unknown = scope.signal.reason;
      if (reason instanceof TimeLimitError) {
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
      return new ConnectionError(text, `the connection to ${this.#where()} broke: ${error.message}`, {
        cause: error,
      });
    }
    return error;
  }

  #where(): string {
    return this.#config.socketPath === undefined
      ? this.#config.server
      : `${this.#config.server} (socket ${this.#config.socketPath})`;
  }
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
