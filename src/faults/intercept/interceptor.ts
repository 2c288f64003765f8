import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Span } from '../../chaos/force-windows.ts';
import { ContainerRuntimeError, InjectError } from '../../experiment/injection/errors.ts';
import type { LocatedProcess } from '../../experiment/node/container-locator.ts';
import { type InsideProcess, startInside } from '../../experiment/node/enter.ts';
import { programEnv } from '../../experiment/node/program-env.ts';
import { describeSpent, type Pace, PacedLimit } from '../../process/pace/paced-limit.ts';
import { RunDelay } from '../../process/pace/run-delay.ts';
import {
  COUNT_LINE,
  type InterceptCount,
  type InterceptorConfig,
  type InterceptorMessage,
  REVERTED_EXIT_CODE,
} from './config.ts';

/** Longest times with a processor that an interceptor may take to start, and to end; and in all, on a machine that gives it none. */
const START_LIMIT = { limitMs: 20_000, capMs: 120_000 };
const STOP_LIMIT = { limitMs: 5_000, capMs: 30_000 };
/** Between an interceptor that died and the next; after a start that failed, twice as long as before it, up to the longest. */
const RESTART_MS = 500;
const MAX_RESTART_MS = 5_000;

/** Beside this file in the sources; an entry of its own in the bundle. */
const SOURCE = join(import.meta.dirname, 'interceptor-main.ts');
const PROGRAM = existsSync(SOURCE) ? SOURCE : join(import.meta.dirname, 'interceptor.js');

/** Hears that an interceptor that was up is down, and up again. */
export interface InterceptorUp {
  down(): void;
  up(): void;
  /** Its rules had expired for a while. */
  lapsed(span: Span): void;
}

/** An interceptor in a pod's network namespace, started again when it dies. */
export class Interceptor {
  readonly #target: LocatedProcess;
  readonly #config: InterceptorConfig;
  readonly #note: (message: string) => void;
  readonly #state: InterceptorUp | undefined;
  #inside: InsideProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  /** Resolves when all that it has said is heard. */
  #heard: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  /** The restart under way. Never rejects. */
  #restart: Promise<void> = Promise.resolve();
  #port: number | undefined;
  #former: number | undefined;
  #hasDied = false;
  #onCounted: (count: InterceptCount) => void = () => {};

  private constructor(
    target: LocatedProcess,
    config: InterceptorConfig,
    note: (message: string) => void,
    state: InterceptorUp | undefined,
  ) {
    this.#target = target;
    this.#config = config;
    this.#note = note;
    this.#state = state;
  }

  /**
   * Starts one and resolves when it redirects.
   *
   * @param note receives what a user should know
   * @throws InjectError with what it said when it cannot; nothing is redirected then
   */
  static async start(
    target: LocatedProcess,
    config: InterceptorConfig,
    note: (message: string) => void,
    state?: InterceptorUp,
  ): Promise<Interceptor> {
    const interceptor = new Interceptor(target, config, note, state);
    await interceptor.#begin();
    return interceptor;
  }

  /** How many connections to the redirected ports were open when it began. */
  get former(): number {
    return this.#former ?? 0;
  }

