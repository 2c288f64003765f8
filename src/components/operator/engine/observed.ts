import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { metaTime } from '@turnsole/kube/text/time';
import type { ChaosEngine, ChaosResult, EngineExperimentStatus } from '../../../api/index.ts';
import { LABEL_APP, LABEL_RUN_ID } from '../../../api/index.ts';
import { podHasEnded } from '../../../chaos/pod-end.ts';
import { type PodStartProblem, podStartProblem } from '../../../chaos/pod-start.ts';
import { RUNNER_CONTAINER, runnerPodName } from '../../../chaos/runner-name.ts';
import { POD_EXIT } from '../../../process/exit-codes.ts';
import { heldUntilMs, isOfRecovery, type ObservedResult, observeResults } from './observed-results.ts';
import { podsThatLetGo } from './released-pods.ts';
import { settledExperiments } from './results.ts';

/** The runner pod as the timeline names objects. */
export function runnerObject({ metadata }: ChaosEngine): string {
  return `pod/${metadata.namespace ?? ''}/${runnerPodName(metadata.name)}`;
}

/** The message when another pod has the runner's name. */
export function nameTakenText(engine: string): string {
  const pod = runnerPodName(engine);
  return `cannot make runner pod ${pod}: a pod of that name exists that this engine does not own; delete it`;
}

/** How the API server refused a runner: it does not know its account, or that account lacks a permission. */
type Refusal = 'unknown account' | 'no permission';

/** By the exit codes of runners. */
const REFUSALS: ReadonlyMap<number, Refusal> = new Map([
  [POD_EXIT.unknownAccount, 'unknown account'],
  [POD_EXIT.noPermission, 'no permission'],
]);

/**
 * The state of the runner pod.
 *
 * - `absent`: it does not exist.
 * - `foreign`: a pod of that name that this engine does not control.
 * - `leftover`: the runner of an earlier run of this engine, or what a cache that lags behind takes for it.
 * - `terminating`: someone deletes it.
 * - `pending`: not running yet; `problem` says what keeps it, if anything does.
 * - `running`: its container runs, or restarts in place after a failure (`restarts` times so far).
 * - `completed`: its container has ended well: the run is over.
 * - `failed`: the pod has ended without that (evicted, its node is gone, …) and will not come back.
 */
type RunnerState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'foreign' | 'leftover' | 'terminating' }
  | { readonly kind: 'pending'; readonly problem?: PodStartProblem }
  | {
      readonly kind: 'running';
      readonly restarts: number;
      readonly lastExit?: string;
      /** It ended last because the API server refused its account. */
      readonly refusal?: Refusal;
      /** Its node does not answer: what it does, and whether it still does anything, is not reported. */
      readonly isSilent?: true;
      /** Its container has failed and waits to be started again. */
      readonly isDown?: true;
    }
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A pod or Job that the engine caused. */
export interface Child {
  readonly kind: 'Pod' | 'Job';
  readonly name: string;
  /** Set while it is being deleted: when it should be gone, in milliseconds since the epoch. */
  readonly goneByMs?: number;
  /** It is being deleted without grace already: what holds it is a finalizer, and no further deletion helps. */
  readonly isForced?: boolean;
  /** A pod whose containers have all ended: deleting it needs no grace. */
  readonly ended: boolean;
  /** Has the label `app=<engine>`, as the runner pod has. */
  readonly isEnginePod: boolean;
  readonly node?: string;
  /** Has nothing in force and injects nothing more, by its last word; known where results were read. */
  readonly hasLetGo?: true;
}

/** Everything one decision about an engine is made of. */
export interface ObservedEngine {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly engine: ChaosEngine;
  /** Problems of its spec, each with the path of the field; empty when it can be run. */
  readonly problems: readonly string[];
  readonly runner: RunnerState;
  /** The runner is known not to be Turnsole's: it cannot take up a run that another one began. */
  readonly isForeignRunner?: boolean;
  readonly children: readonly Child[];
  /** Pods and Jobs of recoveries: what an abort leaves alone until they are done. */
  readonly recoveries: number;
  /** Until when the recoveries have an owner (heldUntilMs); undefined: they have none. */
  readonly recoveriesHeldUntilMs: number | undefined;
  /** Results of the engine, where they were read: fresh, and only for an engine whose run is to end. */
  readonly results: readonly ObservedResult[];
  /** The engine's entries when each has a final verdict in its result and nothing is left in force; read as `results` are. */
  readonly settled?: readonly EngineExperimentStatus[];
  /** Why no chaos may run here: the safety lever is pulled. */
  readonly halted?: string | undefined;
  /** Whether an experiment has written its last word (`status.closed` of its result) since the abort began. */
  readonly hasReceivedLastWord?: boolean;
  /** Read from the API server just now, not from a cache that may lag behind. */
  readonly isFresh: boolean;
}

/** What the cache or the API server has of an engine's world. */
export interface EngineWorld {
  readonly engine: ChaosEngine;
  /** The pod that has the runner's name, with any owner. */
  readonly runner: Pod | undefined;
  /** Pods and Jobs with the engine's `chaosUID`. */
  readonly pods: readonly Pod[];
  readonly jobs: readonly Job[];
  /** Read only where a run is to be closed. */
  readonly results?: readonly ChaosResult[];
}

