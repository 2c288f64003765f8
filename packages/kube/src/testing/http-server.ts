import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request as a test sees it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request; may keep the response open. */
export type Answer = (request: SeenRequest, response: ServerResponse, raw: IncomingMessage) => void;

/** A real HTTP server whose answers a test scripts. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  readonly seen: SeenRequest[];
}

/** Starts a server on a free loopback port, or on a Unix socket. */
export async function startTestServer(
  answer: Answer,
  options: { readonly tls?: ServerOptions; readonly socketPath?: string } = {},
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const entry = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      seen.push(entry);
      answer(entry, response, request);
    });
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  await new Promise<void>((resolve) => {
    if (options.socketPath === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(options.socketPath, resolve);
  });
  const scheme = options.tls === undefined ? 'http' : 'https';
  // A socket path has no address object.
  const address = server.address() as AddressInfo | string;
  return {
    url: typeof address === 'string' ? `${scheme}://localhost` : `${scheme}://127.0.0.1:${address.port}`,
    server,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a Status failure. */
export function sendFailure(
  response: ServerResponse,
  code: number,
  reason: string,
  message = `${reason} for the test`,
  headers: Record<string, string> = {},
): void {
  sendJson(
    response,
    code,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
    headers,
  );
}