  /** Its counts; undefined when they are unknown: an interceptor that died has taken its counts with it. */
  async count(signal: AbortSignal): Promise<InterceptCount | undefined> {
    if (this.#hasDied || signal.aborted) return undefined;
    const counted = Promise.withResolvers<InterceptCount | undefined>();
    this.#onCounted = counted.resolve;
    const give = (): void => counted.resolve(undefined);
    signal.addEventListener('abort', give, { once: true });
    void this.#exited.then(give);
    this.#inside?.child.stdin?.write(`${COUNT_LINE}\n`);
    return counted.promise.finally(() => signal.removeEventListener('abort', give));
  }

  /** Ends it: nothing is redirected any more, and what was under way has ended. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const inside = this.#inside;
    inside?.child.stdin?.end();
    using _limit = inside === undefined ? undefined : killAfter(inside, STOP_LIMIT);
    // Or it would redirect after this.
    await this.#restart;
    await Promise.all([this.#exited, this.#heard]);
  }

  async #begin(): Promise<void> {
    const inside = await startInside(
      this.#target,
      { namespaces: ['net'], stdio: ['pipe', 'pipe', 'inherit'], env: programEnv() },
      [process.execPath, PROGRAM],
    );
    const { child } = inside;
    this.#inside = inside;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    this.#exited = exited;
    this.#heard = once(child, 'close');
    if (this.#isStopping) {
      inside.kill('SIGKILL'); // Without a configuration it has redirected nothing.
      return;
    }
    child.stdin?.on('error', () => {}); // It has ended; its exit shows it.
    const config: InterceptorConfig =
      this.#port === undefined ? this.#config : { ...this.#config, formerPort: this.#port };
    child.stdin?.write(`${JSON.stringify(config)}\n`);
    using limit = killAfter(inside, START_LIMIT);
    await this.#ready(inside, exited, limit.signal);
    void exited.then(([code]) => this.#ended(code));
  }

  #ready({ child }: InsideProcess, exited: Promise<[number | null]>, limit: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const failure = `cannot start the interceptor in process ${this.#target.pid} of the target`;
      let said: string | undefined;
      const lines = child.stdout === null ? undefined : createInterface({ input: child.stdout });
      lines?.on('line', (line) => {
        // Written by the program of the same release.
        const message = JSON.parse(line) as InterceptorMessage;
        if (message.kind === 'ready') {
          this.#port = message.ports[0];
          // When another one is started they may have been reset.
          this.#former ??= message.former;
          resolve();
        } else if (message.kind === 'counted') this.#onCounted(message.count);
        else if (message.kind === 'failed') {
          said = message.isPlain ? message.message : `${failure}: ${message.message}`;
        } else if (message.kind === 'lapsed') this.#state?.lapsed(message);
        else this.#note(message.message);
      });
      lines?.once('close', () => {
        void exited.then(([code]) =>
          reject(new InjectError(said ?? `${failure}: ${endedSilently(code, limit)}`)),
        );
      });
    });
  }

  #ended(code: number | null): void {
    this.#hasDied = true;
    // Removed rules are a revert, after which there must be no new ones.
    if (this.#isStopping) return;
    this.#state?.down();
    if (code === REVERTED_EXIT_CODE) return;
    this.#note(
      `the interceptor has died (${code === null ? 'killed' : `exit code ${code}`}); it is started again`,
    );
    this.#restartAfter(RESTART_MS);
  }

  #restartAfter(pauseMs: number): void {
    systemClock.setTimer(
      pauseMs,
      () => {
        if (this.#isStopping) return;
        const begun = this.#begin().then(() => {
          if (!this.#isStopping) this.#state?.up();
        });
        this.#restart = begun.catch((error: unknown) => {
          if (this.#isStopping) return;
          this.#note(`it could not be started again: ${messageOf(error)}`);
          // There is no other process to start it in.
          if (error instanceof ContainerRuntimeError) return;
          this.#restartAfter(Math.min(MAX_RESTART_MS, pauseMs * 2));
        });
      },
      { unref: true },
    );
  }
}

/** Kills an interceptor at the end of its time with a processor. The signal's reason says what time that was. */
function killAfter({ child, kill }: InsideProcess, pace: Omit<Pace, 'waitedMs'>): PacedLimit {
  const delay = new RunDelay(child.pid);
  const limit = new PacedLimit(
    { ...pace, waitedMs: () => delay.totalMs() },
    (spent) => new Error(`it did not begin to work within ${describeSpent(spent)}, and was killed`),
  );
  limit.signal.addEventListener('abort', () => kill('SIGKILL'), { once: true });
  return limit;
}

/** Why an interceptor ended that has sent no reason. */
function endedSilently(code: number | null, limit: AbortSignal): string {
  if (limit.aborted) return messageOf(limit.reason);
  const how =
    code === null ? 'it was killed from outside, as for want of memory' : `it ended with exit code ${code}`;
  return `${how} and gave no reason; see the log of the helper pod`;
}
