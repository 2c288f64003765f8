import type { Pod } from '@turnsole/kube/kinds/core';

/** Runs one pod on behalf of a node agent: really (worker.ts) or by rules (../simulated). */
export interface PodRunner {
  /** Resolves when nothing of the pod is left and its object is gone. */
  readonly done: Promise<void>;
  /** The pod's object has changed. */
  update(pod: Pod): void;
  /** The pod's object is gone. */
  removed(): void;
  /** A config map or secret has changed. */
  objectChanged(kind: 'configMap' | 'secret', namespace: string, name: string): void;
  /** The node may have room now for what it had not when the pod asked for other resources. */
  roomChanged(): void;
  /** Stops watching over the pod: what runs goes on running, and nothing is done or reported. Idempotent. */
  pause(): void;
  /** Takes up again what {@link pause} ended, with all that has happened meanwhile. Idempotent. */
  resume(): void;
  /** Ends the pod's processes by the deadline without a report to the API server. */
  close(deadlineMs: number): Promise<void>;
}
