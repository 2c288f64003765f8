import { findCondition } from '@turnsole/kube/kinds/conditions';
import { hasFinalizer } from '@turnsole/kube/runtime/finalizers';
import {
  type ChaosEngine,
  CONDITION_GIVEN_UP,
  CONDITION_RUNNABLE,
  ENGINE_FINALIZER,
} from '../../../api/index.ts';
import { REASON_HALTED } from '../../../chaos/halt.ts';
import {
  isStartProblemReason,
  type PodStartProblem,
  START_PATIENCE_MS,
  type StartProblemReason,
} from '../../../chaos/pod-start.ts';
import { runnerPodName } from '../../../chaos/runner-name.ts';
import type { EngineAction, Phase } from './actions.ts';
import { endEarly } from './early-stop.ts';
import { planMonitor, removeMonitor } from './monitor.ts';
import { type Child, nameTakenText, type ObservedEngine } from './observed.ts';
import { planRecovery } from './recovery.ts';

/** Runner pods per run; a run whose third runner is lost has a cause that a fourth would meet too. */
const MAX_RUNNER_PODS = 3;
/** Restarts in place of one runner container, each of which resumed the run and failed again. */
const MAX_RUNNER_RESTARTS = 5;
/** Restarts that a runner gets whose token is unknown: none, as it has waited for a newer one by then. Only a new pod gets one. */
const UNKNOWN_ACCOUNT_RESTARTS = 0;
/** Restarts that a runner without a permission gets: the second one is 10 s later, time to replace a role and its binding. */
const NO_PERMISSION_RESTARTS = 2;
/** Grace period of aborted pods when the engine names none: time for an experiment to revert. */
const DEFAULT_GRACE_SECONDS = 30;
/** How much longer than its grace period a pod may take before its node counts as not answering. */
const OVERDUE_MARGIN_MS = 30_000;

/** Between two looks at the results of a run whose runner is silent: the operator gets no event when they change. */
const SILENCE_LOOK_MS = 5_000;

type Rows = (observed: ObservedEngine) => EngineAction[];

/**
 * Decides what to do for one engine; pure, complete, level-triggered.
 *
 * Rows of the table, on (deletion, spec.engineState, status.engineStatus); an empty engineState is active:
 *
 * | deleted | engineState | engineStatus | |
 * | --- | --- | --- | --- |
 * | yes | any | any | abort, then the finalizer goes |
 * | no | active | "" | begin |
 * | no | active | initialized | go on: keep a runner, complete |
 * | no | active | completed, stopped | restart |
 * | no | stop | "" | nothing |
 * | no | stop | initialized | abort; or complete when the runner has already ended well |
 * | no | stop | completed | clean up by policy |
 * | no | stop | stopped | remove what is left, then the finalizer goes |
 *
 * Decisions that would do harm on a stale cache ask for `confirm` first.
 */
export function decideEngine(observed: ObservedEngine): EngineAction[] {
  const { metadata, spec, status } = observed.engine;
  if (metadata.deletionTimestamp !== undefined) return decideDeletion(observed);
  const state = spec?.engineState === 'stop' ? 'stop' : 'active';
  const engineStatus = status?.engineStatus ?? '';
  switch (engineStatus) {
    case '':
      return state === 'active' ? begin(observed) : [];
    case 'initialized':
      return state === 'active' ? goOn(observed) : stop(observed);
    case 'completed':
      return state === 'active' ? restart(observed, 'completed') : cleanUp(observed);
    case 'stopped':
      return state === 'active' ? restart(observed, 'stopped') : removeResidue(observed);
    default:
      // A word of a newer operator: leave the engine to it.
      return unknownStatus(engineStatus);
  }
}

function unknownStatus(_status: never): EngineAction[] {
  return [];
}

const begin: Rows = (observed) =>
  observed.problems.length > 0
    ? [{ type: 'reject', problems: observed.problems }]
    : (waitForRelease(observed) ?? [{ type: 'initialize' }, ...firstPods(observed)]);

/** The monitor first: its condition is written while no runner writes yet. */
function firstPods({ engine }: ObservedEngine): EngineAction[] {
  const isMonitored = engine.spec.monitoring === true;
  return [...(isMonitored ? [{ type: 'createMonitor' } as const] : []), { type: 'createRunner', attempt: 1 }];
}

/** While the safety lever is pulled nothing begins; its release brings the engine back. */
function waitForRelease({ halted, engine }: ObservedEngine): EngineAction[] | undefined {
  if (halted === undefined) return undefined;
  const condition = findCondition(engine.status?.conditions, CONDITION_RUNNABLE);
  const isReported = condition?.reason === REASON_HALTED && condition.message === halted;
  return isReported ? [] : [{ type: 'reportHalted', message: halted }];
}

