import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { REAPER_SCRIPT } from './reaper-script.ts';

/** What the process runtime reports about the process groups it made. */
export interface GroupRegistry {
  /** Called before the group's leader can do anything worth waiting for; the group is killed if this process dies. */
  add(processGroup: number): void;
  /** The group is dead. */
  delete(processGroup: number): void;
}

/** How the reaper of a cluster is started. */
interface ReaperOptions {
  /** The cluster's folder. */
  readonly dataDir: string;
  /** Whether the folder itself is removed when the cluster's process dies, or only the pods' folders in it. */
  readonly removeDataDir: boolean;
  /** What runs the script. @default '/bin/sh' */
  readonly shell?: string;
  readonly clock?: Pick<Clock, 'monotonic' | 'setTimer'>;
  /** Called once, when the shell ended at once too often to be started again. @default a warning of the process */
  readonly onGivenUp?: (message: string) => void;
}

/** A shell that lives for so long was able to do its work. */
const SHORT_LIFE_MS = 1_000;
const MAX_SHORT_LIVES = 8;
const RESTART = { baseMs: 100, maxMs: 5_000, jitter: 'none' } as const;

/**
 * Milliseconds until the next shell is started after so many that ended at once (0: this one did its work, and is replaced at
 * once); undefined: never again. Pure.
 */
export function restartDelayMs(shortLives: number): number | undefined {
  if (shortLives >= MAX_SHORT_LIVES) return undefined;
  return backoffDelayMs(shortLives, RESTART, () => 0);
}

/**
 * Makes sure that nothing of the cluster stays when this process ends, also by SIGKILL: a tiny shell process that
 * waits for the end of a pipe which only this process holds (reaper-script.ts). When the shell itself is killed, a
 * new one is started and gets the whole list again; one that ends at once is tried again some times, later and later.
 */
export class Reaper implements GroupRegistry {
  readonly #options: ReaperOptions;
  readonly #groups = new Set<number>();
  readonly #others = new Set<string>();
  readonly #clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  #shortLives = 0;
  #cancelRestart = (): void => {};
  #child: ChildProcess | undefined;
  #closed = false;

  constructor(options: ReaperOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#start();
  }

  /** Process id of the shell, for tests. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  add(processGroup: number): void {
    this.#groups.add(processGroup);
    this.#send(`+${processGroup}`);
  }

  delete(processGroup: number): void {
    if (this.#groups.delete(processGroup)) this.#send(`-${processGroup}`);
  }

  /** Also removes a cgroup, with everything below and in it, when this process dies. */
  addCgroup(folder: string): void {
    this.#remember(`cgroup ${folder}`);
  }

  /** The links whose names begin so; see pod-network.ts. */
  addLinks(prefix: string): void {
    this.#remember(`links ${prefix}`);
  }

  /** All processes of the user namespace that this process is root of: it has no others than the cluster's. */
  addUsers(): void {
    this.#remember('users');
  }

  /** A folder outside of the cluster's own. */
  addFolder(folder: string): void {
    this.#remember(`folder ${folder}`);
  }

  /** The journals on this machine that hold the mark, see journals.ts. */
  addJournals(folder: string, mark: string): void {
    this.#remember(`journals ${folder}`);
    this.#remember(`mark ${mark}`);
  }

  #remember(line: string): void {
    this.#others.add(line);
    this.#send(line);
  }

  /** Ends the shell without reaping. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelRestart();
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.ref(); // nothing else may keep the event loop going until then
    this.#send('quit');
    child.stdin?.end();
    await exit;
  }

  #start(): void {
    const { dataDir, removeDataDir, shell = '/bin/sh' } = this.#options;
    const startedAt = this.#clock.monotonic();
    // Its own session: Ctrl-C in the terminal, or a signal to our group, must not end it before us.
    const child = spawn(
      shell,
      ['-c', REAPER_SCRIPT, 'turnsole-reaper', dataDir, removeDataDir ? 'remove' : 'keep'],
      { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } },
    );
    this.#child = child;
    child.unref();
    // Writing to a reaper that was killed fails with EPIPE; its exit is what starts the next.
    child.stdin?.on('error', () => {});
    // A shell that cannot be started at all has no exit.
    child.on('error', (error) => this.#onEnd(startedAt, error.message));
    child.on('exit', (code, signal) => this.#onEnd(startedAt, signal ?? `code ${code}`));
    for (const group of this.#groups) this.#send(`+${group}`);
    for (const line of this.#others) this.#send(line);
  }

  #onEnd(startedAt: number, how: string): void {
    if (this.#closed) return;
    this.#shortLives = this.#clock.monotonic() - startedAt < SHORT_LIFE_MS ? this.#shortLives + 1 : 0;
    const delayMs = restartDelayMs(this.#shortLives);
    if (delayMs === undefined) {
      const { shell = '/bin/sh', dataDir, onGivenUp = warn } = this.#options;
      onGivenUp(
        `the reaper of ${dataDir} was started ${this.#shortLives} times and ended at once each time (${shell}: ${how}); ` +
          'should this process be killed, its pods go on running and its folder stays: end it with Ctrl-C or "turnsole down"',
      );
    } else if (delayMs === 0) this.#start();
    else this.#cancelRestart = this.#clock.setTimer(delayMs, () => this.#start(), { unref: true });
  }

  #send(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }
}

function warn(message: string): void {
  process.emitWarning(message, 'ReaperWarning');
}
