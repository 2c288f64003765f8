import type { Pod } from '../../api/core.ts';
import { isFinished } from '../../api/pod-phase.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { backoffDelayMs } from '../../kube/runtime/backoff.ts';
import type { Clock, Logger, Random } from '../../kube/runtime/index.ts';
import type { Action, Change } from '../../workflows/engine/change.ts';
import { isFulfilled } from '../../workflows/engine/node-state.ts';
import type { NodeId } from '../../workflows/kinds/status.ts';
import type { Workflow } from '../../workflows/kinds/workflow.ts';
import { podFact } from '../../workflows/pods/pod-fact.ts';
import type { ClusterView } from './cluster-view.ts';
import { Limiter } from './limiter.ts';
import type { LiveRun } from './live-run.ts';
import type { Locks } from './locks/locks.ts';
import type { MemoCache } from './memo-cache.ts';
import type { PodWithReport } from './observe-pods.ts';
import type { PodActions } from './pod-actions.ts';
import { readOutputs } from './pod-report.ts';
import type { TaskRunner } from './ports.ts';
import { isTransient, refusalText } from './refusals.ts';
import type { WorkflowSettings } from './settings.ts';

/** Requests of this kind under way at a time: a loop of a thousand must not take the connections of all others. */
const MOST_REQUESTS = 32;
/** What was refused is tried again after this time, longer with each refusal. */
const RETRY = { baseMs: 500, maxMs: 30_000, jitter: 'equal' } as const;

interface ExecutorParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly view: ClusterView;
  readonly pods: PodActions;
  readonly locks: Locks;
  readonly cache: MemoCache;
  readonly taskRunner: TaskRunner | undefined;
  readonly settings: () => WorkflowSettings;
  /** Lets a workflow be worked on. */
  readonly wake: (key: string) => void;
}

/** What is under way for a workflow. */
interface Work {
  readonly abort: AbortController;
  /** Per node, so that a pod is ended only after its creation was answered. */
  readonly byNode: Map<NodeId, Promise<void>>;
  readonly reading: Set<NodeId>;
  readonly tasks: Map<NodeId, AbortController>;
  readonly refusals: Map<NodeId, number>;
  readonly timers: Set<() => void>;
}

