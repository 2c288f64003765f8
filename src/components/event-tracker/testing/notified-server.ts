/** A control plane as ChaosCenter's server is on the wire of `gitopsNotifier`, for tests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Arrivals } from '@turnsole/kube/testing/arrivals';
import { isObject, parseObject } from '@turnsole/kube/text/json';

/** A notification that came. */
export interface Notification {
  /** From the header that identifies a repeated notification. */
  readonly id: string;
  readonly experimentID: unknown;
  readonly clusterInfo: unknown;
  readonly query: string;
}

/** The answer: a whole body with its status, a body that breaks off, or nothing at all. */
export type NotifiedReply = { readonly status: number; readonly body: string } | 'half' | 'silence' | 'cut';

/** An acknowledgement, as ChaosCenter writes it. */
export function acknowledged({ experimentID }: Notification): NotifiedReply {
  return said(`Request Acknowledged for experimentID: ${String(experimentID)}`);
}

/** Data of the field. */
export function said(gitopsNotifier: unknown): NotifiedReply {
  return { status: 200, body: JSON.stringify({ data: { gitopsNotifier } }) };
}

/** GraphQL errors, with status 200 as ChaosCenter sends them. */
export function failed(message: string): NotifiedReply {
  return {
    status: 200,
    body: JSON.stringify({ errors: [{ message, path: ['gitopsNotifier'] }], data: null }),
  };
}

export class NotifiedServer implements AsyncDisposable {
  /** Everything that came, in order. */
  readonly received: Notification[] = [];
  /** Answers; the last of them stays. */
  reply: (notification: Notification) => NotifiedReply = acknowledged;
  readonly #server: ReturnType<typeof createServer>;
  readonly #scheme: string;
  readonly #sockets = new Set<Socket>();
  readonly #arrivals = new Arrivals();

  private constructor(tls: ServerOptions | undefined) {
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#answer(request, response);
    this.#server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
    this.#scheme = tls === undefined ? 'http' : 'https';
  }

  static async start(port = 0, tls?: ServerOptions): Promise<NotifiedServer> {
    const server = new NotifiedServer(tls);
    server.#server.on('connection', (socket) => {
      server.#sockets.add(socket);
      socket.once('close', () => server.#sockets.delete(socket));
    });
    server.#server.listen(port, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}/query`;
  }

  /** Ids of what a receiver that heeds them acts on. */
  get actedOn(): string[] {
    return [...new Set(this.received.map(({ id }) => id))];
  }

  /** Resolves when something that came makes it so. */
  async until(isSo: () => boolean): Promise<void> {
    await this.#arrivals.until(isSo, () => `not so with what came: ${JSON.stringify(this.received)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { query, variables } = parseObject(Buffer.concat(chunks).toString()) ?? {};
    const { experimentID, clusterInfo } = isObject(variables) ? variables : {};
    const id = String(request.headers['idempotency-key']);
    const notification = { id, experimentID, clusterInfo, query: String(query) };
    this.received.push(notification);
    const reply = this.reply(notification);
    this.#arrivals.came();
    if (reply === 'silence') return;
    if (reply === 'cut') return void request.socket.destroy();
    if (reply === 'half') {
      response
        .writeHead(200, { 'content-length': 1_000 })
        .write('{"data":{"gitops', () => response.destroy());
      return;
    }
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  }
}