const goOn: Rows = (observed) => {
  if (observed.halted !== undefined && observed.runner.kind !== 'completed') {
    return [{ type: 'halt', message: observed.halted }];
  }
  const problem = currentProblem(observed);
  if (problem !== undefined && givenUpBecause(observed.engine) !== undefined) {
    // The reason is stored and the operator died before engineState was: what has been decided and said stays decided.
    return [{ type: 'giveUp', reason: problem.reason, message: problem.message }];
  }
  const actions = keepRunner(observed);
  // An engine that has ended, or is looked at again first, has no use for metrics now.
  const isEnding = actions.some(({ type }) => ENDINGS.has(type));
  const all = isEnding ? actions : [...actions, ...planMonitor(observed)];
  return hasFinalizer(observed.engine, ENGINE_FINALIZER) ? all : [{ type: 'addFinalizer' }, ...all];
};

const ENDINGS: ReadonlySet<EngineAction['type']> = new Set(['complete', 'giveUp', 'confirm']);

const keepRunner: Rows = (observed) => {
  const { runner } = observed;
  switch (runner.kind) {
    case 'completed':
      return [completion(observed)];
    case 'running':
      if (isRefusedForGood(runner)) return replaceRefused(observed, runner);
      if (runner.restarts >= MAX_RUNNER_RESTARTS) return giveUpRunner(runner.restarts, runner.lastExit);
      if (runner.isSilent === true) return silentRunner(observed);
      if (runner.isDown === true) return reportDown(observed, runner.lastExit);
      return currentProblem(observed) === undefined ? [] : [{ type: 'clearProblem' }];
    case 'pending':
      return runner.problem === undefined ? [] : retryOrGiveUp(observed, runner.problem, []);
    case 'foreign':
      return nameTaken(observed);
    case 'leftover':
      // The copies of engine and pods come by different watches: one of them may be older than the other.
      if (!observed.isFresh) return [{ type: 'confirm', why: 'runner pod of another run' }];
      return [{ type: 'deleteRunner', force: false }];
    case 'terminating':
      return waitForGone(observed, 'chaos running', runnerChild(observed));
    case 'failed':
      return replaceRunner(observed, `the runner pod failed (${runner.reason})`);
    case 'absent':
      return missingRunner(observed);
  }
};

type RunningRunner = Extract<ObservedEngine['runner'], { kind: 'running' }>;

function isRefusedForGood({ refusal, isDown, restarts }: RunningRunner): boolean {
  if (isDown !== true || refusal === undefined) return false;
  return restarts >= (refusal === 'unknown account' ? UNKNOWN_ACCOUNT_RESTARTS : NO_PERMISSION_RESTARTS);
}

/**
 * A new pod gets a token of the account as it is now, so it helps where the account was made anew; where there is none, the API server
 * refuses the pod and says so. What an account may do is the same for each pod.
 */
function replaceRefused(observed: ObservedEngine, { refusal, lastExit }: RunningRunner): EngineAction[] {
  const account = observed.engine.spec.chaosServiceAccount ?? 'default';
  const namespace = observed.engine.metadata.namespace ?? '';
  const exit = lastExit ?? 'no reason known';
  if (refusal === 'unknown account') {
    const cause = `the API server does not know the service account of the runner, ${namespace}/${account}, any more (${exit})`;
    return replaceRunner(observed, cause, 'RunnerRefused');
  }
  const message =
    `service account ${namespace}/${account} lacks a permission that the run needs (${exit}); ` +
    'give it back, `turnsole plan` names all, and run the engine again';
  return [{ type: 'giveUp', reason: 'RunnerRefused', message }];
}

/** That pod need not carry our labels, so no watch event may report its end: look again and again. */
const nameTaken: Rows = (observed) => {
  const problem: PodStartProblem = {
    reason: 'NameTaken',
    message: nameTakenText(observed.engine.metadata.name),
  };
  return observed.isFresh
    ? retryOrGiveUp(observed, problem, [], 'look again')
    : [{ type: 'confirm', why: 'foreign runner pod' }];
};

/** The runner pod should be there and is not: it was refused before, is lost, or was never made. */
const missingRunner: Rows = (observed) => {
  if (!observed.isFresh) return [{ type: 'confirm', why: 'runner pod missing in the cache' }];
  const problem = currentProblem(observed);
  const attempts = attemptsOf(observed);
  if (problem === undefined) return replaceRunner(observed, 'the runner pod is gone');
  return retryOrGiveUp(observed, problem, [{ type: 'createRunner', attempt: attempts }]);
};