/** What else a decision depends on, which is in no object of the run. */
type Circumstances = Pick<
  ObservedEngine,
  'nowMs' | 'problems' | 'isFresh' | 'halted' | 'isForeignRunner' | 'hasReceivedLastWord'
>;

/** Reduces what was read to what a decision depends on. Pure. */
export function observeEngine(world: EngineWorld, circumstances: Circumstances): ObservedEngine {
  const { engine } = world;
  const letGo = podsThatLetGo(world.pods, world.results ?? []);
  const settled = settledExperiments(engine, world.results ?? [], metaTime(circumstances.nowMs));
  return {
    ...circumstances,
    engine,
    runner: observeRunner(world.runner, engine),
    children: [
      ...world.pods
        .filter((pod) => !isOfRecovery(pod))
        .map((pod) => observePod(pod, engine.metadata.name, letGo)),
      ...world.jobs.filter((job) => !isOfRecovery(job)).map((job) => observeJob(job)),
    ],
    recoveries: [...world.pods, ...world.jobs].filter(isOfRecovery).length,
    recoveriesHeldUntilMs: heldUntilMs(world.jobs.filter(isOfRecovery), world.pods),
    ...(settled === undefined ? {} : { settled }),
    results: observeResults(world.results ?? [], world.jobs, world.pods),
  };
}

/** State of the pod with the runner's name. Pure. */
export function observeRunner(pod: Pod | undefined, engine: ChaosEngine): RunnerState {
  if (pod === undefined) return { kind: 'absent' };
  const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller?.uid !== engine.metadata.uid) return { kind: 'foreign' };
  const runId = pod.metadata.labels?.[LABEL_RUN_ID];
  // An engine without a run id has lost it to a writer that does not know it: that is no other run.
  const current = engine.status?.runId;
  if (runId !== undefined && current !== undefined && runId !== current) return { kind: 'leftover' };
  const container = pod.status?.containerStatuses?.find(({ name }) => name === RUNNER_CONTAINER);
  // Completed counts even while the pod is being deleted: what it did is done.
  if (container?.state?.terminated?.reason === 'Completed') return { kind: 'completed' };
  if (pod.metadata.deletionTimestamp !== undefined) return { kind: 'terminating' };
  if (pod.status?.phase === 'Failed') {
    const parts = [pod.status.reason, pod.status.message ?? exitText(container?.state?.terminated)];
    const reason = parts.filter((part) => part !== undefined && part !== '').join(': ');
    return { kind: 'failed', reason: reason === '' ? 'its pod failed' : reason };
  }
  const restarts = container?.restartCount ?? 0;
  if (restarts > 0 || container?.state?.running !== undefined || container?.state?.terminated !== undefined) {
    const terminated = container?.state?.terminated ?? container?.lastState?.terminated;
    const lastExit = exitText(terminated);
    const refusal = REFUSALS.get(terminated?.exitCode ?? POD_EXIT.done);
    const isDown = container?.state?.running === undefined && lastExit !== undefined;
    return {
      kind: 'running',
      restarts,
      ...(lastExit === undefined ? {} : { lastExit }),
      ...(refusal === undefined ? {} : { refusal }),
      ...(isDown ? { isDown } : {}),
      ...(isSilent(pod) ? { isSilent: true as const } : {}),
    };
  }
  const problem = podStartProblem(pod);
  return { kind: 'pending', ...(problem === undefined ? {} : { problem }) };
}

/** A running pod that is not ready is on a node from which the node controller gets no heartbeats: our runner has no readiness probe. */
export function isSilent({ status }: Pod): boolean {
  const container = status?.containerStatuses?.find(({ name }) => name === RUNNER_CONTAINER);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return container?.state?.running !== undefined && ready?.status === 'False';
}

function exitText(
  terminated: { readonly exitCode: number; readonly reason?: string; readonly message?: string } | undefined,
): string | undefined {
  if (terminated === undefined) return undefined;
  const { exitCode, reason, message } = terminated;
  return `${reason ?? 'ended'} with exit code ${exitCode}${message ? `: ${message.trim()}` : ''}`;
}

function observePod(pod: Pod, engineName: string, letGo: ReadonlySet<string>): Child {
  return {
    kind: 'Pod',
    name: pod.metadata.name,
    ...goneBy(pod.metadata.deletionTimestamp),
    ...(pod.metadata.deletionGracePeriodSeconds === 0 ? { isForced: true } : {}),
    ended: podHasEnded(pod),
    isEnginePod: pod.metadata.labels?.[LABEL_APP] === engineName,
    ...(pod.spec?.nodeName === undefined ? {} : { node: pod.spec.nodeName }),
    ...(letGo.has(pod.metadata.name) ? { hasLetGo: true as const } : {}),
  };
}

function observeJob(job: Job): Child {
  return {
    kind: 'Job',
    name: job.metadata.name,
    ...goneBy(job.metadata.deletionTimestamp),
    ended: false,
    isEnginePod: false,
  };
}

/** A pod's deletionTimestamp already contains its grace period (API conventions, Metadata). */
function goneBy(deletionTimestamp: string | undefined): Pick<Child, 'goneByMs'> {
  return deletionTimestamp === undefined ? {} : { goneByMs: Date.parse(deletionTimestamp) };
}
