/** The side inside: a process that was started in namespaces of its own, as their root, and serves a cluster to the process outside. */
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { Order, Outward, Report } from './messages.ts';

/** What a cluster inside uses of the process outside. */
export interface Outside {
  /**
   * Listens where the clients outside are, on a loopback port; 0: on any. The server accepts in this process.
   *
   * @throws Error with the code of the system, EADDRINUSE when another program has the port
   */
  listen(port: number): Promise<Server>;
  readonly outward: Outward;
}

/** The cluster that is served. */
interface Served<Facts> {
  /** What the process outside is to know of it, as plain data. */
  readonly facts: Facts;
  /** Does what the process outside asks for. Argument and value are plain data. */
  call(argument: unknown, onProgress: (text: string) => void, signal: AbortSignal): Promise<unknown>;
  close(options: { readonly graceMs?: number | undefined }): Promise<void>;
}

/** Starts a cluster. @throws Error whose message the process outside prints; an IsolationError where these namespaces cannot isolate pods */
type Start<Options, Facts> = (
  options: Options,
  outside: Outside,
  context: { readonly signal: AbortSignal; readonly onProblem: (message: string) => void },
) => Promise<Served<Facts>>;

/**
 * Serves a cluster until the process outside closes it, or has ended, also by `kill -9`. Resolves to the exit code.
 *
 * @throws Error when this process was not started by one outside
 */
export async function serveInside<Options, Facts>(start: Start<Options, Facts>): Promise<number> {
  if (process.send === undefined)
    throw new Error('this is a part of the embedded cluster: turnsole starts it itself');
  const gone = new AbortController();
  process.once('disconnect', () => gone.abort(new Error('the process that this belongs to is gone')));
  // What the terminal sends to all is for the process outside, which closes this one in its own time.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const) process.on(signal, () => {});
  const report = (message: Report<Facts>): void => {
    if (process.connected) process.send?.(message);
  };
  const orders = new Orders<Options>(gone.signal);
  try {
    const { options, outward } = await orders.next('start');
    const listen = async (port: number): Promise<Server> => {
      const answer = orders.nextListening();
      report({ kind: 'listen', port });
      return answer;
    };
    const onProblem = (message: string): void => report({ kind: 'problem', message });
    const served = await start(options, { listen, outward }, { signal: gone.signal, onProblem });
    answerCalls(served, report);
    report({ kind: 'ready', facts: served.facts });
    const graceMs = await orders.next('close').then(
      (order) => order.graceMs,
      () => 0,
    );
    await served.close({ graceMs });
    return 0;
  } catch (error) {
    if (gone.signal.aborted) return 0;
    const { message, code, name } = error as NodeJS.ErrnoException;
    report({ kind: 'failed', message, code, isUnfit: name === 'IsolationError' });
    return 1;
  } finally {
    if (process.connected) process.disconnect();
  }
}

function answerCalls<Facts>({ call }: Served<Facts>, report: (message: Report<Facts>) => void): void {
  const underWay = new Map<number, AbortController>();
  process.on('message', (message) => {
    const order = message as Order<never>; // of the same release
    if (order.kind === 'cancel') underWay.get(order.call)?.abort();
    if (order.kind !== 'call') return;
    const { call: number, argument } = order;
    const cancelling = new AbortController();
    underWay.set(number, cancelling);
    const onProgress = (text: string): void => report({ kind: 'progress', call: number, text });
    void call(argument, onProgress, cancelling.signal)
      .then(
        (value) => report({ kind: 'answer', call: number, value }),
        (error: Error) => report({ kind: 'refusal', call: number, error }),
      )
      .finally(() => underWay.delete(number));
  });
}

/** The orders from outside, each of which is waited for by one. */
class Orders<Options> {
  readonly #gone: AbortSignal;

  constructor(gone: AbortSignal) {
    this.#gone = gone;
  }

  async next<K extends Order<Options>['kind']>(kind: K): Promise<Extract<Order<Options>, { kind: K }>> {
    for (;;) {
      const [order] = (await once(process, 'message', { signal: this.#gone })) as [Order<Options>];
      if (order.kind === kind) return order as Extract<Order<Options>, { kind: K }>;
    }
  }

  /** @throws Error with the system's code when the port cannot be had */
  async nextListening(): Promise<Server> {
    for (;;) {
      const [order, server] = (await once(process, 'message', { signal: this.#gone })) as [
        Order<Options>,
        Server | undefined,
      ];
      if (order.kind === 'not-listening') throw Object.assign(new Error(order.message), { code: order.code });
      if (order.kind === 'listening' && server !== undefined) return server;
    }
  }
}
