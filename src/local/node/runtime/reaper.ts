import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { REAPER_SCRIPT } from './reaper-script.ts';

/** What the process runtime tells about the process groups it made. */
export interface GroupRegistry {
  /** Called before the group's leader can do anything worth waiting for; the group is killed if this process dies. */
  add(processGroup: number): void;
  /** The group is dead. */
  delete(processGroup: number): void;
}

/** How the reaper of a cluster is started. */
export interface ReaperOptions {
  /** The cluster's folder. */
  readonly dataDir: string;
  /** Whether the folder itself goes when the cluster's process dies, or only the pods' folders in it. */
  readonly removeDataDir: boolean;
}

/**
 * Makes sure that nothing of the cluster stays when this process ends, also by SIGKILL: a tiny shell process that
 * waits for the end of a pipe which only this process holds (reaper-script.ts). Should the shell itself be killed, a
 * new one is started and told everything again.
 */
export class Reaper implements GroupRegistry {
  readonly #options: ReaperOptions;
  readonly #groups = new Set<number>();
  readonly #others = new Set<string>();
  #child: ChildProcess | undefined;
  #closed = false;

  constructor(options: ReaperOptions) {
    this.#options = options;
    this.#start();
  }

  /** Process id of the shell, for tests. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  add(processGroup: number): void {
    this.#groups.add(processGroup);
    this.#tell(`+${processGroup}`);
  }

  delete(processGroup: number): void {
    if (this.#groups.delete(processGroup)) this.#tell(`-${processGroup}`);
  }

  /** What else goes when this process dies: a cgroup, with everything below and in it. */
  addCgroup(folder: string): void {
    this.#remember(`cgroup ${folder}`);
  }

  /** The links whose names begin so; see pod-network.ts. */
  addLinks(prefix: string): void {
    this.#remember(`links ${prefix}`);
  }

  /** A folder outside of the cluster's own. */
  addFolder(folder: string): void {
    this.#remember(`folder ${folder}`);
  }

  #remember(line: string): void {
    this.#others.add(line);
    this.#tell(line);
  }

  /** Ends the shell without reaping. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.ref(); // nothing else may keep the event loop going until then
    this.#tell('quit');
    child.stdin?.end();
    await exit;
  }

  #start(): void {
    const { dataDir, removeDataDir } = this.#options;
    // Its own session: Ctrl-C in the terminal, or a signal to our group, must not end it before us.
    const child = spawn(
      '/bin/sh',
      ['-c', REAPER_SCRIPT, 'turnsole-reaper', dataDir, removeDataDir ? 'remove' : 'keep'],
      { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } },
    );
    this.#child = child;
    child.unref();
    // Writing to a reaper that was killed fails with EPIPE; its exit is what starts the next.
    child.stdin?.on('error', () => {});
    child.on('error', () => {});
    child.on('exit', () => {
      if (!this.#closed) this.#start();
    });
    for (const group of this.#groups) this.#tell(`+${group}`);
    for (const line of this.#others) this.#tell(line);
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }
}