/**
 * The node of the runner does not answer. When all experiments have their verdicts, nothing is left to run; else the runner,
 * which may be at work all the same, keeps its time until the cluster evicts it.
 */
function silentRunner(observed: ObservedEngine): EngineAction[] {
  if (!observed.isFresh) return [{ type: 'confirm', why: 'the node of the runner does not answer' }];
  const { settled: experiments } = observed;
  if (experiments === undefined)
    return [{ type: 'wait', ms: SILENCE_LOOK_MS, why: 'a runner on a silent node' }];
  return [{ ...completion(observed), experiments }];
}

function replaceRunner(
  observed: ObservedEngine,
  cause: string,
  reason: 'RunnerLost' | 'RunnerRefused' = 'RunnerLost',
): EngineAction[] {
  const attempts = attemptsOf(observed);
  if (observed.isForeignRunner === true) {
    const message = `${cause}; it was not Turnsole's runner, and another one of its kind would start the experiments once more`;
    return [{ type: 'giveUp', reason: 'RunnerLost', message }];
  }
  if (attempts >= MAX_RUNNER_PODS) {
    const message = `${cause}; it was runner pod ${attempts} of at most ${MAX_RUNNER_PODS}`;
    return [{ type: 'giveUp', reason, message }];
  }
  const message = `${cause}; making runner pod ${attempts + 1} of at most ${MAX_RUNNER_PODS}`;
  const report: EngineAction = {
    type: 'reportProblem',
    reason,
    message,
    attempts: attempts + 1,
  };
  if (observed.runner.kind === 'absent') return [report, { type: 'createRunner', attempt: attempts + 1 }];
  // Its deletion brings the engine back here, with the pod absent.
  return [report, { type: 'deleteRunner', force: true }];
}

/** Reports a failed runner container at once: until the run is given up, the kubelet's back-off may take minutes. */
function reportDown(observed: ObservedEngine, lastExit: string | undefined): EngineAction[] {
  const message = `the runner failed (${lastExit ?? 'for an unknown reason'}); the kubelet starts it again`;
  const known = currentProblem(observed);
  const isReported = known?.reason === 'RunnerFailing' && known.message === message;
  return isReported ? [] : [{ type: 'reportProblem', reason: 'RunnerFailing', message }];
}

function giveUpRunner(restarts: number, lastExit: string | undefined): EngineAction[] {
  const message = `the runner failed ${restarts} times, at last ${lastExit ?? 'for an unknown reason'}`;
  return [{ type: 'giveUp', reason: 'RunnerLost', message }];
}

/**
 * Reports a problem, goes on trying (`retry`) while patience lasts, and gives the run up after that. The patience of the
 * present cause counts from when the run first had a problem, so that changing causes do not extend it for ever.
 */
function retryOrGiveUp(
  observed: ObservedEngine,
  problem: PodStartProblem,
  retry: readonly EngineAction[],
  meanwhile: 'await events' | 'look again' = retry.length === 0 ? 'await events' : 'look again',
): EngineAction[] {
  const known = currentProblem(observed);
  const patienceMs = START_PATIENCE_MS[problem.reason];
  const sinceMs = known?.sinceMs ?? observed.nowMs;
  const leftMs = sinceMs + patienceMs - observed.nowMs;
  if (leftMs <= 0) {
    const lasted = patienceMs === 0 ? '' : ` (for ${Math.round((observed.nowMs - sinceMs) / 1000)} s)`;
    return [{ type: 'giveUp', reason: problem.reason, message: `${problem.message}${lasted}` }];
  }
  const isNews = known?.reason !== problem.reason || known.message !== problem.message;
  const actions: EngineAction[] = isNews
    ? [{ type: 'reportProblem', reason: problem.reason, message: problem.message }]
    : [];
  const retryMs = meanwhile === 'await events' ? leftMs : retryDelayMs(observed.nowMs - sinceMs);
  return [...actions, ...retry, { type: 'wait', ms: Math.min(leftMs, retryMs), why: problem.reason }];
}

/** Proportional to the time already waited, so that both a quick and a slow cure are met soon after. */
export function retryDelayMs(waitedMs: number): number {
  return Math.min(5000, Math.max(50, Math.round(waitedMs / 4)));
}

