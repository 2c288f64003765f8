/** Connects the server to sockets: TLS on a loopback port, plain HTTP on a Unix socket. */
import type { X509Certificate } from 'node:crypto';
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  Server,
  ServerResponse,
} from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ApiReply, ApiRequest, StreamSink } from './http/exchange.ts';
import type { Admission, FlowControl } from './http/flow-control.ts';
import { badRequest, StatusError, tooLarge, tooManyRequests, unauthorized } from './http/status.ts';
import type { ServerTls } from './tls/authority.ts';

/** As etcd's limit of 1.5 MiB plus what the request needs around the object. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** A whole request has to be there after this long; watches are answers and not concerned. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 120_000;
/** Connections that may wait to be accepted: a burst of a thousand clients must not be refused. */
const BACKLOG = 4096;
const MAX_HEADER_BYTES = 64 * 1024;
/** How often slow requests are looked for. */
const CHECK_INTERVAL_MS = 5_000;
/** Protocols of exec, attach and port-forward. */
const STREAMING = /\b(?:websocket|spdy)\b/i;
/** Some more than there may be watches, each of which has a connection of its own. */
const MAX_CONNECTIONS = 16_384;

export type Handle = (request: ApiRequest) => Promise<ApiReply>;
type HandleUpgrade = (request: ApiRequest, message: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Where the server listens. */
export interface Listening {
  readonly port: number;
  /** Ends connections; idle ones at once, busy ones after their answer, all of them after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

interface ListenOptions {
  readonly handle: Handle;
  readonly handleUpgrade: HandleUpgrade;
  readonly host: string;
  readonly port: number;
  /** Listens on the port in another network too, 0: on any, which is then the one here as well. Rejects like the port here. */
  readonly listenElsewhere?: ((port: number) => Promise<NetServer>) | undefined;
  readonly socketPath: string;
  readonly tls: ServerTls;
  /** Name of the user who sends a request, by its head and the client's certificate; undefined for an unknown user. */
  readonly identify: (
    headers: IncomingHttpHeaders,
    certificate: X509Certificate | undefined,
  ) => string | undefined;
  readonly flow: FlowControl;
  /** @default 10 s for the head of a request, 60 s for the whole */
  readonly timeouts?: {
    readonly headersMs: number;
    readonly requestMs: number;
    readonly checkMs: number;
    /** @default 120 s for a connection without requests */
    readonly idleMs?: number;
    /** @default 10 s for the TLS handshake */
    readonly handshakeMs?: number;
  };
}

/** Opens both ways in. Rejects when the port is taken. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { handleUpgrade, tls, timeouts } = options;
  // Not by `import`: the façade of an ES module reads every export of node:http, and so loads undici (16 ms, 4 MB).
  const { createServer } = process.getBuiltinModule('node:http');
  const { createServer: createTlsServer } = process.getBuiltinModule('node:https');
  const limits = {
    headersTimeout: timeouts?.headersMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: timeouts?.requestMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: timeouts?.checkMs ?? CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    noDelay: true,
    // A request for another protocol, such as h2c, is answered in this one.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => STREAMING.test(headers.upgrade ?? ''),
  };
  const idle = new Set<Socket>();
  const unasked = new UnaskedConnections((timeouts?.idleMs ?? KEEP_ALIVE_MS) - limits.headersTimeout);
  const listener: RequestListener = (message, response) => {
    const { socket } = message;
    idle.delete(socket);
    unasked.asked(socket);
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
    void serve(options, message, response);
  };
  const secure = createTlsServer(
    {
      ...limits,
      handshakeTimeout: timeouts?.handshakeMs ?? HEADERS_TIMEOUT_MS,
      cert: tls.certificate,
      key: tls.key,
      ALPNProtocols: ['http/1.1'],
      // Clients may sign in by a certificate or by a token; which of them holds is for the authenticator to say.
      ca: tls.authority,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    },
    listener,
  );
  const local = createServer(limits, listener);
  const sockets = new Set<Socket>();
  for (const server of [secure, local]) {
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    // Over TLS, requests come on another object than the connection.
    server.on(server === secure ? 'secureConnection' : 'connection', (socket: Socket) => {
      idle.add(socket);
      readByStream(socket);
      unasked.opened(socket);
      socket.once('close', () => idle.delete(socket));
    });
    server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      // A session is busy as long as it is there.
      idle.delete(message.socket);
      unasked.asked(message.socket);
      handleUpgrade(toRequest(message, Buffer.alloc(0)), message, socket, head);
    });
    server.on('clientError', (error: Error & { readonly code?: string }, socket: Duplex) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && unasked.waits(socket)) return;
      // An answer would wait in the client for its first request, and be taken for the answer to that.
      if (socket.writable && unasked.hasBegun(socket))
        socket.end(malformedAnswer(error.code), () => socket.destroy());
      else socket.destroy();
    });
  }
  await opened(local, { path: options.socketPath });
  let elsewhere: NetServer | undefined;
  try {
    elsewhere = await options.listenElsewhere?.(options.port);
    await opened(secure, { host: options.host, port: portOf(elsewhere) ?? options.port });
  } catch (error) {
    elsewhere?.close();
    await closed(local);
    throw error;
  }
  elsewhere?.on('connection', (socket) => secure.emit('connection', socket));
  return {
    port: portOf(secure) ?? options.port,
    close: (graceMs) => {
      elsewhere?.close();
      return closeAll([secure, local], { sockets, idle }, graceMs);
    },
  };
}

function portOf(server: Pick<NetServer, 'address'> | undefined): number | undefined {
  const address = server?.address();
  return typeof address === 'object' ? address?.port : undefined;
}

/**
 * Connections without a request so far. Clients open some in stock, and would take an unrequested answer on one for that to
 * their next request. Node counts the time for the head of a request from the beginning of the connection; here it is the time
 * of an idle one, at whose end it is closed without an answer.
 */
class UnaskedConnections {
  /** Bytes that a connection had read when it was ready: those of the handshake. Connections in their handshake have no entry. */
  readonly #read = new WeakMap<Duplex, number>();
  readonly #asked = new WeakSet<Duplex>();
  readonly #furtherMs: number;

  /** @param furtherMs how much longer than the head of a request may take they stay */
  constructor(furtherMs: number) {
    this.#furtherMs = Math.max(1, furtherMs);
  }

  opened(socket: Socket): void {
    this.#read.set(socket, socket.bytesRead);
  }

  /** Whether nothing has come on it since it was opened; it is then closed when its time is over. */
  waits(socket: Duplex): boolean {
    const { bytesRead, setTimeout } = socket as Socket; // http's connections are sockets
    if (this.#read.get(socket) !== bytesRead) return false;
    setTimeout.call(socket, this.#furtherMs);
    return true;
  }

  /** Whether a first request, or a part of one, has come on it. */
  hasBegun(socket: Duplex): boolean {
    if (this.#asked.has(socket)) return true;
    const before = this.#read.get(socket);
    return before !== undefined && before !== (socket as Socket).bytesRead; // http's connections are sockets
  }

  asked(socket: Socket): void {
    this.#asked.add(socket);
    // Its answer may take as long as it likes: it may be a watch.
    if (this.#read.delete(socket)) socket.setTimeout(0);
  }
}

/**
 * Makes requests reach the parser by the socket's stream, and not right from the TLS layer.
 *
 * Node pauses socket and parser when a request arrives while it does not know yet that the answer before has been written, which a
 * client may have read already. The TLS layer ignores that and hands over all records that it has, but a paused parser takes
 * none: a body in several records then ended its connection by `HPE_PAUSED`, or was answered with 400. A stream keeps them until
 * the parser resumes. Node turns to the stream for good when another listener takes a socket's data.
 */
function readByStream(socket: Socket): void {
  const nothing = (): void => undefined;
  socket.on('data', nothing);
  socket.off('data', nothing);
}

function opened(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

async function closeAll(
  servers: readonly Server[],
  { sockets, idle }: { readonly sockets: ReadonlySet<Socket>; readonly idle: ReadonlySet<Socket> },
  graceMs: number,
): Promise<void> {
  const ends = servers.map(closed);
  // Not closeIdleConnections: to Node, a connection on which nothing was asked yet is not idle.
  for (const socket of idle) socket.destroy();
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, graceMs);
  await Promise.all(ends);
  clearTimeout(timer);
}

function toRequest(message: IncomingMessage, body: Buffer): ApiRequest {
  const { method = 'GET', url = '/', headers } = message;
  return { method, url, headers, body, certificate: certificateOf(message.socket) };
}

/** Certificates of clients, by connection: reading one costs more than many a request. */
const certificates = new WeakMap<Socket, X509Certificate | undefined>();

/** The client's certificate if it is one that this server's authority issued; undefined over the Unix socket. */
function certificateOf(socket: Socket): X509Certificate | undefined {
  if (certificates.has(socket)) return certificates.get(socket);
  const { authorized, getPeerX509Certificate } = socket as Partial<TLSSocket>; // http's sockets have neither
  const certificate = authorized === true ? getPeerX509Certificate?.call(socket) : undefined;
  certificates.set(socket, certificate);
  return certificate;
}

/** The answer to bytes that are no HTTP: a constant text, which repeats nothing of what was sent. */
function malformedAnswer(code: string | undefined): string {
  const [status, phrase, reason] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'BadRequest']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'Timeout']
        : [400, 'Bad Request', 'BadRequest'];
  const body = JSON.stringify(new StatusError(status, reason, phrase).toStatus());
  const head = [`HTTP/1.1 ${status} ${phrase}`, 'Connection: close', 'Content-Type: application/json'];
  return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

async function serve(
  options: ListenOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => response.destroy());
  let admission: Admission | undefined;
  try {
    admission = admit(options, message);
    response.once('close', admission.leave);
    const body = await readBody(message, admission);
    const reply = await options.handle({
      ...toRequest(message, body),
      onGone: (listener) => {
        if (response.destroyed) listener();
        else response.once('close', listener);
      },
    });
    if (response.destroyed) {
      // The client left while its request was worked on; streams have to know.
      reply.stream?.(CLOSED_SINK);
    } else if (reply.stream === undefined) {
      // After all requests that have come in meanwhile: clients are then woken once, and not between any two of them.
      // With 16 clients a create costs 100 to 120 µs of the server's processor instead of 135 to 140.
      await endOfTurn();
      send(response, reply, message.method === 'HEAD');
    } else {
      // Streams have bounds of their own.
      admission.leave();
      response.writeHead(reply.status, reply.headers);
      response.flushHeaders();
      reply.stream(new ResponseSink(response));
    }
  } catch (error) {
    refuse(response, error);
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Lets a request in by its head, before any of its body is read. Throws Unauthorized and TooManyRequests. */
function admit({ identify, flow }: ListenOptions, message: IncomingMessage): Admission {
  const user = identify(message.headers, certificateOf(message.socket));
  // An unknown user may only ask for what is public, and such requests have no body.
  if (user === undefined && message.method !== 'GET' && message.method !== 'HEAD') throw unauthorized();
  const admission = flow.enter(user ?? '');
  if (admission === undefined) throw overloaded();
  return admission;
}

function overloaded(): StatusError {
  return tooManyRequests('Too many requests, please try again later.', { retryAfterSeconds: 1 });
}

function send(response: ServerResponse, reply: ApiReply, isHead: boolean): void {
  const body = reply.body ?? [];
  let length = 0;
  for (const piece of body) length += piece.length;
  response.writeHead(reply.status, { ...reply.headers, 'content-length': length });
  if (isHead) response.end();
  else if (body.length === 1) response.end(body[0]);
  else response.end(Buffer.concat(body, length));
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent || !isStatusError(error)) {
    response.destroy();
    return;
  }
  const retryAfter = error.details?.retryAfterSeconds;
  // The rest of the body is not read, so the connection cannot be used again.
  response.writeHead(error.code, {
    'content-type': 'application/json',
    connection: 'close',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify(error.toStatus()));
}

function isStatusError(error: unknown): error is StatusError {
  return error instanceof Error && error.name === 'StatusError';
}

function readBody(message: IncomingMessage, admission: Admission): Promise<Buffer> {
  const { method } = message;
  if (method === 'GET' || method === 'HEAD') return Promise.resolve(EMPTY);
  return new Promise((resolve, reject) => {
    const declared = Number(message.headers['content-length'] ?? 0);
    const pieces: Buffer[] = [];
    let length = 0;
    const stop = (error: StatusError): void => {
      message.pause();
      message.removeAllListeners('data');
      reject(error);
    };
    const tooMuch = (): void => stop(tooLarge(`Request entity too large: limit is ${MAX_BODY_BYTES}`));
    if (declared > MAX_BODY_BYTES) {
      tooMuch();
      return;
    }
    message.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_BODY_BYTES) tooMuch();
      else if (!admission.hold(piece.length)) stop(overloaded());
      else pieces.push(piece);
    });
    message.once('end', () =>
      resolve(pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces, length)),
    );
    message.once('error', reject);
    message.once('aborted', () => reject(badRequest('the client went away before its request was complete')));
  });
}

const EMPTY = Buffer.alloc(0);

const CLOSED_SINK: StreamSink = {
  write: () => undefined,
  pendingBytes: 0,
  drained: () => Promise.resolve(),
  end: () => undefined,
  abort: () => undefined,
  onClose: (callback) => callback(),
};

/** A stream into an HTTP answer. What is written while requests are worked on leaves as one piece, before their answers. */
class ResponseSink implements StreamSink {
  readonly #response: ServerResponse;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isScheduled = false;
  #ended = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get pendingBytes(): number {
    return this.#queuedBytes + this.#response.writableLength;
  }

  write(bytes: Buffer): void {
    if (this.#ended) return;
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  drained(): Promise<void> {
    this.#flush();
    const response = this.#response;
    if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.once('drain', done);
      response.once('close', done);
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#flush();
    this.#ended = true;
    this.#response.end();
  }

  abort(): void {
    this.#ended = true;
    this.#queue = [];
    this.#response.destroy();
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener();
    else this.#response.once('close', listener);
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#queue.length === 0 || this.#response.destroyed) return;
    const [first] = this.#queue;
    const bytes =
      this.#queue.length === 1 && first !== undefined ? first : Buffer.concat(this.#queue, this.#queuedBytes);
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#response.write(bytes);
  }
}