/** Does what was decided and stored. Nothing here keeps a pass waiting: answers come to the workflow's inbox. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #limiter = new Limiter(MOST_REQUESTS);
  readonly #work = new Map<LiveRun, Work>();
  readonly #stop = new AbortController();

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** Whether something is under way that belongs to the end of a workflow. */
  isBusy(live: LiveRun): boolean {
    const work = this.#work.get(live);
    return live.endedPods.size > 0 || (work?.byNode.size ?? 0) > 0;
  }

  /** Carries out what was decided; call it when all of it is stored. */
  carryOut(live: LiveRun): void {
    if (this.#stop.signal.aborted) return;
    const actions = live.actions;
    live.actions = [];
    for (const action of actions) this.#begin(live, action);
    for (const [node, podName] of live.endedPods) {
      const status = live.run.nodes.get(node);
      if (status === undefined || !isFulfilled(status)) continue;
      live.endedPods.delete(node);
      this.#do(live, node, (signal) =>
        this.#parts.pods.markRecorded(
          { metadata: { name: podName, namespace: live.run.workflow.metadata.namespace } },
          signal,
        ),
      );
    }
    this.#endTasks(live);
    if (live.isOver) this.#parts.locks.releaseAll(live.key);
  }

  #begin(live: LiveRun, action: Action): void {
    const { pods, locks, cache, settings } = this.#parts;
    const { node } = action;
    switch (action.kind) {
      case 'createPod':
        live.podNames.set(node, action.podName);
        this.#do(live, node, async (signal) => {
          const refused = await pods.create(live, action, settings().pods, signal);
          if (refused === undefined) this.#workOf(live).refusals.delete(node);
          else this.#refused(live, refused);
        });
        return;
      case 'endPod':
        this.#do(live, node, async (signal) => {
          const podName = live.podNames.get(node);
          const isEnding = podName !== undefined && (await this.#end(live, node, podName, signal));
          if (!isEnding) this.#tell(live, { kind: 'podGone', node });
        });
        return;
      case 'runTask':
        this.#runTask(live, action);
        return;
      case 'releaseLocks':
        locks.release(live.key, node);
        return;
      case 'readCache':
        this.#do(live, node, async (signal) => this.#tell(live, await cache.read(live, action, signal)));
        return;
      case 'saveCache':
        this.#do(live, node, (signal) => cache.save(live, action, signal));
        return;
      case 'acquireLocks':
        // Answered before the write, so that what is held is stored with what follows from it.
        return;
    }
  }

  /** Whether there is a pod that ends. One that may not be ended keeps its workflow from its end no longer than a log line says. */
  async #end(live: LiveRun, node: NodeId, podName: string, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#parts.pods.end(live, node, podName, signal);
    } catch (error) {
      if (signal.aborted || isTransient(error)) throw error;
      const where = { workflow: live.key, node, pod: podName, detail: refusalText(error) };
      this.#parts.logger.error(where, 'the pod of a node cannot be ended; it may go on running');
      return false;
    }
  }

  /** A refusal that may be over soon shows as the node's message, and the node asks again later. */
  #refused(live: LiveRun, refused: Extract<Change, { readonly kind: 'podRefused' }>): void {
    const { node, isTransient: mayPass } = refused;
    this.#tell(live, refused);
    if (mayPass) this.#later(live, node, { kind: 'unanswered', node });
  }

  /** Tells of a change after a delay that grows with each refusal of the node. */
  #later(live: LiveRun, node: NodeId, change: Change): void {
    const { clock, random } = this.#parts;
    const work = this.#workOf(live);
    const cancel = clock.setTimer(
      backoffDelayMs(this.#countRefusal(live, node), RETRY, random),
      () => {
        work.timers.delete(cancel);
        this.#tell(live, change);
      },
      { unref: true },
    );
    work.timers.add(cancel);
  }

  /** Reads what a pod that has ended reported, and then tells of both. */
  readReport(live: LiveRun, { node, pod }: PodWithReport): void {
    const { reading } = this.#workOf(live);
    if (this.#stop.signal.aborted || reading.has(node)) return;
    reading.add(node);
    this.#do(live, node, async (signal) => {
      try {
        await this.#report(live, node, pod, signal);
      } finally {
        reading.delete(node);
      }
    });
  }

  async #report(live: LiveRun, node: NodeId, pod: Pod, signal: AbortSignal): Promise<void> {
    const end: Change = { kind: 'podChanged', node, pod: podFact(pod) };
    try {
      const outputs = await readOutputs(this.#parts.client, node, pod, signal);
      this.#tell(live, { kind: 'reported', node, isComplete: true, ...(outputs && { outputs }) }, end);
    } catch (error) {
      if (signal.aborted) return;
      if (isTransient(error)) throw error;
      const where = { workflow: live.key, node, pod: pod.metadata.name, detail: refusalText(error) };
      this.#parts.logger.warn(where, 'the outputs of a node cannot be read');
      if (pod.status?.phase === 'Failed') {
        this.#tell(live, { kind: 'reported', node, isComplete: true }, end);
        return;
      }
      const message = `cannot read the outputs of pod ${pod.metadata.name}: ${refusalText(error)}`;
      this.#tell(live, { kind: 'podRefused', node, message, isTransient: false });
    }
  }

  #countRefusal(live: LiveRun, node: NodeId): number {
    const { refusals } = this.#workOf(live);
    const count = (refusals.get(node) ?? 0) + 1;
    refusals.set(node, count);
    return count;
  }

  #runTask(live: LiveRun, { node, template }: Extract<Action, { readonly kind: 'runTask' }>): void {
    const { taskRunner } = this.#parts;
    if (taskRunner === undefined) {
      const kind = template.http === undefined ? 'plugin' : 'http';
      const message = `this controller carries out no ${kind} templates`;
      this.#tell(live, { kind: 'taskAnswered', node, phase: 'Error', message });
      return;
    }
    this.#stopTask(live, node);
    const { tasks, abort } = this.#workOf(live);
    const own = new AbortController();
    tasks.set(node, own);
    const { workflow, spec } = live.run;
    taskRunner.run(
      { workflow, spec, node, template },
      (answer) => {
        if (!own.signal.aborted) this.#tell(live, { kind: 'taskAnswered', node, ...answer });
      },
      AbortSignal.any([abort.signal, own.signal]),
    );
  }

  /** Ends the tasks of nodes that are over. */
  #endTasks(live: LiveRun): void {
    for (const node of this.#work.get(live)?.tasks.keys() ?? []) {
      const status = live.run.nodes.get(node);
      if (status === undefined || isFulfilled(status)) this.#stopTask(live, node);
    }
  }

  #stopTask(live: LiveRun, node: NodeId): void {
    const tasks = this.#work.get(live)?.tasks;
    tasks?.get(node)?.abort(new Error(`node ${node} is over`));
    tasks?.delete(node);
  }

  #tell(live: LiveRun, ...changes: readonly Change[]): void {
    live.inbox.push(...changes);
    this.#parts.wake(live.key);
  }

  /** One piece of work after the other for each node. */
  #do(live: LiveRun, node: NodeId, work: (signal: AbortSignal) => Promise<void>): void {
    const of = this.#workOf(live);
    const { abort, byNode } = of;
    const { signal } = abort;
    const before = byNode.get(node) ?? Promise.resolve();
    const own = before
      .then(() => this.#patiently(work, signal))
      .catch((error: unknown) => {
        if (signal.aborted) return;
        this.#parts.logger.error({ workflow: live.key, node, err: error }, 'an action failed');
      })
      .finally(() => {
        if (byNode.get(node) === own) byNode.delete(node);
        if (isIdle(of)) this.#work.delete(live);
        if (live.isOver && byNode.size === 0) this.#parts.wake(live.key);
      });
    byNode.set(node, own);
  }

  /** Tries again what is refused for now, as long as somebody wants it. */
  async #patiently(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.#limiter.run(async () => (signal.aborted ? undefined : await work(signal)));
        return;
      } catch (error) {
        if (signal.aborted || !isTransient(error)) throw error;
      }
      await clock.sleep(backoffDelayMs(failures, RETRY, random), signal);
    }
  }

  #workOf(live: LiveRun): Work {
    let work = this.#work.get(live);
    if (work === undefined) {
      work = {
        abort: new AbortController(),
        byNode: new Map(),
        reading: new Set(),
        tasks: new Map(),
        refusals: new Map(),
        timers: new Set(),
      };
      this.#work.set(live, work);
    }
    return work;
  }

  /** Ends what is under way for a workflow that is gone or over. */
  forget(live: LiveRun): void {
    const work = this.#work.get(live);
    work?.abort.abort(new Error(`workflow ${live.key} is worked on no more`));
    for (const cancel of work?.timers ?? []) cancel();
    this.#work.delete(live);
  }

  /** Pods that an earlier process left of a workflow that is over are marked, or ended. */
  clearUp(key: string, served: Workflow): void {
    const { view, pods, logger } = this.#parts;
    for (const pod of view.podsOf(key)) {
      if (this.#stop.signal.aborted || !isOwned(pod, served)) continue;
      const work = (): Promise<void> =>
        isFinished(pod) ? pods.markRecorded(pod, this.#stop.signal) : pods.delete(pod, this.#stop.signal);
      this.#limiter.run(work).catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          logger.warn({ workflow: key, pod: pod.metadata.name, err: error }, 'a pod is left behind');
      });
    }
  }

  /** Begins nothing more, and resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the workflow controller is stopping'));
    const under = [...this.#work.values()].flatMap(({ byNode }) => [...byNode.values()]);
    for (const live of [...this.#work.keys()]) this.forget(live);
    await Promise.all(under);
  }
}

/** Most workflows wait for their pods: what is kept for work of theirs goes meanwhile. */
function isIdle({ byNode, reading, tasks, refusals, timers }: Work): boolean {
  return [byNode, reading, tasks, refusals, timers].every(({ size }) => size === 0);
}

function isOwned({ metadata }: Pod, { metadata: owner }: Workflow): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.uid);
}
