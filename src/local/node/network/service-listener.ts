import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Random } from '../../../kube/runtime/clock.ts';
import type { Backend, ServicePort } from './backends.ts';

/** What a listener needs besides its port. */
export interface ListenerOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** A backend that does not answer at all is given up after this long, and the next one tried. */
const CONNECT_LIMIT_MS = 3_000;

/** Serves one port of one service: accepts on its cluster IP and forwards to a backend. */
export class ServiceListener {
  readonly #options: ListenerOptions;
  readonly #sockets = new Set<Socket>();
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

  /** Accepts nothing more. Existing connections stay unless `hard`. */
  close(hard: boolean): void {
    this.#server?.close();
    if (hard) for (const socket of this.#sockets) socket.destroy();
  }

  #listen(host: string, port: number): Promise<void> {
    const server = createServer(
      { allowHalfOpen: true, noDelay: true },
      (client) => void this.#forward(client),
    );
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

  async #forward(client: Socket): Promise<void> {
    this.#keep(client);
    client.on('error', () => {});
    for (const backend of this.#order(client.remoteAddress ?? '')) {
      const upstream = await dial(backend);
      if (client.destroyed) {
        upstream?.destroy();
        return;
      }
      if (upstream === undefined) continue;
      this.#keep(upstream);
      this.#remember(client.remoteAddress ?? '', backend);
      join(client, upstream);
      return;
    }
    // As if nobody listened; too late for a refusal, but not for a reset.
    client.resetAndDestroy();
  }

  /** The backends in the order to try: the client's own first, then round robin. */
  #order(client: string): readonly Backend[] {
    const { backends, affinityMs } = this.#target;
    if (backends.length === 0) return [];
    const at = this.#turn++ % backends.length;
    const order = [...backends.slice(at), ...backends.slice(0, at)];
    const chosen = affinityMs > 0 ? this.#chosen.get(client) : undefined;
    if (chosen === undefined || chosen.untilMs < this.#options.clock.now()) return order;
    const own = order.filter(({ ip, port }) => ip === chosen.backend.ip && port === chosen.backend.port);
    return [...own, ...order.filter((backend) => !own.includes(backend))];
  }

  #remember(client: string, backend: Backend): void {
    const { affinityMs } = this.#target;
    if (affinityMs > 0)
      this.#chosen.set(client, { backend, untilMs: this.#options.clock.now() + affinityMs });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
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

/** Passes bytes, ends and failures of each side to the other. */
function join(client: Socket, upstream: Socket): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => {
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
}
