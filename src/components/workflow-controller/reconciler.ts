import { ApiError, ConnectionError } from '@turnsole/kube/client/errors';
import { hasFinalizer, isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import {
  type Clock,
  compareResourceVersions,
  type Logger,
  type Reconcile,
  type ReconcileResult,
} from '@turnsole/kube/runtime/index';
import { messageOf } from '@turnsole/kube/text/error-message';
import { ARTIFACT_GC_FINALIZER } from '@turnsole/workflows/artifacts/garbage';
import type { Change } from '@turnsole/workflows/engine/change';
import { failedRun } from '@turnsole/workflows/engine/failed-run';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { Admission } from './admission.ts';
import { clientEdits } from './client-edits.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Executor } from './executor.ts';
import { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { Locks } from './locks/locks.ts';
import { missingPodOf, podChanges } from './observe-pods.ts';
import type { Opened, Opener } from './opener.ts';
import type { WorkObserver } from './ports.ts';
import { storedNodes } from './stored-nodes.ts';
import type { WorkflowStore } from './workflow-store.ts';

/** Mere progress of a node waits this long for the next change, so that one write stores both. */
const DEFER_MS = 1_000;
/** Writes of one pass that meet a newer version of the object. */
const MOST_CONFLICTS = 5;

interface ReconcilerParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly view: ClusterView;
  readonly runs: LiveRuns;
  readonly opener: Opener;
  readonly store: WorkflowStore;
  readonly executor: Executor;
  readonly locks: Locks;
  readonly admission: Admission;
  readonly observer: Pick<WorkObserver, 'podMissing' | 'panicked'> | undefined;
  /** Lets a workflow be worked on. */
  readonly wake: (key: string) => void;
}

/**
 * One pass for one workflow: takes over what clients, pods and answers have brought, lets the engine decide on all of it, stores the
 * outcome in one write, and only then does what was decided.
 */
export class WorkflowReconciler {
  readonly #parts: ReconcilerParts;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  readonly reconcile: Reconcile = async ({ key }, signal) => {
    const { view, runs } = this.#parts;
    const served = view.workflows.lister.get(key);
    if (served === undefined || isLeaving(served)) {
      this.#drop(key);
      runs.forget(key);
      return undefined;
    }
    const known = runs.get(key);
    if (known !== undefined && known.uid !== served.metadata.uid) this.#drop(key);
    const live = runs.get(key) ?? (await this.#open(key, served, signal));
    if (live === undefined) return undefined;
    if (!(live instanceof LiveRun)) return live;
    // The copy has no nodes, so what others have written is read.
    if (isNewer(served, live.served) && !isCompleted(served))
      this.#follow(live, await this.#parts.store.read(served, signal));
    else live.takeEqual(served);
    if (runs.get(key) !== live) return { requeueAfterMs: 0 };
    if (live.isOver && live.isSaved && !isNewer(live.served, served)) return this.#leave(live, served);
    return await this.#advance(live, signal);
  };

  /** A run from the stored workflow; a result when it cannot begin yet. */
  async #open(
    key: string,
    served: Workflow,
    signal: AbortSignal,
  ): Promise<LiveRun | ReconcileResult | undefined> {
    const { runs, executor, store } = this.#parts;
    if (runs.isStale(key, served)) return undefined;
    if (isCompleted(served)) {
      runs.forget(key);
      executor.clearUp(key, served);
      return undefined;
    }
    const opened = await this.#opened(key, served, signal);
    switch (opened.kind) {
      case 'live':
        runs.set(opened.live);
        return opened.live;
      case 'refused':
        await store.storePhase(opened.served, opened, signal);
        this.#drop(key);
        return undefined;
      case 'waiting':
        if (served.status?.phase !== 'Pending' || served.status.message !== opened.message)
          await store.storePhase(served, { ...opened, phase: 'Pending' }, signal);
        return opened.againAfterMs === undefined ? undefined : { requeueAfterMs: opened.againAfterMs };
      case 'gone':
        return undefined;
    }
  }

  /** A workflow that cannot even be read ends as an error, so that it is not tried for ever. */
  async #opened(key: string, served: Workflow, signal: AbortSignal): Promise<Opened> {
    try {
      return await this.#parts.opener.open(key, served, signal);
    } catch (error) {
      if (signal.aborted || error instanceof ApiError || error instanceof ConnectionError) throw error;
      this.#parts.observer?.panicked();
      this.#parts.logger.error({ workflow: key, err: error }, 'a workflow cannot be taken up');
      const message = `cannot take up workflow ${key}: ${messageOf(error)}`;
      return { kind: 'refused', served, phase: 'Error', message };
    }
  }

  /** Takes over what others wrote since this controller's last write. */
  #follow(live: LiveRun, fresh: Workflow | undefined): void {
    if (fresh === undefined || fresh.metadata.uid !== live.uid || (isCompleted(fresh) && !live.isOver)) {
      // A client has deleted, replaced or ended the workflow: the decided actions no longer count.
      this.#drop(live.key);
      return;
    }
    const { run } = live;
    const edits = clientEdits({
      before: live.served,
      after: fresh,
      nodes: storedNodes(fresh.status),
      known: run.nodes.keys(),
      stored: (id) => live.storedNode(id),
      current: (id) => run.nodes.get(id),
    });
    if (edits.kind === 'taken') {
      this.#putDown(live);
      return;
    }
    live.rebase(fresh, edits.stored);
    live.inbox.push(...edits.changes);
  }

  /** Forgets decisions that are not stored; the next pass opens the workflow from its stored state. It keeps its locks and its place. */
  #putDown(live: LiveRun): void {
    this.#parts.executor.forget(live);
    this.#parts.runs.delete(live.key);
  }

  /** A workflow that is over is kept until the copy shows it; one that a client has begun again is taken up anew. */
  #leave(live: LiveRun, served: Workflow): ReconcileResult | undefined {
    if (live.touchedPods.size > 0 || live.inbox.length > 0) this.#decideAll(live);
    this.#parts.executor.carryOut(live);
    if (this.#parts.executor.isBusy(live)) return undefined;
    this.#drop(live.key);
    return isCompleted(served) ? undefined : { requeueAfterMs: 0 };
  }

  async #advance(live: LiveRun, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { clock, executor, store, runs } = this.#parts;
    this.#decideAll(live);
    for (let attempt = 1; !live.isSaved && clock.now() >= this.#dueAt(live); attempt++) {
      const written = await store.store(live, signal);
      if (written.kind === 'stored') break;
      this.#follow(live, written.fresh);
      if (runs.get(live.key) !== live || attempt >= MOST_CONFLICTS) return { requeueAfterMs: 0 };
      this.#decideAll(live);
    }
    if (live.isSaved) executor.carryOut(live);
    const next = Math.min(live.wakeAt ?? Infinity, live.isSaved ? Infinity : this.#dueAt(live));
    return Number.isFinite(next) ? { requeueAfterMs: Math.max(1, next - clock.now()) } : undefined;
  }

  #dueAt(live: LiveRun): number {
    const at = (live.unsavedSince ?? 0) + (live.isUrgent ? 0 : DEFER_MS);
    return Math.max(at, live.notBefore);
  }

  #decideAll(live: LiveRun): void {
    const { clock, locks, executor } = this.#parts;
    for (const seen of live.touchedPods.values())
      live.inbox.push(...podChanges(live, seen, (report) => executor.readReport(live, report)));
    live.touchedPods.clear();
    if (live.wakeAt !== undefined && clock.now() >= live.wakeAt) {
      live.wakeAt = undefined;
      live.inbox.push({ kind: 'look' });
    }
    for (let change = live.inbox.shift(); change !== undefined; change = live.inbox.shift()) {
      this.#decide(live, change);
      live.inbox.push(...locks.answer(live));
    }
  }

  /** A defect of the engine must not keep a workflow for ever: it ends as an error that says where. */
  #decide(live: LiveRun, change: Change): void {
    const { clock, logger, observer } = this.#parts;
    const missing = missingPodOf(live, change);
    if (missing !== undefined) observer?.podMissing(missing);
    try {
      live.decide(change, clock.now());
    } catch (error) {
      observer?.panicked();
      const node = 'node' in change ? live.run.nodes.get(change.node) : undefined;
      const template = node?.templateName ?? node?.templateRef?.template;
      const where = [
        `workflow ${live.key}`,
        ...(node === undefined ? [] : [`node ${node.name}`]),
        ...(template === undefined ? [] : [`template ${template}`]),
      ].join(', ');
      const text = messageOf(error);
      logger.error(
        { workflow: live.key, node: node?.id, change: change.kind, err: error },
        'a decision failed',
      );
      live.take(failedRun(live.run, `internal error in ${where}: ${text}`, clock.now()), clock.now());
      live.inbox.length = 0;
    }
  }

  #drop(key: string): void {
    const { runs, locks, admission, wake } = this.#parts;
    const live = runs.get(key);
    if (live !== undefined) this.#putDown(live);
    locks.releaseAll(key);
    for (const next of admission.left(key)) wake(next);
  }
}

/** Whether one state of an object is of a later time than another. */
function isNewer({ metadata }: Workflow, { metadata: than }: Workflow): boolean {
  const order = compareResourceVersions(metadata.resourceVersion, than.resourceVersion);
  return order === undefined ? metadata.resourceVersion !== than.resourceVersion : order > 0;
}

/** Whether a workflow is going without a further word. One that waits for the deletion of its artifacts runs to an end first (`cleanup/`). */
function isLeaving(workflow: Workflow): boolean {
  return isBeingDeleted(workflow) && !hasFinalizer(workflow, ARTIFACT_GC_FINALIZER);
}