const stop: Rows = (observed) =>
  // Ended before the stop was seen, or the operator died between the two writes of a completion.
  observed.runner.kind === 'completed' && givenUpBecause(observed.engine) === undefined
    ? [completion(observed)]
    : abort(observed, 'chaos stop');

const decideDeletion: Rows = (observed) =>
  hasFinalizer(observed.engine, ENGINE_FINALIZER) ? abort(observed, 'chaos stop') : [];

function abort(observed: ObservedEngine, phase: Phase): EngineAction[] {
  const removal = removeChildren(observed, phase);
  if (removal.length > 0) return endEarly(observed, removal);
  // A Job's pod may not have reached the cache yet; a pod that is missed here would outlive the run.
  if (!observed.isFresh) return [{ type: 'confirm', why: 'nothing left in the cache' }];
  const deleted = observed.engine.metadata.deletionTimestamp !== undefined;
  const { actions, isUnderWay, left } = planRecovery(observed);
  if (isUnderWay) return [...actions];
  return [
    ...actions,
    ...removeMonitor(observed),
    { type: 'finishAbort', deleted, left: [...observed.children.map(childText), ...left] },
  ];
}

function restart(observed: ObservedEngine, after: 'completed' | 'stopped'): EngineAction[] {
  if (observed.problems.length > 0) return [{ type: 'reject', problems: observed.problems }];
  const waiting = waitForRelease(observed);
  if (waiting !== undefined) return waiting;
  const removal = removeChildren(observed, 'chaos restart');
  if (removal.length > 0) return removal;
  if (!observed.isFresh) return [{ type: 'confirm', why: 'nothing left in the cache' }];
  // A service of the run before stays for this one, if it wants metrics too.
  const obsolete = observed.engine.spec.monitoring === true ? [] : removeMonitor(observed);
  return [...obsolete, { type: 'initialize', restartAfter: after }, ...firstPods(observed)];
}

const cleanUp: Rows = (observed) => {
  // A runner that died while it recovered leaves the Job to the next one. One that others have begun (`turnsole halt`) is
  // theirs until it is done, or no longer counts.
  const heldMs = (observed.recoveriesHeldUntilMs ?? 0) - observed.nowMs;
  if (observed.recoveries > 0 && heldMs <= 0) return [{ type: 'removeRecoveries' }];
  const isWaiting = observed.recoveries > 0 && Number.isFinite(heldMs);
  const wait: EngineAction[] = isWaiting ? [{ type: 'wait', ms: heldMs, why: 'a recovery that failed' }] : [];
  if (observed.engine.spec.jobCleanUpPolicy !== 'delete') return wait;
  const pods = podsToCleanUp(observed);
  const deletion: EngineAction[] = pods.length === 0 ? [] : [{ type: 'deleteEnginePods', pods }];
  return [...removeMonitor(observed), ...deletion, ...wait];
};

function completion(observed: ObservedEngine): Extract<EngineAction, { type: 'complete' }> {
  const deletes = podsToCleanUp(observed);
  return deletes.length === 0 ? { type: 'complete' } : { type: 'complete', deletes };
}

/** Pods that carry `app=<engine>`, where the policy says that they go with the run. */
function podsToCleanUp({ engine, children }: ObservedEngine): string[] {
  if (engine.spec.jobCleanUpPolicy !== 'delete') return [];
  const present = children.filter(({ isEnginePod, goneByMs }) => isEnginePod && goneByMs === undefined);
  return present.map(({ name }) => name);
}

const removeResidue: Rows = (observed) => {
  const removal = removeChildren(observed, 'chaos stop');
  if (removal.length > 0) return removal;
  if (!hasFinalizer(observed.engine, ENGINE_FINALIZER)) return [];
  if (!observed.isFresh) return [{ type: 'confirm', why: 'nothing left in the cache' }];
  // It was said to be stopped before its pods were gone. Should one have left something all the same, the finalizer stays for that.
  const { actions, isUnderWay, left } = planRecovery(observed);
  if (isUnderWay) return [...actions];
  const rest = [...observed.children.map(childText), ...left];
  const isClean = rest.length === 0 && observed.recoveries === 0;
  return [
    ...actions,
    isClean ? { type: 'removeFinalizer' } : { type: 'finishAbort', deleted: false, left: rest },
  ];
};

