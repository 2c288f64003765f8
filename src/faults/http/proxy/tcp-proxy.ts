import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import type { Relay, RelayContext, RelayFactory, Tally } from './relay.ts';

/** What a proxy needs. */
interface TcpProxyOptions {
  /** 0: one that is free. */
  readonly port: number;
  /** @default all addresses, of both families if the host has both */
  readonly host?: string;
  /** Destination of a connection; by default the address it came in at. */
  readonly upstream: { readonly host?: string; readonly port: number };
  readonly relay: RelayFactory;
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  readonly random: Random;
  /** Each message once. */
  readonly warn: (message: string) => void;
}

/** Connections that may wait to be accepted; the kernel's own limit (somaxconn) is usually this. */
const BACKLOG = 4096;

/** Accepts connections, opens one upstream for each, and gives both to a relay. */
export class TcpProxy {
  /** The counts so far. */
  readonly tally: Readonly<Tally>;
  readonly #server: Server;
  readonly #connections = new Map<Socket, { readonly server: Socket; readonly relay: Relay }>();
  #isClosing = false;
  #onEmpty = (): void => {};

  private constructor(options: TcpProxyOptions) {
    const warned = new Set<string>();
    const tally: Tally = { connections: 0, requests: 0, hits: 0 };
    this.tally = tally;
    const context: RelayContext = {
      tally,
      clock: options.clock,
      random: options.random,
      budget: { bytes: 0 },
      warn: (message) => {
        if (warned.has(message)) return;
        warned.add(message);
        options.warn(message);
      },
    };
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
      this.#accept(client, options, context),
    );
  }

  /** Listens. @throws the error of listen(2): EADDRINUSE, EACCES */
  static async listen(options: TcpProxyOptions): Promise<TcpProxy> {
    const proxy = new TcpProxy(options);
    const { port, host } = options;
    proxy.#server.listen({ port, backlog: BACKLOG, host });
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The port it listens on. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Connections under way. */
  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Takes no more connections, leaves the present ones unaltered, ends each when nothing is under way on it, and cuts the rest
   * after `limitMs`. Idempotent.
   */
  async close(limitMs: number, clock: Pick<Clock, 'setTimer'>): Promise<void> {
    this.#isClosing = true;
    this.#server.close();
    for (const { relay } of this.#connections.values()) relay.drain();
    if (this.#connections.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    const cancel = clock.setTimer(limitMs, () => {
      for (const [client, { server }] of this.#connections) {
        client.resetAndDestroy();
        server.destroy();
      }
    });
    await empty;
    cancel();
  }

  #accept(client: Socket, { upstream, relay }: TcpProxyOptions, context: RelayContext): void {
    context.tally.connections += 1;
    const host = upstream.host ?? client.localAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1';
    const server = connect({ host, port: upstream.port, allowHalfOpen: true, noDelay: true });
    const connection = { server, relay: relay(client, server, context) };
    this.#connections.set(client, connection);
    // A failure of one end also ends the other, as if they were one connection.
    client.on('error', () => server.resetAndDestroy());
    server.on('error', () => client.resetAndDestroy());
    client.once('close', () => {
      if (!server.destroyed) server.destroy();
      this.#connections.delete(client);
      if (this.#connections.size === 0) this.#onEmpty();
    });
    if (this.#isClosing) connection.relay.drain();
  }
}
