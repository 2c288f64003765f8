import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ClusterConfig } from '@turnsole/kube/client/types';

const LINE = Buffer.from(`${'x'.repeat(127)}\n`);
const CHUNK = Buffer.concat(Array.from({ length: 512 }, () => LINE));

/** A way to an API server by plain HTTP that answers for logs itself: a log of any length, which no test pod would write. */
export async function startLogProxy(
  config: ClusterConfig,
  logBytes: number,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((incoming, outgoing) => {
    const isLog = /\/pods\/[^/]+\/log/.test(incoming.url ?? '');
    const work = isLog ? sendLog(outgoing, logBytes) : forward(config, incoming, outgoing);
    // A client that leaves ends its request.
    work.catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function sendLog(response: ServerResponse, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && !response.destroyed; sent += CHUNK.length) {
    if (response.write(CHUNK)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const sign of ['drain', 'close']) response.once(sign, resolve);
    await promise;
    for (const sign of ['drain', 'close']) response.off(sign, resolve);
  }
  response.end();
}

async function forward(
  config: ClusterConfig,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', config.server);
  const token = await config.token?.();
  const { host, ...headers } = incoming.headers;
  const options = {
    method: incoming.method,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(config.socketPath !== undefined && { socketPath: config.socketPath }),
    ...(config.certificateAuthority !== undefined && { ca: config.certificateAuthority }),
    ...(config.clientCertificate !== undefined && { cert: config.clientCertificate, key: config.clientKey }),
  };
  const sent = url.protocol === 'https:' ? secureRequest(url, options) : request(url, options);
  outgoing.once('close', () => sent.destroy());
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  await pipeline(incoming, sent);
  const [response] = await answered;
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  outgoing.flushHeaders();
  await pipeline(response, outgoing);
}
