import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import { isOwnedBy } from '@turnsole/kube/runtime/owner-references';
import type { Action, Change } from '@turnsole/workflows/engine/change';
import { isFulfilled } from '@turnsole/workflows/engine/node-state';
import type { Outputs } from '@turnsole/workflows/kinds/parameters';
import type { NodeId } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { podFact } from '@turnsole/workflows/pods/pod-fact';
import { readReport, reportingContainer } from '@turnsole/workflows/pods/report';
import type { HttpAndPluginTasks } from '../workflow-helper/tasks/task-runner.ts';
import type { ClusterView } from './cluster-view.ts';
import type { LiveRun } from './live-run.ts';
import type { Locks } from './locks/locks.ts';
import type { MemoCache } from './memo-cache.ts';
import { NodeWork } from './node-work.ts';
import type { PodWithReport } from './observe-pods.ts';
import type { PodActions } from './pod-actions.ts';
import { PodRate } from './pod-rate.ts';
import type { WorkObserver } from './ports.ts';
import { isTransient, refusalText } from './refusals.ts';
import type { WorkflowSettings } from './settings.ts';

interface ExecutorParts extends BasicsWithRandom {
  readonly view: ClusterView;
  readonly pods: PodActions;
  readonly locks: Locks;
  readonly cache: MemoCache;
  readonly taskRunner: HttpAndPluginTasks;
  readonly settings: () => WorkflowSettings;
  readonly observer: Pick<WorkObserver, 'podRateLimited'> | undefined;
  /** Lets a workflow be worked on. */
  readonly wake: (key: string) => void;
}

