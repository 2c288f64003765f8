/** Proxied connections that change protocol: WebSockets. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestInfo } from '../../http/request-info.ts';
import { noSuchPath } from '../../http/status.ts';
import type { ServerParts } from '../../registry/environment.ts';
import { readProxyUrl } from './handle.ts';
import { forwardedHeaders, returnedHeaders } from './headers.ts';
import { answerOf, hostOf, openRequest, unreachable } from './send.ts';
import { proxyTarget } from './target.ts';

interface ProxyUpgrade {
  readonly env: ServerParts;
  readonly info: RequestInfo;
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes of the new protocol that came with the request. */
  readonly head: Buffer;
}

/**
 * Connects the client to the server behind the proxy, whose answer decides what becomes of the connection. Resolves when that
 * answer has been passed on.
 * @throws StatusError when the target is not there
 */
export async function upgradeProxy({ env, info, message, socket, head }: ProxyUpgrade): Promise<void> {
  const { method = 'GET', url = '', headers } = message;
  const parts = readProxyUrl(url);
  if (parts === undefined) throw noSuchPath();
  const { prefix, rest, query } = parts;
  const target = proxyTarget(env, info.plural, info.namespace, info.name);
  const upgrade = headers.upgrade ?? '';
  const request = openRequest(
    target,
    {
      method,
      path: `${rest === '' ? '/' : rest}${query}`,
      headers: { ...forwardedHeaders(headers, `${prefix}${rest}`), connection: 'Upgrade', upgrade },
    },
    env.clock,
  );
  socket.once('close', () => request.destroy());
  const source = { prefix, hosts: [hostOf(target), headers.host ?? ''] };
  const switched = new Promise<void>((resolve, reject) => {
    request.once('upgrade', (answer, upstream: Duplex, first) => {
      const returned = returnedHeaders(answer.headers, source);
      writeHead(socket, answer, { ...returned, connection: 'Upgrade', upgrade: answer.headers.upgrade });
      socket.write(first);
      upstream.write(head);
      join(socket, upstream);
      resolve();
    });
    request.on('error', (error) => reject(unreachable(error, target)));
  });
  const refused = answerOf(request, target).then((answer) => {
    writeHead(socket, answer, { ...returnedHeaders(answer.headers, source), connection: 'close' });
    answer.pipe(socket);
  });
  request.end();
  await Promise.race([switched, refused]);
}

function join(client: Duplex, upstream: Duplex): void {
  upstream.on('error', () => client.destroy());
  upstream.once('close', () => client.destroy());
  client.once('close', () => upstream.destroy());
  client.pipe(upstream);
  upstream.pipe(client);
}

function writeHead(socket: Duplex, answer: IncomingMessage, headers: OutgoingHttpHeaders): void {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== undefined)
      .map((item) => `${name}: ${String(item)}`),
  );
  const status = `HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}`;
  socket.write(`${[status, ...lines].join('\r\n')}\r\n\r\n`);
}
