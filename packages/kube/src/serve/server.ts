import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import { messageOf } from '../text/error-message.ts';
import { BodyTooLargeError } from './body.ts';
import { OpenConnections } from './open-connections.ts';
import { type HttpReply, textReply } from './reply.ts';

/** Certificate chain and key in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A port, or the path of a Unix socket. */
type ListenAddress =
  | {
      /** 0 = any free one. */
      readonly port: number;
      /** @default all addresses, as the kubelet asks by the pod's */
      readonly host?: string;
    }
  | { readonly path: string };

/** What {@link startHttpServer} needs. */
export interface HttpServerOptions {
  /** What it serves, for messages: `cannot serve <health checks> on port 8081`. */
  readonly what: string;
  readonly address: ListenAddress;
  /** HTTPS with this; absent: plain HTTP. */
  readonly certificate?: Certificate;
  /** Answers a request. What it throws becomes a 500 with its message, a BodyTooLargeError a 413. */
  readonly answer: (request: IncomingMessage) => Promise<HttpReply>;
  /** Called with what `answer` has thrown. */
  readonly onError?: (error: unknown) => void;
  /** Called with an error of the server once it listens, such as too many open files; it goes on listening. @default ignored */
  readonly onServerError?: (error: Error) => void;
  /** How long `close` waits for answers. @default 5 s */
  readonly graceMs?: number;
}

/** A running server. */
export interface HttpServer {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Serves new connections with another certificate. */
  renew(certificate: Certificate): void;
  /** Takes no new requests, and ends as soon as those under way are answered. */
  close(): Promise<void>;
}

const GRACE_MS = 5_000;
/**
 * API servers and Prometheus keep connections for 90 s (Go's default) and use them again. Node would end one after 5 s,
 * maybe just as a request arrives: then the API server refuses, with an EOF, the object that the webhook was to admit.
 */
const KEEP_ALIVE_MS = 120_000;

/**
 * A small HTTP server of a program, as controllers have for health checks, metrics and webhooks.
 *
 * @throws Error that says what could not be served where, and why
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { certificate, address, graceMs = GRACE_MS } = options;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void reply(request, response, options);
  };
  // Not by `import`: the façade of an ES module reads every export of node:http, and so loads undici (16 ms, 4 MB).
  const { createServer } = process.getBuiltinModule('node:http');
  const secure = certificate && process.getBuiltinModule('node:https').createServer(certificate, listener);
  const server = secure ?? createServer(listener);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const connections = new OpenConnections(server);
  const port = await listen(server, address, options.what);
  // Without a listener such an error would end the process, which may have something to undo.
  server.on('error', (error) => options.onServerError?.(error));
  return {
    port,
    renew: (renewed) => secure?.setSecureContext(renewed),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.end(graceMs);
      }),
  };
}

/** Begins to listen. Resolves to the port; 0 for a Unix socket. */
function listen(server: Server, where: ListenAddress, what: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      const place = 'path' in where ? where.path : `port ${where.port}`;
      reject(new Error(`cannot serve ${what} on ${place}: ${problemOf(error)}`, { cause: error }));
    };
    server.once('error', failed);
    server.listen(where, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function problemOf(error: Error): string {
  const isInUse = 'code' in error && error.code === 'EADDRINUSE';
  return isInUse ? 'it is in use; choose another one, or stop the program that uses it' : error.message;
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, onError }: HttpServerOptions,
): Promise<void> {
  try {
    await send(response, await answer(request));
  } catch (error) {
    onError?.(error);
    // A page that breaks off must not look as if it were whole.
    if (response.headersSent) return void response.destroy();
    const isTooLarge = error instanceof BodyTooLargeError;
    // The rest of the request is not read, so it must not be taken for the next one.
    if (isTooLarge) response.setHeader('connection', 'close');
    const message = messageOf(error);
    await send(response, textReply(isTooLarge ? 413 : 500, `${message}\n`));
  }
}

async function send(response: ServerResponse, { status, contentType, body }: HttpReply): Promise<void> {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-cache' });
  if (typeof body === 'string') return void response.end(body);
  for (const piece of body) {
    await written(response, piece);
    // The reader has gone.
    if (response.destroyed) return;
  }
  response.end();
}

/** Resolves when the system has the piece, or the connection has ended. */
function written(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(piece, done);
  });
}
