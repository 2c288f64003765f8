import type { Container } from '@turnsole/kube/kinds/core';
import { type CheckTarget, check, type Handler } from './check.ts';
import {
  afterAttempt,
  type ContainerProbeKind,
  initialProbeState,
  nextAttemptMs,
  type ProbeNumbers,
  probeTiming,
} from './schedule.ts';

/** What the prober of one run of a container reports. */
interface ProbeReports {
  /** The startup probe has succeeded; called at once when the container has none. */
  started(): void;
  ready(ready: boolean): void;
  /** A startup or liveness probe has failed as often as it may: the container is to be restarted. */
  failed(kind: 'startup' | 'liveness'): void;
  /** An attempt that counts has failed. */
  unhealthy(kind: ContainerProbeKind, message: string): void;
}

type Probe = Handler & ProbeNumbers & { readonly terminationGracePeriodSeconds?: number };

/**
 * Runs the probes of one run of a container: the startup probe first, and after its success readiness and liveness
 * side by side. Ends with `stop`; reports nothing after that.
 */
export class ContainerProber {
  readonly #target: CheckTarget;
  readonly #startedAtMs: number;
  readonly #reports: ProbeReports;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(target: CheckTarget, startedAtMs: number, reports: ProbeReports) {
    this.#target = target;
    this.#startedAtMs = startedAtMs;
    this.#reports = reports;
    this.#running = this.#run(target.container);
  }

  /** Ends all attempts; resolves when none is under way. Idempotent. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run({ startupProbe, readinessProbe, livenessProbe }: Container): Promise<void> {
    const reports = this.#reports;
    await Promise.resolve(); // nothing is reported before the constructor has returned
    if (this.#stop.signal.aborted) return;
    if (startupProbe !== undefined) {
      const up = await this.#probe('startup', startupProbe, () => {});
      if (this.#stop.signal.aborted) return;
      if (!up) return reports.failed('startup');
    }
    reports.started();
    const readiness =
      readinessProbe === undefined
        ? reports.ready(true)
        : this.#probe('readiness', readinessProbe, (ready) => reports.ready(ready));
    const liveness =
      livenessProbe === undefined
        ? undefined
        : this.#probe('liveness', livenessProbe, () => {}).then((up) => {
            if (!up && !this.#stop.signal.aborted) reports.failed('liveness');
          });
    await Promise.all([readiness, liveness]);
  }

  /**
   * Attempts until stopped, or until the verdict that ends this kind: a startup probe's first, a liveness probe's
   * failure. Gives the last verdict.
   */
  async #probe(
    kind: ContainerProbeKind,
    probe: Probe,
    onVerdict: (verdict: boolean) => void,
  ): Promise<boolean> {
    const { clock } = this.#target;
    const { signal } = this.#stop;
    const timing = probeTiming(kind, probe);
    let state = initialProbeState(timing, this.#startedAtMs);
    for (;;) {
      const dueMs = nextAttemptMs(state);
      try {
        await clock.sleep(Math.max(0, dueMs - clock.now()), signal);
      } catch {
        return false;
      }
      const outcome = await check(probe, this.#target, timing.timeoutMs, signal);
      if (signal.aborted) return false;
      const before = state.verdict;
      const next = afterAttempt(state, timing, outcome.ok, dueMs, clock.now());
      state = next;
      if (!outcome.ok && next.counted) this.#reports.unhealthy(kind, outcome.message);
      if (next.verdict === undefined || next.verdict === before) continue;
      onVerdict(next.verdict);
      if (kind === 'startup' || (kind === 'liveness' && !next.verdict)) return next.verdict;
    }
  }
}
