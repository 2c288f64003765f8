import type { Agent } from 'node:http';
import { type Clock, steadyClock } from '@turnsole/kube/base/clock';
import { Lag } from './lag.ts';
import type { LoadPlan, LoadRecord, LoadTarget } from './load-plan.ts';
import { type OpenRequest, requestOptions, sendOne } from './one-request.ts';
import { dueAtMs, dueBy, turnsOf } from './schedule.ts';

/** What a load needs besides its plan. */
interface LoadOptions {
  /** Gives the time stamps of records, in milliseconds since 1970. */
  readonly stamp: () => number;
  /** Called for every request that has ended, and for those that were not sent. */
  readonly onRecord: (record: LoadRecord) => void;
  /** For the schedule: a clock that does not jump. @default the machine's, since this process began */
  readonly clock?: Clock;
}

/** A load under way. */
export interface Load {
  /** No further request is sent. Resolves when those under way have ended, which their limit bounds. */
  stop(): Promise<void>;
  /** Ends all at once, without records of those under way. */
  abort(): void;
  /** The longest time for which this process could not work, in milliseconds. */
  readonly longestLagMs: number;
}

/** A request that is due for longer is not sent: a burst of them would be another load than the one asked for. */
const LATE_LIMIT_MS = 250;
/** The process looks at least this often whether it was late. */
const HEARTBEAT_MS = 50;

/** Begins to send a load at once, and goes on until it is stopped. */
export function startLoad(plan: LoadPlan, options: LoadOptions): Load {
  return new Sender(plan, options);
}

class Sender implements Load {
  readonly #plan: LoadPlan;
  readonly #options: LoadOptions;
  readonly #clock: Clock;
  readonly #lag = new Lag();
  readonly #turns: readonly number[];
  readonly #open: readonly OpenRequest[];
  readonly #agents: readonly Agent[];
  readonly #beganMs: number;
  /** Ends a request that is under way. */
  readonly #underWay = new Set<() => void>();
  readonly #quiet = Promise.withResolvers<void>();
  #next = 0;
  #cancelTimer = (): void => {};
  #hasStopped = false;

  constructor(plan: LoadPlan, options: LoadOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#clock = options.clock ?? steadyClock;
    this.#turns = turnsOf(plan.targets.map(({ weight }) => weight));
    const { open, agents } = openers(plan);
    this.#open = open;
    this.#agents = agents;
    this.#beganMs = this.#clock.now();
    this.#tick();
  }

  get longestLagMs(): number {
    return this.#lag.longestMs;
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#quiet.promise;
    for (const agent of this.#agents) agent.destroy();
  }

  abort(): void {
    this.#end();
    for (const cancel of this.#underWay) cancel();
    this.#underWay.clear();
    this.#endIfQuiet();
    for (const agent of this.#agents) agent.destroy();
  }

  #end(): void {
    this.#hasStopped = true;
    this.#endIfQuiet();
  }

  /** While a request is under way, the process looks whether it is late: its limit depends on that. */
  #endIfQuiet(): void {
    if (!this.#hasStopped || this.#underWay.size > 0) return;
    this.#cancelTimer();
    this.#quiet.resolve();
  }

  #tick(): void {
    const nowMs = this.#clock.now();
    this.#lag.woke(nowMs);
    if (!this.#hasStopped) this.#sendDue(nowMs - this.#beganMs);
    const dueInMs = dueAtMs(this.#plan, this.#next) - (this.#clock.now() - this.#beganMs);
    // Node's timers have whole milliseconds.
    const waitMs = Math.max(1, Math.min(HEARTBEAT_MS, dueInMs));
    this.#lag.sleepsUntil(this.#clock.now() + waitMs);
    this.#cancelTimer = this.#clock.setTimer(waitMs, () => this.#tick());
  }

  #sendDue(elapsedMs: number): void {
    this.#skipLate(elapsedMs);
    for (const due = dueBy(this.#plan, elapsedMs); this.#next < due; this.#next += 1) this.#send();
  }

  /** Gives up those that are due for too long. */
  #skipLate(elapsedMs: number): void {
    const count = dueBy(this.#plan, elapsedMs - LATE_LIMIT_MS) - this.#next;
    if (count <= 0) return;
    const lateMs = elapsedMs - dueAtMs(this.#plan, this.#next);
    this.#next += count;
    const atMs = this.#options.stamp() - LATE_LIMIT_MS;
    this.#options.onRecord({ outcome: 'unsent', atMs, count, why: 'late', lateMs });
  }

  #send(): void {
    const { targets, timeoutMs, concurrency } = this.#plan;
    const atMs = this.#options.stamp();
    const index = this.#turns[this.#next % this.#turns.length] ?? 0;
    const [target, open] = [targets[index], this.#open[index]];
    if (target === undefined || open === undefined) return;
    if (this.#underWay.size >= concurrency) {
      this.#options.onRecord({ outcome: 'unsent', atMs, count: 1, why: 'busy', lateMs: 0 });
      return;
    }
    const cancel = sendOne({
      target,
      open,
      timeoutMs,
      clock: this.#clock,
      lag: this.#lag,
      onEnd: (end) => {
        this.#underWay.delete(cancel);
        this.#options.onRecord({ ...end, atMs, target: index });
        this.#endIfQuiet();
      },
    });
    this.#underWay.add(cancel);
  }
}

/** For each target what opens a request to it; of a pool all of a protocol share one agent. */
function openers({ targets, connections, tls }: LoadPlan): {
  readonly open: readonly OpenRequest[];
  readonly agents: readonly Agent[];
} {
  const agents = new Map<string, Agent>();
  const { verifyTls, ...certificates } = tls;
  const open = targets.map((target: LoadTarget): OpenRequest => {
    const isSecure = target.url.protocol === 'https:';
    // Not by `import`: the façade of an ES module reads every export of node:http, and so loads undici.
    const { request, Agent } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
    const options = {
      ...requestOptions(target),
      ...(isSecure && { rejectUnauthorized: verifyTls, ...certificates }),
    };
    if (connections === 0) return () => request({ ...options, agent: false });
    const agent =
      agents.get(target.url.protocol) ??
      new Agent({
        keepAlive: true,
        maxSockets: connections,
        maxFreeSockets: connections,
        scheduling: 'fifo',
      });
    agents.set(target.url.protocol, agent);
    return () => request({ ...options, agent });
  });
  return { open, agents: [...agents.values()] };
}
