import { ApiError, isAlreadyExists, isNotFound } from '@turnsole/kube/client/errors';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { Job } from '@turnsole/kube/kinds/core';
import { JOBS } from '@turnsole/kube/kinds/resources';
import { experimentIsOver } from '../../api/engine-status.ts';
import {
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  type ChaosExperiment,
  type ChaosResult,
  type EngineExperimentStatus,
  isOpen,
} from '../../api/index.ts';
import { closedStatus } from '../../chaos/close-result.ts';
import { withCode } from '../../chaos/errors/row.ts';
import type { Item } from '../../chaos/experiments/run-order.ts';
import { SkipError } from '../../chaos/experiments/skip-error.ts';
import { type PodStartProblem, START_PATIENCE_MS } from '../../chaos/pod-start.ts';
import { iterationRunId } from '../../chaos/run-id.ts';
import { buildExperimentJob } from '../../engines/pods/experiment-job.ts';
import { cleanUpPolicyOf, type JobPlan, jobNameOf, planJob } from '../../engines/pods/job-plan.ts';
import { checkDependencies } from './dependencies.ts';
import type { PodState } from './experiment-pod.ts';
import { followPod } from './follow-pod.ts';
import { judgeExperiment } from './judge.ts';
import { refuseForeignImage } from './refuse-foreign-image.ts';
import type { RunContext } from './run-context.ts';

/**
 * One experiment from its definition to its verdict in the engine's status. What keeps it from being started or followed skips it with a
 * Warning event. What fails later is thrown, so that no verdict is overwritten: the kubelet starts the runner again. An experiment that an
 * earlier runner of this run finished is left as it is, one that it started is picked up where it is.
 *
 * @throws RunOverError when the run is no longer this runner's · ApiError when its verdict could not be found out or stored · the signal's
 * reason
 */
export async function runExperimentJob(run: RunContext, item: Item, index: number): Promise<void> {
  const { name } = item;
  const logger = run.logger.child({ experiment: name });
  const earlier = run.status.entry(index);
  if (earlier !== undefined && experimentIsOver(earlier.status)) {
    run.onStarted(index);
    logger.info({ status: earlier.status }, 'experiment has ended already');
    // The runner before this one may have died between the verdict and the clean-up.
    if (earlier.status === 'Completed') await cleanUpJob(run, item, true);
    return;
  }
  try {
    const { plan, job } = await takeUp(run, item, index);
    run.onStarted(index);
    const end: PodState = job === undefined ? { kind: 'gone' } : await awaitEnd(run, plan, job);
    await recordVerdict(run, plan, end);
    await cleanUpJob(run, item, false);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof SkipError)) throw error;
    run.onStarted(index);
    logger.error({ err: error }, 'experiment skipped');
    await recordSkip(run, name, index, error);
  }
}

/**
 * Plans an experiment and gives its Job: a new one, or the one that an earlier runner of this run created; undefined when that one is
 * gone.
 *
 * @throws SkipError when it cannot be started · ApiError when it runs, and what is needed to follow it could not be read
 */
async function takeUp(
  run: RunContext,
  item: Item,
  index: number,
): Promise<{ readonly plan: JobPlan; readonly job: Job | undefined }> {
  const { settings, runId, status } = run;
  // Running means that there was a Job: when it is gone, the experiment must not begin again.
  const isRunning = status.entry(index)?.status === 'Running';
  try {
    const experiment = await findExperiment(run, item.name);
    const plan = planJob({ engine: status.engine, experiment, item, index, settings, runId });
    if (isRunning) return { plan, job: await findJob(run, plan) };
    await refuseForeignImage(run, plan);
    return { plan, job: await startJob(run, plan) };
  } catch (error) {
    // One that runs may pass yet, or has: a request that failed says nothing against it.
    if (!(error instanceof ApiError) || isRunning) throw error;
    throw new SkipError('JobCreationError', error.message, { cause: error });
  }
}

async function findExperiment(run: RunContext, name: string): Promise<ChaosExperiment> {
  const { namespace } = run.settings;
  const found = await run.client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, name, {
    namespace,
    signal: run.signal,
  });
  if (found !== undefined) return found;
  const message = `ChaosExperiment ${namespace}/${name} not found; apply it or correct the name in spec.experiments`;
  throw new SkipError('ExperimentNotFound', message, { status: 'ChaosExperiment Not Found' });
}

/** Answers from this code on do not say whether the request was carried out. */
const SERVER_FAILED = 500;

