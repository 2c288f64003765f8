import { compareResourceVersions } from '@turnsole/kube/runtime/index';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { LiveRun } from './live-run.ts';

/** The workflows that are worked on, by key. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();
  /** The newest version of a workflow that this process wrote: older ones are ignored. */
  readonly #written = new Map<string, string>();

  get(key: string): LiveRun | undefined {
    return this.#runs.get(key);
  }

  set(live: LiveRun): void {
    this.#runs.set(live.key, live);
  }

  delete(key: string): void {
    this.#runs.delete(key);
  }

  /** The copy shows the newest version, or the object is gone. */
  forget(key: string): void {
    this.#written.delete(key);
  }

  written(key: string, { metadata }: Workflow): void {
    if (metadata.resourceVersion !== undefined) this.#written.set(key, metadata.resourceVersion);
  }

  /** Whether the copy shows less than what this process has written. */
  isStale(key: string, { metadata }: Workflow): boolean {
    const written = this.#written.get(key);
    if (written === undefined || metadata.resourceVersion === undefined) return false;
    const order = compareResourceVersions(metadata.resourceVersion, written);
    return order !== undefined && order < 0;
  }

  get size(): number {
    return this.#runs.size;
  }
}
