import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import type { Backend, ServicePort } from './backends.ts';

/** What a listener needs besides its port. */
export interface ListenerOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly random: Random;
  /** Whether the pod of this address may talk with a backend of the service. @default all may */
  readonly mayTalk?: (client: string, service: ServicePort, backend: Backend) => boolean;
}

/** A backend that does not answer at all is given up after this long, and the next one tried. */
const CONNECT_LIMIT_MS = 3_000;

/** A client that waits for longer has given up: it is as long as a kernel tries to connect without an answer. */
const HOLD_LIMIT_MS = 127_000;

/** Serves one port of one service: accepts on its cluster IP and forwards to a backend. */
export class ServiceListener {
  readonly #options: ListenerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Map<
    ProxiedConnection,
    { readonly client: string; readonly backend: Backend }
  >();
  /** Clients that may not talk with the backend chosen for them: they wait, as if their packets were dropped. */
  readonly #held = new Map<Socket, Backend>();
  readonly #chosen = new Map<string, { readonly backend: Backend; readonly untilMs: number }>();
  #target: ServicePort;
  #server: Server | undefined;
  #turn: number;

  private constructor(target: ServicePort, options: ListenerOptions) {
    this.#target = target;
    this.#options = options;
    this.#turn = Math.floor(options.random() * 1024);
  }

  /**
   * Listens on the service's address and port.
   *
   * @param port another port than the service's, 0 for any free one
   * @throws Error of the system, with its code (EACCES, EADDRINUSE), when that cannot be had
   */
  static async open(
    target: ServicePort,
    options: ListenerOptions,
    port = target.port,
  ): Promise<ServiceListener> {
    const listener = new ServiceListener(target, options);
    await listener.#listen(target.clusterIP, port);
    return listener;
  }

  /** The port it listens on. */
  get port(): number {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address.port : this.#target.port;
  }

  /** New connections go to these backends; existing ones stay. */
  update(target: ServicePort): void {
    this.#target = target;
    if (target.affinityMs === 0) this.#chosen.clear();
  }

  /** Cuts connections that may not be any more, and mends those that may again. */
  recheck(): void {
    for (const [connection, { client, backend }] of this.#connections)
      connection.cut(!this.#mayTalk(client, backend));
    for (const [socket, backend] of [...this.#held]) {
      if (!this.#mayTalk(socket.remoteAddress ?? '', backend)) continue;
      this.#held.delete(socket);
      socket.setTimeout(0);
      void this.#forward(socket, [backend]);
    }
  }

  /** Accepts nothing more. Existing connections stay unless `hard`. */
  close(hard: boolean): void {
    this.#server?.close();
    if (hard) for (const socket of this.#sockets) socket.destroy();
  }

  #listen(host: string, port: number): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      this.#keep(client);
      client.on('error', () => {});
      void this.#forward(client, this.#order(client.remoteAddress ?? ''));
    });
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        server.on('error', () => {}); // of a single accept: too many open files
        resolve();
      });
    });
  }

  async #forward(client: Socket, backends: readonly Backend[]): Promise<void> {
    const address = client.remoteAddress ?? '';
    for (const backend of backends) {
      if (!this.#mayTalk(address, backend)) {
        this.#held.set(client, backend);
        client.setTimeout(HOLD_LIMIT_MS, () => client.destroy());
        return;
      }
      const upstream = await dial(backend);
      if (client.destroyed) {
        upstream?.destroy();
        return;
      }
      if (upstream === undefined) continue;
      this.#keep(upstream);
      this.#remember(address, backend);
      this.#join(client, address, upstream, backend);
      return;
    }
    // As if nothing listened; too late for a refusal, but not for a reset.
    client.resetAndDestroy();
  }

  /** The backends in the order to try: the client's own first, then round robin. */
  #order(client: string): readonly Backend[] {
    const { backends, affinityMs } = this.#target;
    if (backends.length === 0) return [];
    const at = this.#turn++ % backends.length;
    const order = [...backends.slice(at), ...backends.slice(0, at)];
    const chosen = affinityMs > 0 ? this.#chosen.get(client) : undefined;
    if (chosen === undefined || chosen.untilMs < this.#options.clock.monotonic()) return order;
    const own = order.filter(({ ip, port }) => ip === chosen.backend.ip && port === chosen.backend.port);
    return [...own, ...order.filter((backend) => !own.includes(backend))];
  }

  #remember(client: string, backend: Backend): void {
    const { affinityMs } = this.#target;
    if (affinityMs > 0)
      this.#chosen.set(client, { backend, untilMs: this.#options.clock.monotonic() + affinityMs });
  }

  #join(client: Socket, address: string, upstream: Socket, backend: Backend): void {
    const connection = new ProxiedConnection(client, upstream);
    this.#connections.set(connection, { client: address, backend });
    client.once('close', () => this.#connections.delete(connection));
    // It may have become forbidden while the backend was dialled.
    connection.cut(!this.#mayTalk(address, backend));
  }

  #mayTalk(client: string, backend: Backend): boolean {
    return this.#options.mayTalk?.(client, this.#target, backend) ?? true;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#held.delete(socket);
    });
  }
}

function dial({ ip, port }: Backend): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: ip, port, allowHalfOpen: true, noDelay: true });
    const fail = (): void => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(CONNECT_LIMIT_MS, fail);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/**
 * A connection of a client to a backend: passes bytes, ends and failures of each side to the other. While it is cut, it passes nothing,
 * and neither side notices: as if their packets were dropped.
 */
class ProxiedConnection {
  readonly #ends: readonly (readonly [from: Socket, to: Socket])[];
  #isCut = false;

  constructor(client: Socket, upstream: Socket) {
    this.#ends = [
      [client, upstream],
      [upstream, client],
    ];
    for (const [from, to] of this.#ends) {
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => {
        if (!from.readableEnded) to.destroy();
      });
      from.pipe(to);
    }
  }

  /** Cuts it, or mends it again. */
  cut(isCut: boolean): void {
    if (isCut === this.#isCut) return;
    this.#isCut = isCut;
    for (const [from, to] of this.#ends) {
      if (isCut) {
        from.unpipe(to);
        from.pause();
      } else from.pipe(to);
    }
  }
}