/** Checks what the Job needs and creates it, or finds the one that an earlier runner of this run created. */
async function startJob(run: RunContext, plan: JobPlan): Promise<Job> {
  const { client, signal, settings } = run;
  await checkDependencies(client, plan, signal);
  run.events.emit({
    type: 'Normal',
    reason: 'ExperimentDependencyCheck',
    experiment: plan.name,
    message: `Experiment resources validated for Chaos Experiment: ${plan.name}`,
  });
  const place = { namespace: settings.namespace, signal };
  try {
    const job = await client.create<Job>(JOBS, buildExperimentJob(plan), { ...place, repeatable: true });
    sayCreated(run, plan);
    return job;
  } catch (error) {
    if (isAlreadyExists(error)) {
      run.logger.info({ experiment: plan.name, job: plan.jobName }, 'job of an earlier runner found');
      return client.get<Job>(JOBS, plan.jobName, place);
    }
    if (!(error instanceof ApiError)) throw error;
    // A server that fails may have created it all the same: skipped, its chaos would run unwatched.
    const job = error.code >= SERVER_FAILED ? await findJob(run, plan) : undefined;
    if (job !== undefined) {
      sayCreated(run, plan);
      return job;
    }
    const detail = error.status.message ?? error.message;
    throw new SkipError('JobCreationError', `cannot create Job ${plan.jobName}: ${detail}`, { cause: error });
  }
}

function sayCreated(run: RunContext, { name, jobName }: JobPlan): void {
  const job = `${run.settings.namespace}/${jobName}`;
  run.events.emit({
    type: 'Normal',
    reason: 'ExperimentJobCreate',
    experiment: name,
    message: `Experiment Job ${jobName} for Chaos Experiment: ${name}`,
  });
  run.status.note('JobCreated', `Job ${job} of ${name} created`, `job/${job}`);
  run.logger.info({ experiment: name, job: jobName }, 'job created');
}

function findJob(run: RunContext, plan: JobPlan): Promise<Job | undefined> {
  return run.client.find<Job>(JOBS, plan.jobName, { namespace: run.settings.namespace, signal: run.signal });
}

/** Waits for the end of the experiment's container; says at once when it cannot start, and gives up when that lasts. */
async function awaitEnd(run: RunContext, plan: JobPlan, job: Job): Promise<PodState> {
  const patience = new StartPatience(run, plan);
  try {
    return await followPod({
      client: run.client,
      clock: run.clock,
      namespace: run.settings.namespace,
      job: plan.jobName,
      jobUid: job.metadata.uid,
      signal: AbortSignal.any([run.signal, patience.signal]),
      onNoPod: (problem) => patience.report(problem, undefined),
      onState: (state) => {
        if (state.kind === 'starting' && state.problem !== undefined)
          patience.report(state.problem, state.pod);
        else if (state.kind === 'running') patience.end();
        if (state.kind === 'running' || state.kind === 'starting') recordPod(run, plan, state);
        return true;
      },
    });
  } catch (error) {
    if (!(error instanceof SkipError)) {
      if (!(error instanceof ApiError)) throw error;
      const message = `cannot watch pod of Job ${plan.jobName}: ${error.message}`;
      throw new SkipError('ExperimentChaosContainerWatchError', message, { cause: error });
    }
    // It has not started and must not start later, when it is no longer waited for.
    await deleteJob(run, plan.jobName);
    throw error;
  } finally {
    patience.end();
  }
}

/** Counts the time that an experiment's pod cannot start, from when it was first said. */
class StartPatience {
  readonly #run: RunContext;
  readonly #plan: JobPlan;
  readonly #controller = new AbortController();
  #since: number | undefined;
  #message = '';
  #stopTimer = (): void => {};

  constructor(run: RunContext, plan: JobPlan) {
    this.#run = run;
    this.#plan = plan;
  }

