import { randomBytes } from 'node:crypto';
import type { Pod } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Termination } from '../pod/observed.ts';
import type { ContainerPlan, SimulatedRun } from './plan.ts';

/** Reports of a simulated run: running, perhaps ready later, and in any case exited, unless it is ended silently. */
interface SimulationReports {
  running(id: string, ready: boolean): void;
  ready(): void;
  exited(termination: Termination): void;
}

/** What one run follows from. */
interface ContainerSimulationOptions extends Omit<SimulatedRun, 'signal' | 'pod'> {
  /** The pod as it is now: its first state would be kept in memory as long as the run. */
  readonly pod: () => Pod;
  readonly plan: ContainerPlan;
  readonly reports: SimulationReports;
}

/** 128 + SIGTERM and SIGKILL. */
const EXIT_TERMINATED = { exitCode: 143, signal: 15 } as const;
const EXIT_KILLED = { exitCode: 137, signal: 9 } as const;

/** Longest time that a timer of the machine can be set to; such a run does not end before its cluster does. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One run of a simulated container: a few timers, or a function in its place. Used once. */
export class ContainerSimulation {
  readonly #options: ContainerSimulationOptions;
  readonly #id = randomBytes(32).toString('hex');
  readonly #timers = new Set<() => void>();
  readonly #stop = new AbortController();
  #startedAtMs = 0;
  #over = false;
  #killAtMs = Number.POSITIVE_INFINITY;

  constructor(options: ContainerSimulationOptions) {
    this.#options = options;
  }

  /** Starts it; what follows is reported. */
  start(): void {
    const { plan, clock } = this.#options;
    this.#startedAtMs = clock.now();
    this.#after(plan.startAfterMs ?? 0, () => this.#run());
  }

  /** Asks it to end, at the latest at the deadline. Again with an earlier one to hurry. */
  stop(deadlineMs: number): void {
    const { plan, clock } = this.#options;
    this.#stop.abort(new Error('the container is stopped'));
    const nowMs = clock.now();
    if (!Number.isFinite(this.#killAtMs)) {
      const ownMs = nowMs + (plan.stopAfterMs ?? 0);
      if (ownMs <= deadlineMs) this.#after(ownMs - nowMs, () => this.#exit(EXIT_TERMINATED));
    }
    if (deadlineMs >= this.#killAtMs) return;
    this.#killAtMs = deadlineMs;
    if (!this.#over) this.#after(Math.max(0, deadlineMs - nowMs), () => this.#exit(EXIT_KILLED));
  }

  /** Ends it without a report. */
  end(): void {
    this.#over = true;
    this.#clear();
    this.#stop.abort(new Error('the node is gone'));
  }

  #run(): void {
    const { plan, reports } = this.#options;
    if (plan.failStart !== undefined) {
      this.#exit({ exitCode: 128, reason: 'StartError', message: plan.failStart });
      return;
    }
    const { readyAfterMs = 0, runMs = Number.POSITIVE_INFINITY } = plan;
    reports.running(this.#id, readyAfterMs === 0);
    if (readyAfterMs > 0) this.#after(readyAfterMs, () => reports.ready());
    if (plan.act === undefined) this.#after(runMs, () => this.#exit({ exitCode: plan.exitCode ?? 0 }));
    else void this.#act(plan.act);
  }

  async #act(act: NonNullable<ContainerPlan['act']>): Promise<void> {
    const { plan: _plan, reports: _reports, pod, ...run } = this.#options;
    try {
      const exitCode = await act({ ...run, pod: pod(), signal: this.#stop.signal });
      if (!this.#stop.signal.aborted) this.#exit({ exitCode: exitCode ?? 0 });
    } catch (error) {
      const message = messageOf(error);
      if (!this.#stop.signal.aborted) this.#exit({ exitCode: 1, message });
    }
  }

  /** At once for no time, never for an endless one. */
  #after(ms: number, callback: () => void): void {
    if (this.#over) return;
    if (ms <= 0) {
      callback();
      return;
    }
    if (ms > MAX_TIMER_MS) return;
    const cancel = this.#options.clock.setTimer(ms, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
  }

  #exit(how: Pick<Termination, 'exitCode'> & Partial<Termination>): void {
    if (this.#over) return;
    this.#over = true;
    this.#clear();
    this.#options.reports.exited({
      id: this.#id,
      reason: how.exitCode === 0 ? 'Completed' : 'Error',
      startedAtMs: this.#startedAtMs,
      finishedAtMs: this.#options.clock.now(),
      ...how,
    });
  }

  #clear(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
