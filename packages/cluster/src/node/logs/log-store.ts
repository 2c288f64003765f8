import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@turnsole/kube/base/clock';
import { ContainerLog, DEFAULT_LOG_LIMITS, type LogLimits } from './container-log.ts';

/** Identifies a container's log. */
interface LogKey {
  readonly uid: string;
  readonly container: string;
}

interface Runs {
  readonly current: ContainerLog;
  readonly previous?: ContainerLog;
}

/**
 * The logs of a node's containers: of each the current run and the one before, as kubelet keeps them.
 */
export class LogStore {
  readonly #directory: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: LogLimits;
  readonly #pods = new Map<string, Map<string, Runs>>();

  constructor(directory: string, clock: Pick<Clock, 'now'>, limits: LogLimits = DEFAULT_LOG_LIMITS) {
    this.#directory = directory;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Opens the log of the next run of a container; the one before the last is removed. `run` counts from 0. */
  open({ uid, container }: LogKey, run: number): ContainerLog {
    const folder = join(this.#directory, uid, container);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const current = new ContainerLog(join(folder, `${run}.log`), this.#clock, this.#limits);
    const containers = this.#pods.get(uid) ?? new Map<string, Runs>();
    this.#pods.set(uid, containers);
    const before = containers.get(container);
    before?.previous?.remove();
    containers.set(container, { current, previous: before?.current });
    return current;
  }

  /** Gives the log of the current run, or of the one before; undefined when it does not exist. */
  find({ uid, container }: LogKey, previous: boolean): ContainerLog | undefined {
    const runs = this.#pods.get(uid)?.get(container);
    return previous ? runs?.previous : runs?.current;
  }

  /** Ends and removes the logs of a pod. */
  removePod(uid: string): void {
    for (const { current, previous } of this.#pods.get(uid)?.values() ?? []) {
      previous?.remove();
      current.remove();
    }
    this.#pods.delete(uid);
    rmSync(join(this.#directory, uid), { recursive: true, force: true });
  }
}
