import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { experimentIsOver } from '../../api/engine-status.ts';
import { CHAOS_ENGINES, type ChaosEngine, type EngineExperimentStatus } from '../../api/index.ts';
import {
  type Item,
  isUntouched,
  nextSteps,
  type Order,
  type Progress,
  planOrder,
} from '../../chaos/experiments/run-order.ts';
import { restoreEngine } from '../../chaos/run-record.ts';
import { EngineStatusWriter, RunOverError } from './engine-status.ts';
import type { RunContext } from './run-context.ts';
import { runExperimentJob } from './run-experiment.ts';
import { RunnerEvents } from './runner-events.ts';
import type { RunnerSettings } from './settings.ts';

/** What one run of an engine needs. */
interface RunEngineInput extends Basics {
  readonly settings: RunnerSettings;
  /** Aborted on SIGTERM: the runner leaves everything to the operator and ends. */
  readonly signal: AbortSignal;
}

/**
 * Runs the experiments of an engine and resolves when all have their verdict in the engine's status.
 *
 * Started again for the same run (known by its run id) it resumes: it does not repeat an experiment that is in the status or has
 * its Job.
 *
 * @throws RunOverError when the engine is gone, stopped, or in another run
 */
export async function runEngine(input: RunEngineInput): Promise<void> {
  const { client, settings, clock } = input;
  const place = { namespace: settings.namespace, signal: input.signal };
  const [stored] = await Promise.all([
    client.find<ChaosEngine>(CHAOS_ENGINES, settings.engine, place),
    // Asked once, beside the first read, instead of before the first write.
    client.hasStatusSubresource(CHAOS_ENGINES, place),
  ]);
  if (stored === undefined)
    throw new RunOverError(`ChaosEngine ${settings.namespace}/${settings.engine} is gone`);
  const engine = restoreEngine(stored);
  const engineRunId = engine.status?.runId;
  if (settings.runId !== undefined && engineRunId !== settings.runId) {
    throw new RunOverError(
      `ChaosEngine ${settings.namespace}/${settings.engine} is in run ${engineRunId}, not in ours`,
    );
  }
  if (engine.spec.engineState === 'stop' || engine.metadata.deletionTimestamp !== undefined) {
    throw new RunOverError(`ChaosEngine ${settings.namespace}/${settings.engine} is stopped`);
  }
  const runId = settings.runId ?? engineRunId ?? (await runnerPodUid(client, settings, input.signal));
  const over = new AbortController();
  const signal = AbortSignal.any([input.signal, over.signal]);
  const logger = input.logger.child({ engine: `${settings.namespace}/${settings.engine}`, runId });
  const order = planOrder(settings.experiments, engine, runId);
  const status = new EngineStatusWriter(
    { client, clock, engine, runId: engineRunId, signal },
    initialEntries(engine, order.items),
  );
  const toStart = new Set(order.items.keys());
  const run: RunContext = {
    client,
    clock,
    logger,
    settings,
    runId,
    status,
    events: new RunnerEvents({ client, clock, logger, engine }),
    signal,
    onStarted: (index) => {
      toStart.delete(index);
      if (toStart.size === 0) status.reportAllStarted();
    },
    background: (work) => void work.catch((error: unknown) => over.abort(error)),
  };
  const isResumed = (engine.status?.experiments ?? []).length > 0;
  logger.info({ experiments: settings.experiments }, isResumed ? 'run resumed' : 'run begins');
  run.status.note(
    isResumed ? 'RunnerResumed' : 'RunnerStarted',
    `runner ${isResumed ? 'goes on with' : 'starts'} ${settings.experiments.join(', ')}`,
  );
  try {
    run.background(run.status.begin());
    await runAll(run, order);
    await run.status.flush();
  } finally {
    // Events report what was done; they are worth the moment, unless the process is being stopped.
    if (!input.signal.aborted) await run.events.flush();
  }
}

