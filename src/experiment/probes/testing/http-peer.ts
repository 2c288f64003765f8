import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A real HTTP server on a free port of the loopback address. */
export interface HttpPeer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  readonly server: Server;
  /** `METHOD /path` of the requests so far. */
  readonly requests: readonly string[];
}

/** Starts a server; `await using` closes it with its connections. */
export async function startPeer(listener: RequestListener): Promise<HttpPeer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  return { ...(await listening(server, 'http')), server, requests };
}

/** Makes `server` listen; gives its URL and a way to close it. */
export async function listening(
  server: Server | TlsServer,
  protocol: 'http' | 'https',
): Promise<{ url: string } & AsyncDisposable> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `${protocol}://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // Without an encoding set, a request is a stream of buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** An address on which nothing listens. A port that was free a moment ago may be another test's by now. */
export const REFUSING_URL = 'http://127.0.0.1:1';
