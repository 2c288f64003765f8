import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf } from '../text/error-message.ts';
import type { ApiRequest } from './request.ts';
import type { ClusterConfig } from './types.ts';

/** A request failed before a response began. */
export class SendError extends Error {
  override readonly name = 'SendError';
  /** Node's error code, if it had one. */
  readonly code: string | undefined;
  /** Whether bytes of the request may have reached the server. */
  readonly sent: boolean;

  constructor(cause: unknown, sent: boolean) {
    super(messageOf(cause), { cause });
    this.code = codeOf(cause);
    this.sent = sent;
  }
}

/** Headers of a request; several values are sent as repeated headers. */
export type RequestHeaders = Record<string, string | string[]>;

/** Sends requests over connections that are kept and used again. */
export interface Transport {
  /** Resolves when the response's head is there. Rejects with {@link SendError}, or the signal's reason. */
  send(request: ApiRequest, headers: RequestHeaders, signal: AbortSignal): Promise<IncomingMessage>;
  /** How a WebSocket to a path of this server is connected. */
  webSocket(path: string): WebSocketRoute;
  /** Closes all connections, except those that have become WebSockets. */
  close(): void;
}

/** The way of a WebSocket to the server. */
interface WebSocketRoute {
  readonly url: string;
  /** Absent for Unix sockets. */
  readonly agent?: Agent;
  /** Present for Unix sockets. */
  readonly createConnection?: () => Duplex;
}

/** A client certificate and its key, PEM. */
export interface ClientIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** Idle connections are given up before servers and load balancers usually do, so a write seldom meets a closed one. */
const IDLE_CONNECTION_MS = 30_000;
/** First TCP keep-alive probe; finds dead peers of quiet watches. */
const TCP_KEEP_ALIVE_MS = 30_000;

/**
 * Node's module without its ES module façade: `import 'node:http'` evaluates every export, among them WebSocket, and
 * so loads undici (16 ms of 18). The module itself is there in 2 ms.
 */
function loadHttp(): typeof import('node:http') {
  return process.getBuiltinModule('node:http');
}

/** Loaded only for TLS servers: 3 ms more. */
function loadHttps(): typeof import('node:https') {
  return process.getBuiltinModule('node:https');
}

/**
 * A transport to the server of a configuration; opens no connection yet.
 *
 * @param onLost called when the server closes an idle connection: before {@link IDLE_CONNECTION_MS}, only servers that end do it
 */
export function createTransport(
  config: ClusterConfig,
  identity: ClientIdentity | undefined,
  onLost: () => void,
): Transport {
  const url = parseServer(config.server);
  const isTls = url.protocol === 'https:';
  const agent = createAgent(config, isTls, identity, true);
  const idle = new IdleConnections(agent, onLost);
  const target: RequestOptions =
    config.socketPath === undefined
      ? { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? (isTls ? 443 : 80) : url.port }
      : { socketPath: config.socketPath };
  const request = isTls ? loadHttps().request : loadHttp().request;
  const prefix = url.pathname.replace(/\/+$/, '');

  return {
    send: (apiRequest, headers, signal) =>
      exchange(
        () =>
          request({
            ...target,
            agent,
            method: apiRequest.method,
            path: prefix + apiRequest.path,
            headers: { host: url.host, ...headers },
          }).once('socket', (socket) => idle.taken(socket)),
        apiRequest.body,
        signal,
      ),
    webSocket: (path) => {
      const { socketPath } = config;
      return {
        url: `${isTls ? 'wss' : 'ws'}://${url.host}${prefix}${path}`,
        ...(socketPath === undefined
          ? // Its own connection: after a handshake, servers close even those that they have refused.
            { agent: createAgent(config, isTls, identity, false) }
          : { createConnection: () => process.getBuiltinModule('node:net').connect(socketPath) }),
      };
    },
    close: () => {
      idle.forget();
      agent.destroy();
    },
  };
}

function parseServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new TypeError(
      `cannot connect to cluster server ${JSON.stringify(server)}: it must be https://host[:port] or http://host[:port]; correct the server's address`,
    );
  }
  return url;
}

function createAgent(
  config: ClusterConfig,
  isTls: boolean,
  identity: ClientIdentity | undefined,
  keepAlive: boolean,
): Agent {
  const options = {
    keepAlive,
    keepAliveMsecs: TCP_KEEP_ALIVE_MS,
    timeout: IDLE_CONNECTION_MS,
    // Latest used first: the other connections grow idle and are closed.
    scheduling: 'lifo' as const,
  };
  if (!isTls) return new (loadHttp().Agent)(options);
  const certificate = identity?.certificate ?? config.clientCertificate;
  const key = identity?.key ?? config.clientKey;
  return new (loadHttps().Agent)({
    ...options,
    ...(config.certificateAuthority === undefined ? {} : { ca: config.certificateAuthority }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(config.tlsServerName === undefined ? {} : { servername: config.tlsServerName }),
    rejectUnauthorized: config.insecureSkipTlsVerify !== true,
  });
}

/** Distinguishes idle connections that the server closes from those that the agent gives up. */
class IdleConnections {
  readonly #onLost: () => void;
  readonly #known = new WeakSet<Duplex>();
  #idle = new Set<Duplex>();

  constructor(agent: Agent, onLost: () => void) {
    this.#onLost = onLost;
    agent.on('free', (socket: Duplex) => this.#given(socket));
  }

  #given(socket: Duplex): void {
    this.#idle.add(socket);
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    socket.on('timeout', () => this.taken(socket));
    socket.once('close', () => {
      if (this.#idle.delete(socket)) this.#onLost();
    });
  }

  /** A request uses it, or it is given up. */
  taken(socket: Duplex): void {
    this.#idle.delete(socket);
  }

  /** All are closed on purpose. */
  forget(): void {
    this.#idle = new Set();
  }
}

function exchange(
  open: () => ClientRequest,
  body: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let sent = false;
    const request = open();
    const onAbort = (): void => {
      request.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    request.once('socket', (socket) => {
      if (socket.connecting) {
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          sent = true;
        });
      } else {
        sent = true;
      }
    });
    request.once('response', (response) => {
      signal.removeEventListener('abort', onAbort);
      resolve(response);
    });
    // Also after the response: a reset then reaches the reader as the response's own error.
    request.on('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(new SendError(error, sent));
    });
    request.end(body);
  });
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