/** Starts experiments as the order allows until all have ended. */
async function runAll(run: RunContext, order: Order): Promise<void> {
  const { items } = order;
  const progress: Progress[] = items.map((_, index) => progressOf(run.status.entry(index)));
  const running = new Map<number, Promise<number>>();
  const begin = (index: number, item: Item): void => {
    progress[index] = { state: 'running' };
    running.set(
      index,
      runExperimentJob(run, item, index).then(() => index),
    );
  };
  // Experiments that an earlier runner of this run has begun go on first; finished ones may still need their Job removed.
  for (const [index, item] of items.entries()) if (isBegun(run.status.entry(index))) begin(index, item);
  let iterationStartedMs = lastIterationStart(run);
  for (;;) {
    if (run.status.isStopped) throw new RunOverError(`ChaosEngine ${run.settings.engine} is stopped`);
    const steps = nextSteps(order, progress, { nowMs: run.clock.now(), iterationStartedMs });
    for (const index of steps.start) {
      const item = items[index];
      if (item === undefined) continue;
      if (isUntouched(order, progress, item.iteration)) {
        iterationStartedMs = run.clock.now();
        noteIteration(run, order, item);
      }
      begin(index, item);
    }
    for (const { index, reason } of steps.skip) {
      progress[index] = { state: 'ended', verdict: 'N/A' };
      run.onStarted(index);
      run.status.note('ExperimentSkipped', `${items[index]?.name} is ${reason}`);
      await run.status.update(index, { status: 'Skipped', verdict: 'N/A', experimentPod: 'N/A', reason });
    }
    if (steps.waitMs !== undefined && running.size === 0) {
      await run.clock.sleep(steps.waitMs, run.signal);
      continue;
    }
    if (running.size === 0) return;
    const ended = await Promise.race(running.values());
    running.delete(ended);
    progress[ended] = { state: 'ended', verdict: run.status.entry(ended)?.verdict ?? 'N/A' };
  }
}

/** An experiment that an earlier runner of this run started, ended or not: it is only taken up again, not counted as waiting. */
function isBegun(entry: EngineExperimentStatus | undefined): boolean {
  return entry !== undefined && entry.status !== 'Waiting for Job Creation' && !wasNeverStarted(entry);
}

/** Skipped because of another experiment's verdict. */
function wasNeverStarted({ status, verdict }: EngineExperimentStatus): boolean {
  return status === 'Skipped' && verdict === 'N/A';
}

function progressOf(entry: EngineExperimentStatus | undefined): Progress {
  return entry !== undefined && experimentIsOver(entry.status)
    ? { state: 'ended', verdict: entry.verdict }
    : { state: 'waiting' };
}

const ITERATION_STARTED = 'IterationStarted';

/** Read back by {@link lastIterationStart} when the runner is started again. */
function noteIteration(run: RunContext, { items }: Order, { iteration }: Item): void {
  const count = items.at(-1)?.iteration ?? 1;
  if (count > 1) run.status.note(ITERATION_STARTED, `iteration ${iteration} of ${count} begins`);
}

function lastIterationStart(run: RunContext): number | undefined {
  const lines = run.status.engine.status?.timeline ?? [];
  const line = lines.findLast(({ step, runId }) => step === ITERATION_STARTED && runId === run.runId);
  return line === undefined ? undefined : Date.parse(line.time);
}

/** The status entries at the start: those of this run that are there already, else all waiting. */
export function initialEntries(engine: ChaosEngine, items: readonly Item[]): EngineExperimentStatus[] {
  const present = engine.status?.experiments ?? [];
  const isIterated = items.some(({ iteration }) => iteration > 1);
  const matches = items.every(
    ({ name, iteration }, index) =>
      present[index]?.name === name && (!isIterated || present[index]?.iteration === iteration),
  );
  if (matches && present.length === items.length) return present;
  return items.map(({ name, iteration }) => ({
    name,
    runner: `${engine.metadata.name}-runner`,
    experimentPod: 'Yet to be launched',
    status: 'Waiting for Job Creation',
    verdict: 'N/A',
    ...(isIterated ? { iteration } : {}),
  }));
}

/** Where the operator draws no run ids, the uid of the runner pod identifies the run. */
async function runnerPodUid(
  client: KubeClient,
  settings: RunnerSettings,
  signal: AbortSignal,
): Promise<string> {
  const pod = await client.get<Pod>(PODS, `${settings.engine}-runner`, {
    namespace: settings.namespace,
    signal,
  });
  return pod.metadata.uid ?? '';
}
