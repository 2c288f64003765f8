import { ApiError, isConflict, isNotFound } from '@turnsole/kube/client/errors';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { metaTime } from '@turnsole/kube/text/time';
import { failedRun } from '@turnsole/workflows/engine/failed-run';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { Locks } from './locks/locks.ts';
import type { StoredObserver } from './ports.ts';
import { refusalText } from './refusals.ts';
import { phasePatch, TooLargeError, type WorkflowPatch, workflowPatch } from './stored-workflow.ts';

/** Nodes of more bytes are written at intervals that follow from what a write takes, so that many events share one. */
const LARGE_BYTES = 64 * 1024;
const LONGEST_REST_MS = 2_000;

/** What a write came to. */
type Written =
  | { readonly kind: 'stored' }
  /** Another writer was faster: the object as it is now, undefined when it is gone. */
  | { readonly kind: 'conflict'; readonly fresh: Workflow | undefined };

interface WorkflowStoreParts extends Basics {
  readonly runs: LiveRuns;
  readonly locks: Locks;
  readonly observers: readonly StoredObserver[];
}

/** Writes workflows, and notifies observers after each write. */
export class WorkflowStore {
  readonly #parts: WorkflowStoreParts;

  constructor(parts: WorkflowStoreParts) {
    this.#parts = parts;
  }

  /** A workflow as it is now; undefined when it is gone. */
  read({ metadata }: Workflow, signal: AbortSignal): Promise<Workflow | undefined> {
    const { namespace = '', name } = metadata;
    return this.#parts.client.find<Workflow>(WORKFLOWS, name, { namespace, signal });
  }

  /** Stores everything that a run has decided. What can never be stored ends the workflow as Error. */
  async store(live: LiveRun, signal: AbortSignal): Promise<Written> {
    const { clock, runs, locks, observers } = this.#parts;
    const { changes } = live;
    const phaseBefore = live.storedStatus.phase;
    const startedAt = clock.now();
    try {
      const stored = await this.#patch(live.served, workflowPatch(live, locks.statusOf(live)), signal);
      live.saved(stored);
      runs.written(live.key, stored);
    } catch (error) {
      if (isNotFound(error)) return { kind: 'conflict', fresh: undefined };
      if (isConflict(error)) return { kind: 'conflict', fresh: await this.read(live.served, signal) };
      if (!isRefused(error)) throw error;
      await this.#giveUp(live, error, signal);
      return { kind: 'stored' };
    }
    if (live.size.nodes > LARGE_BYTES) {
      const now = clock.now();
      live.notBefore = now + Math.min(LONGEST_REST_MS, 2 * (now - startedAt));
    }
    const { workflow, spec, status, nodes } = live.run;
    for (const observer of observers)
      observer.stored({ workflow, spec, status, nodes, phaseBefore, changes });
    return { kind: 'stored' };
  }

  /** Ends a workflow whose status the server refuses: the last stored nodes stay, and its pods are deleted. */
  async #giveUp(live: LiveRun, error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#parts;
    const message =
      error instanceof TooLargeError
        ? error.message
        : `cannot store the status of workflow ${live.key}: ${refusalText(error)}`;
    logger.error({ workflow: live.key, err: error }, 'the status of a workflow cannot be stored');
    live.take(failedRun(live.run, message, clock.now()), clock.now());
    await this.storePhase(live.served, { phase: 'Error', message }, signal);
    live.saved(live.served);
  }

  /** Stores phase and message of a workflow without its nodes: it is refused, ends because its status cannot be stored, or waits to begin. */
  async storePhase(
    served: Workflow,
    { phase, message }: { readonly phase: WorkflowPhase; readonly message: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, runs, logger, observers } = this.#parts;
    const key = `${served.metadata.namespace}/${served.metadata.name}`;
    const time = metaTime(clock.now());
    const stored = await this.#patch(served, phasePatch(served, { phase, message, time }), signal);
    runs.written(key, stored);
    logger.info(
      { workflow: key, phase, detail: message },
      'the phase of a workflow is stored without its nodes',
    );
    const status = { phase, message, storedTemplates: {} };
    const phaseBefore = served.status?.phase ?? '';
    for (const observer of observers)
      observer.stored({
        workflow: stored,
        spec: stored.spec,
        status,
        nodes: new Map(),
        phaseBefore,
        changes: [],
      });
  }

  #patch({ metadata }: Workflow, patch: WorkflowPatch, signal: AbortSignal): Promise<Workflow> {
    const { namespace = '', name } = metadata;
    return this.#parts.client.patch<Workflow>(WORKFLOWS, name, 'merge', patch, { namespace, signal });
  }
}

/** The server will never take it, or we cannot send it. */
function isRefused(error: unknown): boolean {
  if (error instanceof TooLargeError) return true;
  return error instanceof ApiError && (error.code === 400 || error.code === 413 || error.code === 422);
}
