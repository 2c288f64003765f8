import type { RunEvent } from '../../../src/components/subscriber/events/run-event.ts';
import { unpackRecord } from '../../../src/components/subscriber/records/run-record.ts';
import {
  type ControlPlaneOptions,
  type Reply,
  TestControlPlane,
} from '../../../src/components/subscriber/testing/control-plane.ts';

/** What has arrived of a run. */
interface Arrived {
  /** Step of the last event. */
  step: number;
  isOver: boolean;
  /** Events, repeated ones included. */
  count: number;
}

/** A control plane that can be killed and comes back on its port, and remembers what arrived over all its lives. */
export class Arrivals implements AsyncDisposable {
  readonly #runs = new Map<string, Arrived>();
  /** Steps of engines, by the engine's name. */
  readonly #steps = new Map<string, Set<string>>();
  readonly problems: string[] = [];
  #server: TestControlPlane;
  readonly port: number;

  private constructor(server: TestControlPlane) {
    this.#server = server;
    this.port = server.port;
  }

  static async start(): Promise<Arrivals> {
    const arrivals: { current?: Arrivals } = {};
    const server = await TestControlPlane.start(optionsOf((request) => arrivals.current?.take(request)));
    arrivals.current = new Arrivals(server);
    return arrivals.current;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/query`;
  }

  /** Resolves when the subscriber is connected. */
  async subscribed(): Promise<void> {
    await this.#server.until(() => this.#server.isSubscribed);
  }

  /** Runs of which the last state has arrived. */
  get over(): number {
    return [...this.#runs.values()].filter(({ isOver }) => isOver).length;
  }

  /** All events that arrived. */
  get count(): number {
    return [...this.#runs.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** How many steps of an engine have arrived, each counted once. */
  stepsOf(engine: string): number {
    return this.#steps.get(engine)?.size ?? 0;
  }

  stepOf(run: string): number | undefined {
    return this.#runs.get(run)?.step;
  }

  cut(): void {
    this.#server.cut();
  }

  async kill(): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  async restart(): Promise<void> {
    const options = optionsOf((request) => this.take(request));
    this.#server = await TestControlPlane.start({ ...options, port: this.port });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** Notes an event. Nothing older may come after something newer, and nothing at all after the last state but itself. */
  take(request: Readonly<Record<string, unknown>>): Reply | undefined {
    if (typeof request.record === 'string') return this.#takeRecord(request.record);
    if (typeof request.executionData !== 'string') return undefined;
    // The subscriber's own form.
    const event = JSON.parse(Buffer.from(request.executionData, 'base64').toString()) as RunEvent;
    const step = Number(/\d+$/.exec(event.message)?.[0] ?? 0);
    const known = this.#runs.get(event.name);
    const isOver = request.completed === true;
    if (known !== undefined && (step < known.step || (known.isOver && !isOver))) {
      this.problems.push(`${event.name}: step ${step} came after step ${known.step}`);
    }
    this.#runs.set(event.name, { step, isOver, count: (known?.count ?? 0) + 1 });
    return undefined;
  }
  /** Merges steps of an engine, as our server does. */
  #takeRecord(text: string): Reply {
    const { name, known, steps } = unpackRecord(Buffer.from(text, 'base64'));
    const own = this.#steps.get(name) ?? new Set();
    this.#steps.set(name, own);
    if (own.size < known) return { data: 'INCOMPLETE' };
    for (const { message } of steps) own.add(message);
    return { data: 'TAKEN' };
  }
}

function optionsOf(
  take: (request: Readonly<Record<string, unknown>>) => Reply | undefined,
): ControlPlaneOptions {
  return { ackPayload: { turnsole: { runRecords: true } }, reply: ({ request }) => take(request) };
}
