import type { Clock } from '@turnsole/kube/base/clock';
import type { Container } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { ContainerLog } from '../logs/container-log.ts';
import { MAX_LINE_BYTES } from '../logs/format.ts';
import { check, type Handler } from '../prober/check.ts';
import { ContainerProber } from '../prober/container-prober.ts';
import type { ContainerProbeKind } from '../prober/schedule.ts';
import type {
  ContainerExit,
  ContainerLaunch,
  PodSandbox,
  RunningContainer,
  StopSignal,
} from '../runtime/types.ts';
import type { Termination } from './observed.ts';
import { readHead } from './read-head.ts';

/** What happens to one run of a container, in this order: running, then started and ready any number of times, exited. */
interface RunReports {
  running(id: string, startedAtMs: number): void;
  started(): void;
  ready(ready: boolean): void;
  exited(termination: Termination): void;
  /** A startup or liveness probe says the container must be restarted. */
  probeFailed(kind: 'startup' | 'liveness'): void;
  event(type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** What one run needs. */
interface RunOptions {
  readonly container: Container;
  readonly sandbox: PodSandbox;
  readonly log: ContainerLog;
  readonly clock: Clock;
  readonly reports: RunReports;
  /** Time to end after a postStart hook has failed, in milliseconds. */
  readonly graceMs: number;
}

const MAX_TERMINATION_MESSAGE = 4096;
const MAX_LOG_MESSAGE = { bytes: 2048, lines: 80 } as const;
/** As much of the log as that can be: the first of the lines may be the longest there is, and each has time and stream before it. */
const LOG_MESSAGE_STORED_BYTES = MAX_LINE_BYTES + MAX_LOG_MESSAGE.bytes + MAX_LOG_MESSAGE.lines * 64;
/** Time for SIGTERM after a preStop hook has used up the grace period (kubelet's minimum). */
const MIN_GRACE_AFTER_HOOK_MS = 2_000;
/** A hook that the pod's owner cannot see ending is not waited for longer than this. */
const HOOK_LIMIT_MS = 600_000;

/** One run of a container, from its start over hooks and probes to its end. Used once. */
export class ContainerRun {
  /** Resolves when every process of the run is gone. Never rejects. */
  readonly gone: Promise<void>;
  readonly #options: RunOptions;
  readonly #ended = new AbortController();
  readonly #resolveGone: () => void;
  #running: RunningContainer | undefined;
  #prober: ContainerProber | undefined;
  #startedAtMs = 0;
  #stopSignal: StopSignal = 'SIGTERM';
  #stopping: { deadlineMs: number; cancelKill: () => void } | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    this.#resolveGone = resolve;
  }

  /** Starts it; what follows is reported. Never rejects. */
  async start(launch: ContainerLaunch): Promise<void> {
    const { sandbox, reports, clock } = this.#options;
    reports.event('Normal', 'Created', 'Container created');
    this.#startedAtMs = clock.now();
    this.#stopSignal = launch.stopSignal ?? 'SIGTERM';
    try {
      this.#running = await sandbox.start(launch);
    } catch (error) {
      this.#couldNotStart(launch, error);
      return;
    }
    const running = this.#running;
    this.#startedAtMs = clock.now();
    void running.gone.then(this.#resolveGone);
    void running.exited.then((exit) => this.#exited(launch, exit));
    reports.event('Normal', 'Started', 'Container started');
    if (this.#stopping !== undefined) {
      // The moment to kill it may have come while there was nothing to kill yet.
      if (clock.now() >= this.#stopping.deadlineMs) running.kill();
      else void this.#terminate(running);
      return;
    }
    await this.#postStart(running);
  }

  /** Stops it so that it is gone by the deadline; again with an earlier one to hurry. The message is for the event. */
  stop(deadlineMs: number, message: string): void {
    if (this.#ended.signal.aborted) return;
    const first = this.#stopping === undefined;
    if (!first && deadlineMs >= (this.#stopping?.deadlineMs ?? 0)) return;
    this.#stopping?.cancelKill();
    this.#stopping = { deadlineMs, cancelKill: this.#killAt(deadlineMs) };
    if (!first) return;
    this.#options.reports.event('Normal', 'Killing', message);
    if (this.#running !== undefined) void this.#terminate(this.#running);
  }

  /** Gives its processes other limits, as far as they are enforced. Throws what keeps it from them. */
  resize(container: Pick<Container, 'name' | 'resources'>): void {
    this.#running?.setLimits?.(container);
  }

  #killAt(deadlineMs: number): () => void {
    const { clock } = this.#options;
    return clock.setTimer(Math.max(0, deadlineMs - clock.now()), () => this.#running?.kill());
  }

  async #postStart(running: RunningContainer): Promise<void> {
    const { container, reports, clock } = this.#options;
    const hook = container.lifecycle?.postStart;
    if (hook !== undefined) {
      const outcome = await this.#hook(hook, running, HOOK_LIMIT_MS);
      if (this.#ended.signal.aborted || this.#stopping !== undefined) return;
      if (!outcome.ok) {
        reports.event('Warning', 'FailedPostStartHook', hookMessage('PostStart', outcome.message));
        this.stop(clock.now() + this.#options.graceMs, `FailedPostStartHook`);
        return;
      }
    }
    if (this.#ended.signal.aborted) return;
    reports.running(running.id, this.#startedAtMs);
    this.#prober = new ContainerProber(
      { podIP: this.#options.sandbox.ip, container, running, clock },
      this.#startedAtMs,
      {
        started: () => reports.started(),
        ready: (ready) => reports.ready(ready),
        failed: (kind) => reports.probeFailed(kind),
        unhealthy: (kind, message) => {
          reports.event('Warning', 'Unhealthy', `${PROBE_WORDS[kind]} probe failed: ${message}`);
        },
      },
    );
  }

  async #terminate(running: RunningContainer): Promise<void> {
    const { container, reports, clock } = this.#options;
    const hook = container.lifecycle?.preStop;
    const remainingMs = (this.#stopping?.deadlineMs ?? 0) - clock.now();
    if (hook !== undefined && remainingMs > 0) {
      // The hook may take all the grace period; the signal still gets a moment of its own.
      this.#stopping?.cancelKill();
      const outcome = await this.#hook(hook, running, remainingMs);
      if (this.#ended.signal.aborted) return;
      if (!outcome.ok) reports.event('Warning', 'FailedPreStopHook', hookMessage('PreStop', outcome.message));
      const deadlineMs = Math.max(this.#stopping?.deadlineMs ?? 0, clock.now() + MIN_GRACE_AFTER_HOOK_MS);
      this.#stopping?.cancelKill();
      this.#stopping = { deadlineMs, cancelKill: this.#killAt(deadlineMs) };
    }
    running.signal(this.#stopSignal);
  }

  async #hook(
    hook: Handler,
    running: RunningContainer,
    limitMs: number,
  ): Promise<{ ok: boolean; message: string }> {
    const { container, sandbox, clock } = this.#options;
    if (hook.sleep !== undefined) {
      const ms = Math.min(hook.sleep.seconds * 1000, limitMs);
      const slept = clock.sleep(ms, this.#ended.signal).catch(() => {});
      return slept.then(() => ({ ok: true, message: '' }));
    }
    return check(hook, { podIP: sandbox.ip, container, running, clock }, limitMs, this.#ended.signal);
  }

  #couldNotStart(launch: ContainerLaunch, error: unknown): void {
    const { container, reports, clock, log } = this.#options;
    const cause = messageOf(error);
    const text = `failed to start container ${JSON.stringify(container.name)}: ${cause}`;
    log.end();
    this.#stopping?.cancelKill();
    this.#ended.abort();
    this.#resolveGone();
    reports.event('Warning', 'Failed', `Error: ${text}`);
    reports.exited({
      id: launch.id,
      exitCode: 128,
      reason: 'StartError',
      message: text,
      startedAtMs: this.#startedAtMs,
      finishedAtMs: clock.now(),
    });
  }

  async #exited(launch: ContainerLaunch, exit: ContainerExit): Promise<void> {
    const { clock, reports } = this.#options;
    const finishedAtMs = clock.now();
    this.#stopping?.cancelKill();
    this.#ended.abort();
    void this.#prober?.stop();
    const message = await this.#terminationMessage(exit);
    reports.exited({
      id: launch.id,
      exitCode: exit.exitCode,
      signal: exit.signal,
      reason: exit.oomKilled === true ? 'OOMKilled' : exit.exitCode === 0 ? 'Completed' : 'Error',
      ...(message === '' ? {} : { message }),
      startedAtMs: this.#startedAtMs,
      finishedAtMs,
    });
  }

  /** What the container left in its termination message file, or the end of its log where it asks for that. */
  async #terminationMessage({ exitCode }: ContainerExit): Promise<string> {
    const { container, sandbox, log } = this.#options;
    const path = container.terminationMessagePath ?? '/dev/termination-log';
    const file = sandbox.pathOf(container.name, path);
    const text = await readHead(file, MAX_TERMINATION_MESSAGE);
    if (text !== '' || exitCode === 0 || container.terminationMessagePolicy !== 'FallbackToLogsOnError') {
      return text;
    }
    // Not the whole log: it may have 50 MiB, and it is read while everything else waits.
    const lines = [...log.present(log.nearEnd(LOG_MESSAGE_STORED_BYTES))].slice(-MAX_LOG_MESSAGE.lines);
    return Buffer.concat(lines.map((line) => line.text))
      .subarray(-MAX_LOG_MESSAGE.bytes)
      .toString();
  }
}

/** What the hook said follows where it said something. */
function hookMessage(hook: 'PostStart' | 'PreStop', said: string): string {
  return `${hook}Hook failed${said === '' ? '' : `: ${said}`}`;
}

const PROBE_WORDS: Readonly<Record<ContainerProbeKind, string>> = {
  startup: 'Startup',
  readiness: 'Readiness',
  liveness: 'Liveness',
};