  /** Aborted with a SkipError when patience is at its end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  report({ reason, message }: PodStartProblem, pod: string | undefined): void {
    const { clock, events, status, logger } = this.#run;
    const { name, index } = this.#plan;
    this.#since ??= clock.monotonic();
    this.#stopTimer();
    const leftMs = this.#since + START_PATIENCE_MS[reason] - clock.monotonic();
    this.#stopTimer = clock.setTimer(Math.max(0, leftMs), () => this.#giveUp(message));
    if (message === this.#message) return;
    this.#message = message;
    logger.warn({ experiment: name, reason, detail: message }, 'experiment pod cannot start');
    events.emit({ type: 'Warning', reason: 'ExperimentPodNotStarting', experiment: name, message });
    status.note('ExperimentPodNotStarting', message);
    this.#run.background(
      status.update(index, { reason: message, ...(pod === undefined ? {} : { experimentPod: pod }) }),
    );
  }

  end(): void {
    this.#stopTimer();
  }

  #giveUp(message: string): void {
    this.#controller.abort(new SkipError('ExperimentChaosContainerWatchError', message));
  }
}

/** The status turns Running as soon as the pod has a name; what keeps it from starting stays beside it. */
function recordPod(run: RunContext, plan: JobPlan, state: PodState & { pod: string }): void {
  const problem = state.kind === 'starting' ? state.problem : undefined;
  const entry = notePod(run, plan, state.pod);
  if (entry !== undefined && entry.reason === problem?.message && entry.experimentPod === state.pod) return;
  run.background(
    run.status.update(plan.index, {
      status: 'Running',
      verdict: 'Awaited',
      experimentPod: state.pod,
      ...(problem === undefined ? {} : { reason: problem.message }),
    }),
  );
}

/** Notes that the experiment has a pod, once. Gives the engine's entry if the pod was noted before. */
function notePod(run: RunContext, plan: JobPlan, pod: string): EngineExperimentStatus | undefined {
  const entry = run.status.entry(plan.index);
  if (entry?.status === 'Running') return entry;
  const { namespace } = run.settings;
  run.status.note(
    'ExperimentPodCreated',
    `pod ${namespace}/${pod} of ${plan.name} created`,
    `pod/${namespace}/${pod}`,
  );
  return undefined;
}

/** Judges an experiment whose pod has ended, and stores the verdict in the engine. */
export async function recordVerdict(run: RunContext, plan: JobPlan, end: PodState): Promise<void> {
  const { client, settings, signal, status } = run;
  // A pod may have come and ended between two looks.
  if (end.kind === 'ended') notePod(run, plan, end.pod);
  const place = { namespace: settings.namespace, signal };
  const found = await client.find<ChaosResult>(CHAOS_RESULTS, plan.resultName, place);
  const { result, left } = await recoverAll(run, plan, found);
  const detail = end.kind === 'ended' ? end.detail : 'its pod is gone';
  const engineUid = plan.engine.metadata.uid ?? '';
  const { verdict, reason, unfinished } = judgeExperiment(
    result,
    { resultName: plan.resultName, engineUid, runId: plan.runId },
    detail,
  );
  // An abort looks the same from here: then it is the operator who closes the run.
  if (verdict === 'Stopped' || verdict === 'Error') await status.assertUnderWay();
  if (unfinished && result !== undefined && reason !== undefined) await closeUnfinished(run, result, reason);
  status.note(
    'ExperimentEnded',
    `${plan.name} has ended: ${verdict}${reason === undefined ? '' : ` (${reason})`}`,
    `chaosresult/${settings.namespace}/${plan.resultName}`,
  );
  noteCleanUp(run, plan);
  run.logger.info({ experiment: plan.name, verdict, reason }, 'experiment ended');
  await status.update(plan.index, {
    status: 'Completed',
    verdict,
    ...(end.kind === 'ended' ? { experimentPod: end.pod } : {}),
    ...(reason === undefined && left === undefined
      ? {}
      : { reason: [reason, left].filter((part) => part !== undefined).join('; ') }),
  });
}

/**
 * Has reverted what the experiment left, and its helpers ended before its run is closed: what they would still plan would be looked
 * at by no component. They are looked for after the first recovery, which ends those that hold something by itself.
 */
async function recoverAll(run: RunContext, plan: JobPlan, found: ChaosResult | undefined): Promise<Recovery> {
  const first = await recover(run, plan, found);
  const { name: experiment, runId } = plan;
  const { engine } = run.status;
  const judged = { resultName: plan.resultName, engineUid: engine.metadata.uid ?? '', runId };
  // One that has ended by itself has ended its helpers, and a node that did not answer a recovery does not answer now.
  const isUnfinished = judgeExperiment(first.result, judged, undefined).unfinished;
  if (!isUnfinished || first.left !== undefined) return first;
  // An abort ends helpers with everything else.
  await run.status.assertUnderWay();
  const { client, clock, signal, settings } = run;
  const { namespace } = settings;
  const { endHelpers } = await import('../../engines/end-helpers.ts');
  try {
    const ended = await endHelpers({ client, clock, signal, namespace, experiment, runId });
    if (ended > 0) {
      run.status.note('HelpersEnded', `${ended} helper(s) that ${experiment} left at work have ended`);
    }
  } catch (err) {
    signal.throwIfAborted();
    run.logger.warn({ err, experiment }, 'helpers of an experiment that died may still be at work');
  }
  // Also where none was at work any more: one may have injected and died since the result was read.
  const again = await client.find<ChaosResult>(CHAOS_RESULTS, plan.resultName, { namespace, signal });
  return recover(run, plan, again);
}

/** The result after a recovery, and in words what could not be reverted. */
interface Recovery {
  readonly result: ChaosResult | undefined;
  readonly left?: string;
}

/**
 * Has reverted what the experiment left in force: it was killed, or its node is gone. Gives the result as it then is, and in words
 * what could not be reverted.
 */
async function recover(run: RunContext, plan: JobPlan, found: ChaosResult | undefined): Promise<Recovery> {
  if (!Object.values(found?.status?.ledger ?? {}).some(isOpen) || found === undefined)
    return { result: found };
  // After an abort it is the operator who recovers.
  await run.status.assertUnderWay();
  const { recoverResult } = await import('../../engines/recover-result.ts');
  const { client, clock, signal, status, settings } = run;
  const object = `chaosresult/${settings.namespace}/${plan.resultName}`;
  const onStart = (job: string): void => {
    status.note('RecoveryStarted', `Job ${job} reverts what ${plan.name} left in force`, object);
    run.background(status.flush());
  };
  const { result, left, reason } = await recoverResult(found, { client, clock, signal, onStart });
  if (left.length === 0) return { result };
  const message = `not reverted (${reason}): ${left.join(', ')}`;
  status.note('NotReverted', message, object);
  run.events.emit({ type: 'Warning', reason: 'ChaosNotReverted', experiment: plan.name, message });
  return { result, left: message };
}

/** No other component closes the result of an experiment that is no more. */
async function closeUnfinished(run: RunContext, result: ChaosResult, reason: string): Promise<void> {
  const { name } = result.metadata;
  const { client, settings, signal } = run;
  const place = { namespace: settings.namespace, signal };
  const options = await statusOptions(client, CHAOS_RESULTS, place);
  try {
    const status = closedStatus(result, { verdict: 'Error', reason });
    await client.patch(CHAOS_RESULTS, name, 'merge', { status }, { ...options, repeatable: true });
  } catch (err) {
    if (!(err instanceof ApiError)) throw err;
    run.logger.warn({ err, result: name }, 'cannot close the result of an experiment that died');
  }
}

async function recordSkip(run: RunContext, name: string, index: number, skip: SkipError): Promise<void> {
  run.events.emit({
    type: 'Warning',
    reason: skip.reason,
    experiment: name,
    message: `Experiment Job creation failed, skipping Chaos Experiment: ${name}: ${skip.message}`,
  });
  run.status.note('ExperimentSkipped', `${name} is skipped: ${skip.message}`);
  await run.status.update(index, {
    status: skip.status,
    verdict: skip.verdict,
    experimentPod: 'N/A',
    reason: withCode(skip.message, skip.reason),
  });
}

/** Notes the Job's deletion together with the verdict, after which nothing keeps it: a write of its own for one line is saved. */
function noteCleanUp(run: RunContext, { jobName }: JobPlan): void {
  if (cleanUpPolicyOf(run.status.engine) !== 'delete') return;
  const { namespace } = run.settings;
  const message = `Job ${namespace}/${jobName} is deleted, as jobCleanUpPolicy delete says`;
  run.status.note('JobDeleted', message, `job/${namespace}/${jobName}`);
}

/** Deletes or retains the Job of an ended experiment, as the engine's policy says. */
async function cleanUpJob(run: RunContext, item: Item, silent: boolean): Promise<void> {
  const { name, position, iteration } = item;
  const jobName = jobNameOf(name, position, iterationRunId(run.runId, iteration));
  const policy = cleanUpPolicyOf(run.status.engine);
  if (policy === 'delete') await deleteJob(run, jobName);
  if (silent) return;
  run.events.emit({
    type: 'Normal',
    reason: 'ExperimentJobCleanUp',
    experiment: name,
    message: `Experiment Job ${jobName} ${policy === 'delete' ? 'is deleted' : 'will be retained'}`,
  });
}

async function deleteJob(run: RunContext, jobName: string): Promise<void> {
  try {
    await run.client.delete(JOBS, jobName, {
      namespace: run.settings.namespace,
      propagationPolicy: 'Background',
      signal: run.signal,
      repeatable: true,
    });
  } catch (err) {
    run.signal.throwIfAborted();
    if (isNotFound(err)) return;
    run.logger.warn({ err, job: jobName }, 'cannot delete job');
  }
}