/** What is still to be done or waited for until no Job and no pod of the engine is left; empty when none is. */
function removeChildren(observed: ObservedEngine, phase: Phase): EngineAction[] {
  const children = observed.children.filter((child) => !isBeyondReach(child, observed.nowMs));
  // Also children that are being deleted: a kubelet may take seconds to let go of a pod that has ended.
  const ended = children.filter(
    ({ kind, ended: hasEnded, isForced }) => kind === 'Pod' && hasEnded && isForced !== true,
  );
  const actions: EngineAction[] = [];
  if (ended.length > 0) actions.push(forceDelete(phase, ended, false));
  // Deleting the Jobs of ended pods first would let the garbage collector do it with their grace period.
  if (children.some((child) => child.goneByMs === undefined && !ended.includes(child))) {
    actions.push({ type: 'deleteChildren', phase, gracePeriodSeconds: graceSeconds(observed) });
  }
  if (children.length === 0) return [];
  return [...actions, ...waitForGone(observed, phase, children)];
}

/**
 * Deleted, deleted by force, and still there: another program's finalizer or a dead API path holds it. An abort does not
 * wait for such an object any longer, it says that it is left.
 */
function isBeyondReach({ kind, goneByMs }: Child, nowMs: number): boolean {
  if (goneByMs === undefined) return false;
  return goneByMs + (kind === 'Pod' ? 2 : 1) * OVERDUE_MARGIN_MS <= nowMs;
}

function childText({ kind, name, node }: Child): string {
  return node === undefined ? `${kind} ${name}` : `${kind} ${name} on node ${node}`;
}

/** Waits for terminating pods; those whose time is over are deleted by force, so that an abort ends within a bound. */
function waitForGone(observed: ObservedEngine, phase: Phase, children: readonly Child[]): EngineAction[] {
  const pods = children.filter(({ kind, goneByMs }) => kind === 'Pod' && goneByMs !== undefined);
  // Without grace it is over at once or held by a finalizer: only the bound of the whole wait is left.
  const isForced = (pod: Child): boolean => pod.isForced === true || pod.ended;
  const deadline = (pod: Child): number =>
    (pod.goneByMs ?? observed.nowMs) + (isForced(pod) ? 2 : 1) * OVERDUE_MARGIN_MS;
  const overdue = pods.filter((pod) => !isForced(pod) && deadline(pod) <= observed.nowMs);
  const forced: EngineAction[] = overdue.length === 0 ? [] : [forceDelete(phase, overdue, true)];
  const rest = pods.filter((pod) => !overdue.includes(pod));
  const nextMs = Math.max(1, Math.min(...rest.map(deadline)) - observed.nowMs);
  const count = `${children.length} object${children.length === 1 ? '' : 's'} to go`;
  const waitMs = Number.isFinite(nextMs) ? nextMs : OVERDUE_MARGIN_MS;
  return [...forced, { type: 'wait', ms: waitMs, why: count }];
}

function forceDelete(phase: Phase, pods: readonly Child[], unresponsive: boolean): EngineAction {
  return { type: 'forceDelete', phase, pods: pods.map(({ name }) => name), unresponsive };
}

function runnerChild(observed: ObservedEngine): Child[] {
  const name = runnerPodName(observed.engine.metadata.name);
  return observed.children.filter((child) => child.kind === 'Pod' && child.name === name);
}

function attemptsOf({ engine }: ObservedEngine): number {
  return engine.status?.runnerAttempts ?? 1;
}

/** Zero means unset, as for upstream, whose field cannot distinguish the two. */
export function graceSeconds({ engine }: Pick<ObservedEngine, 'engine'>): number {
  const seconds = engine.spec.terminationGracePeriodSeconds ?? 0;
  return seconds > 0 ? seconds : DEFAULT_GRACE_SECONDS;
}

/** Why the operator has given the run up, if it has. */
export function givenUpBecause({ status }: ChaosEngine): string | undefined {
  const condition = findCondition(status?.conditions, CONDITION_GIVEN_UP);
  return condition?.status === 'True' ? (condition.message ?? 'the run could not be carried out') : undefined;
}

/** The reason why the run cannot go on at the moment, as the engine's condition has it. */
export function currentProblem(
  observed: Pick<ObservedEngine, 'engine' | 'nowMs'>,
): (PodStartProblem & { readonly sinceMs: number }) | undefined {
  const condition = findCondition(observed.engine.status?.conditions, CONDITION_RUNNABLE);
  if (condition?.status !== 'False') return undefined;
  const reason: StartProblemReason = isStartProblemReason(condition.reason)
    ? condition.reason
    : 'SpecInvalid';
  const sinceMs = Date.parse(condition.lastTransitionTime ?? '');
  return {
    reason,
    message: condition.message ?? reason,
    sinceMs: Number.isNaN(sinceMs) ? observed.nowMs : sinceMs,
  };
}
