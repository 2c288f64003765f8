import {
  CHAOS_ENGINES,
  type ChaosEngine,
  type EngineExperimentStatus,
  PODS,
  type Pod,
} from '../api/index.ts';
import type { KubeClient } from '../kube/client/types.ts';
import type { Clock } from '../kube/runtime/clock.ts';
import type { Logger } from '../kube/runtime/log.ts';
import { EngineStatusWriter, RunOverError } from './engine-status.ts';
import { nextToStart, type Progress } from './order.ts';
import type { RunContext } from './run-context.ts';
import { runExperiment } from './run-experiment.ts';
import { RunnerEvents } from './runner-events.ts';
import type { RunnerSettings } from './settings.ts';

/** What one run of an engine needs. */
export interface RunEngineInput {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: RunnerSettings;
  /** Aborted on SIGTERM: the runner leaves everything to the operator and ends. */
  readonly signal: AbortSignal;
}

/**
 * Runs the experiments of an engine and resolves when all have their verdict in the engine's status.
 *
 * Started again for the same run it resumes: the run id tells the run, and what is in the status, or has its Job, is not
 * done twice.
 *
 * @throws RunOverError when the engine is gone, stopped, or in another run
 */
export async function runEngine(input: RunEngineInput): Promise<void> {
  const { client, settings, clock } = input;
  const place = { namespace: settings.namespace, signal: input.signal };
  const [engine] = await Promise.all([
    client.find<ChaosEngine>(CHAOS_ENGINES, settings.engine, place),
    // Asked once, beside the first read, instead of before the first write.
    client.hasStatusSubresource(CHAOS_ENGINES, place),
  ]);
  if (engine === undefined)
    throw new RunOverError(`ChaosEngine ${settings.namespace}/${settings.engine} is gone`);
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
  const run: RunContext = {
    client,
    clock,
    logger,
    settings,
    runId,
    status: new EngineStatusWriter(
      { client, clock, engine, runId: engineRunId, signal },
      initialEntries(engine, settings),
    ),
    events: new RunnerEvents({ client, clock, logger, engine }),
    signal,
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
    await runAll(run);
    await run.status.flush();
  } finally {
    // Events tell what was done; they are worth the moment, unless the process is being stopped.
    if (!input.signal.aborted) await run.events.flush();
  }
}

/** Starts experiments as the order allows until all have ended. */
async function runAll(run: RunContext): Promise<void> {
  const { experiments } = run.settings;
  const progress: Progress[] = experiments.map(() => 'waiting');
  const running = new Map<number, Promise<number>>();
  for (;;) {
    if (run.status.isStopped) throw new RunOverError(`ChaosEngine ${run.settings.engine} is stopped`);
    for (const index of nextToStart(progress)) {
      progress[index] = 'running';
      running.set(
        index,
        runExperiment(run, experiments[index] ?? '', index).then(() => index),
      );
    }
    if (running.size === 0) return;
    const ended = await Promise.race(running.values());
    running.delete(ended);
    progress[ended] = 'ended';
  }
}

/** The status entries at the start: those of this run that are there already, else all waiting. */
export function initialEntries(engine: ChaosEngine, settings: RunnerSettings): EngineExperimentStatus[] {
  const present = engine.status?.experiments ?? [];
  const matches = settings.experiments.every((name, index) => present[index]?.name === name);
  if (matches && present.length === settings.experiments.length) return present;
  return settings.experiments.map((name) => ({
    name,
    runner: `${settings.engine}-runner`,
    experimentPod: 'Yet to be launched',
    status: 'Waiting for Job Creation',
    verdict: 'N/A',
  }));
}

/** Under an operator that draws no run ids, the runner pod's uid tells one run from the next. */
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
