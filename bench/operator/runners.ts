import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import type { Calls } from './calls.ts';

/** The orders for the process of the runners. */
export type HostOrder =
  | {
      readonly type: 'run';
      readonly id: number;
      readonly env: Readonly<Record<string, string>>;
      readonly config: Pick<ClusterConfig, 'server' | 'certificateAuthority' | 'namespace'>;
      readonly token: string;
    }
  | { readonly type: 'stop'; readonly id: number };

/** How a run ended, and what it asked of the API server. */
export interface HostAnswer {
  readonly id: number;
  readonly code: number;
  readonly calls: readonly (readonly [string, number])[];
}

/** What one runner needs of its pod. */
export interface RunnerStart {
  readonly env: Readonly<Record<string, string>>;
  readonly config: Pick<ClusterConfig, 'server' | 'certificateAuthority' | 'namespace'>;
  /** Of its service account. */
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Runners at work at the same time: a thousand processes would not start at once on such a machine either. */
export const MAX_AT_WORK = 128;

/** Runs the runners of all simulated runner pods in one process beside the cluster; further ones wait for their turn. */
export class Runners {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: HostAnswer) => void>();
  readonly #line: (() => void)[] = [];
  #ended: Calls[] = [];
  #atWork = 0;
  #next = 0;

  constructor() {
    this.#child = fork(new URL('./runner-host.ts', import.meta.url), { stdio: 'inherit' });
    this.#child.on('message', (answer: HostAnswer) => {
      this.#ended.push(new Map(answer.calls));
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /** Resolves to the runner's exit code. */
  async run({ signal, ...start }: RunnerStart): Promise<number> {
    if (this.#atWork >= MAX_AT_WORK) await new Promise<void>((resolve) => this.#line.push(resolve));
    else this.#atWork += 1;
    try {
      return await this.#run(start, signal);
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#atWork -= 1;
      else next();
    }
  }

  async #run(start: Omit<RunnerStart, 'signal'>, signal: AbortSignal): Promise<number> {
    const id = this.#next++;
    const { promise, resolve } = Promise.withResolvers<HostAnswer>();
    const stop = (): void => this.#tell({ type: 'stop', id });
    this.#waiting.set(id, resolve);
    this.#tell({ type: 'run', id, ...start });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const { code } = await promise;
    signal.removeEventListener('abort', stop);
    return code;
  }

  /** Requests of the runs that have ended since this was last asked, run by run. */
  takeEnded(): readonly Calls[] {
    return this.#ended.splice(0);
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill();
    await gone;
  }

  #tell(order: HostOrder): void {
    this.#child.send(order);
  }
}