/** Does what was decided and stored. Nothing here keeps a pass waiting: answers come to the workflow's inbox. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #podRate = new PodRate();
  readonly #work: NodeWork;
  readonly #stop = new AbortController();

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#work = new NodeWork(parts);
  }

  /** Whether something is under way that belongs to the end of a workflow. */
  isBusy(live: LiveRun): boolean {
    return live.endedPods.size > 0 || (this.#work.find(live)?.byNode.size ?? 0) > 0;
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
      this.#work.do(live, node, (signal) =>
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
    const { locks, cache } = this.#parts;
    const { node } = action;
    switch (action.kind) {
      case 'createPod':
        this.#createPod(live, action);
        return;
      case 'endPod':
        this.#work.giveUpTurn(live, node);
        this.#work.do(live, node, async (signal) => {
          const podName = live.podNames.get(node);
          const isEnding = podName !== undefined && (await this.#end(live, node, podName, signal));
          if (!isEnding) this.#enqueue(live, { kind: 'podGone', node });
        });
        return;
      case 'runTask':
        this.#runTask(live, action);
        return;
      case 'releaseLocks':
        locks.release(live.key, node);
        return;
      case 'readCache':
        this.#work.do(
          live,
          node,
          async (signal) => this.#enqueue(live, await cache.read(live, action, signal)),
          cache.whenSaved(live, action),
        );
        return;
      case 'saveCache':
        cache.saves(
          live,
          action,
          this.#work.done(live, node, (signal) => cache.save(live, action, signal)),
        );
        return;
      case 'acquireLocks':
        // Answered before the write, so that held locks are stored together with what follows from them.
        return;
    }
  }

  #createPod(live: LiveRun, action: Extract<Action, { readonly kind: 'createPod' }>): void {
    const { clock, pods, settings, observer } = this.#parts;
    const { node, podName } = action;
    live.podNames.set(node, podName);
    const { podRate } = settings();
    const waitMs = this.#podRate.reserve(podRate, clock.now());
    if (podRate !== undefined) observer?.podRateLimited(waitMs / 1_000);
    const turn = waitMs === 0 ? undefined : this.#work.turn(live, node, waitMs);
    const create = async (signal: AbortSignal): Promise<void> => {
      // Given up: the workflow or the node ended before the pod was made.
      if ((await turn) === false) return;
      const refused = await pods.create(live, action, settings().pods, signal);
      if (refused === undefined) this.#work.of(live).refusals.delete(node);
      else this.#refused(live, refused);
    };
    this.#work.do(live, node, create, turn);
  }

  /** Whether a pod exists that ends. When the role may not end it, the log says so once, and the workflow ends without it. */
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
    this.#enqueue(live, refused);
    if (!mayPass) return;
    this.#work.afterRefusal(live, node, () => this.#enqueue(live, { kind: 'unanswered', node }));
  }

  /** Reads what a pod that has ended reported, and passes on both: report and end. */
  readReport(live: LiveRun, { node, pod }: PodWithReport): void {
    const { reading } = this.#work.of(live);
    if (this.#stop.signal.aborted || reading.has(node)) return;
    reading.add(node);
    this.#work.do(live, node, async (signal) => {
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
      this.#enqueue(live, { kind: 'reported', node, isComplete: true, ...(outputs && { outputs }) }, end);
    } catch (error) {
      if (signal.aborted) return;
      if (isTransient(error)) throw error;
      const where = { workflow: live.key, node, pod: pod.metadata.name, detail: refusalText(error) };
      this.#parts.logger.warn(where, 'the outputs of a node cannot be read');
      if (pod.status?.phase === 'Failed') {
        this.#enqueue(live, { kind: 'reported', node, isComplete: true }, end);
        return;
      }
      const message = `cannot read the outputs of pod ${pod.metadata.name}: ${refusalText(error)}`;
      this.#enqueue(live, { kind: 'podRefused', node, message, isTransient: false });
    }
  }

  #runTask(live: LiveRun, { node, template }: Extract<Action, { readonly kind: 'runTask' }>): void {
    const { taskRunner } = this.#parts;
    this.#stopTask(live, node);
    const { tasks, abort } = this.#work.of(live);
    const own = new AbortController();
    tasks.set(node, own);
    const { workflow, spec } = live.run;
    taskRunner.run(
      { workflow, spec, template },
      (answer) => {
        if (!own.signal.aborted) this.#enqueue(live, { kind: 'taskAnswered', node, ...answer });
      },
      AbortSignal.any([abort.signal, own.signal]),
    );
  }

  /** Ends the tasks of nodes that are over. */
  #endTasks(live: LiveRun): void {
    for (const node of this.#work.find(live)?.tasks.keys() ?? []) {
      const status = live.run.nodes.get(node);
      if (status === undefined || isFulfilled(status)) this.#stopTask(live, node);
    }
  }

  #stopTask(live: LiveRun, node: NodeId): void {
    const tasks = this.#work.find(live)?.tasks;
    tasks?.get(node)?.abort(new Error(`node ${node} is over`));
    tasks?.delete(node);
  }

  #enqueue(live: LiveRun, ...changes: readonly Change[]): void {
    live.inbox.push(...changes);
    this.#parts.wake(live.key);
  }

  /** Ends the work under way for a workflow that is gone or over. */
  forget(live: LiveRun): void {
    this.#work.forget(live);
  }

  /** Pods that an earlier process left of a workflow that is over are marked, or ended. */
  clearUp(key: string, served: Workflow): void {
    const { view, pods, logger } = this.#parts;
    for (const pod of view.podsOf(key)) {
      if (this.#stop.signal.aborted || !isOwnedBy(pod, served)) continue;
      const work = (): Promise<void> =>
        isFinished(pod) ? pods.markRecorded(pod, this.#stop.signal) : pods.delete(pod, this.#stop.signal);
      this.#work.request(work).catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          logger.warn({ workflow: key, pod: pod.metadata.name, err: error }, 'a pod is left behind');
      });
    }
  }

  /** Begins nothing more, and resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the workflow controller is stopping'));
    await this.#work.stop();
  }
}

/**
 * What a pod that has ended reported in the log of our own container; undefined when it reported no outputs.
 *
 * @throws ApiError when the log cannot be read · Error when it holds no complete report of a pod that succeeded
 */
async function readOutputs(
  client: Pick<KubeClient, 'logLines'>,
  node: NodeId,
  pod: Pod,
  signal: AbortSignal,
): Promise<Outputs | undefined> {
  const container = reportingContainer(pod);
  const { namespace = '', name } = pod.metadata;
  let outputs: Outputs | undefined;
  let isComplete = false;
  for await (const line of client.logLines(name, { namespace, container, signal })) {
    const report = readReport(line, node);
    if (report === undefined) continue;
    outputs = { ...outputs, ...report.outputs };
    isComplete ||= report.isComplete;
  }
  if (!isComplete && pod.status?.phase === 'Succeeded')
    throw new Error(`the log of container ${container} holds no complete report`);
  return outputs;
}
