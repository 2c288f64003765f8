import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import { hasFinalizer } from '@turnsole/kube/runtime/finalizers';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, type ChaosEngine, CONDITION_RUNNABLE, ENGINE_FINALIZER } from '../../api/index.ts';
import { withCode } from '../../chaos/errors/row.ts';
import { REASON_HALTED } from '../../chaos/halt.ts';
import type { RUN_REASONS } from '../error-codes/run-reasons.ts';
import { BadInputError } from '../errors.ts';
import { type ApplyContext, applyManifests, namespaceOf, placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import type { EngineOutcome } from '../report/build.ts';
import { judgeProgress, liveStateOf, type Observation, TimelineFeed } from './engine-progress.ts';
import { watchEngine } from './observe.ts';
import type { Progress } from './progress.ts';
import { resultsOf } from './results.ts';

/** What the run of one engine needs. */
export interface EngineRunOptions {
  readonly apply: ApplyContext;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Aborted when the run is to be stopped: the engine is then stopped and awaited, not abandoned. */
  readonly stop: AbortSignal;
}

/** How long an operator may take to take an engine up before we say that there seems to be none. */
const OPERATOR_TIMEOUT_MS = 30_000;

/** Runs are limited by `--timeout`; this only bounds the wait itself. */
const LONGEST_RUN_MS = 7 * 24 * 3_600_000;

/** How long a stopped engine may take until everything is reverted. */
const STOP_TIMEOUT_MS = 120_000;

/** Applies one engine, follows its run to the end (or stops it), and returns what became of it. */
export async function runEngine(manifest: Manifest, options: EngineRunOptions): Promise<EngineOutcome> {
  const { client } = options.apply;
  const namespace = namespaceOf(manifest, options.apply.namespace);
  const { name } = manifest.object.metadata;
  const previous = await client.find<ChaosEngine>(CHAOS_ENGINES, name, { namespace });
  if (previous?.status?.engineStatus === 'initialized') {
    const message = `a run of this engine is under way in namespace ${namespace}; wait for it or stop it (spec.engineState: stop)`;
    throw new BadInputError([{ ...placeOf(manifest), code: 'RUN_UNDER_WAY', message }]);
  }
  await applyManifests([manifest], options.apply);
  return followEngine({
    ...options,
    client,
    namespace,
    name,
    previousRunId: previous?.status?.runId,
  });
}

/** The engine to follow. */
interface FollowOptions extends EngineRunOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly previousRunId: string | undefined;
}

/** Follows the run of an engine that is in the cluster to its end, or stops it. */
export async function followEngine(options: FollowOptions): Promise<EngineOutcome> {
  const { client, namespace, name, progress, clock, previousRunId } = options;
  const giveUp = new AbortController();
  const feed = new TimelineFeed();
  let sawRunning = false;
  let last: Observation = { engine: undefined, results: [] };
  let reason: string | undefined;

  let cancelLimit = clock.setTimer(OPERATOR_TIMEOUT_MS, () =>
    giveUp.abort(new Error(because('NO_OPERATOR', noOperator(namespace)))),
  );
  const onStop = (): void => {
    progress.step(`stopping engine ${namespace}/${name}`);
    cancelLimit();
    const message = `the engine did not stop within ${STOP_TIMEOUT_MS / 1000} s`;
    cancelLimit = clock.setTimer(STOP_TIMEOUT_MS, () =>
      giveUp.abort(new Error(because('STOP_TIMEOUT', message))),
    );
    stopEngine(client, namespace, name).catch((error: unknown) => giveUp.abort(error));
  };
  if (options.stop.aborted) onStop();
  else options.stop.addEventListener('abort', onStop, { once: true });

  try {
    const observed = { client, namespace, name, timeoutMs: LONGEST_RUN_MS, signal: giveUp.signal };
    await watchEngine(observed, (observation) => {
      last = { ...observation, engine: observation.engine ?? last.engine };
      const judged = judgeProgress(observation.engine, previousRunId, sawRunning);
      if (judged.state !== 'waiting' && !sawRunning) {
        sawRunning = true;
        if (!options.stop.aborted) cancelLimit();
      }
      if (sawRunning) {
        for (const entry of feed.next(observation, observation.engine?.status?.runId)) progress.entry(entry);
      }
      progress.live(liveStateOf(observation));
      if (judged.state === 'gone') reason = because('ENGINE_DELETED', 'the engine was deleted while it ran');
      if (judged.state === 'ended') reason = judged.reason;
      // The stop is stored and no operator has begun the run. An operator that decided on the engine before the stop gets a conflict
      // with its first write, so the run will not begin.
      const isStoppedInTime =
        options.stop.aborted && judged.state === 'waiting' && observation.engine?.spec.engineState === 'stop';
      if (isStoppedInTime) reason = 'stopped before it began';
      return isStoppedInTime || judged.state === 'gone' || judged.state === 'ended';
    });
  } catch (error) {
    // The engine is not followed any more: it must neither go on, nor begin once an operator starts. The error below says why.
    await stopEngine(client, namespace, name).catch(() => {});
    if (!giveUp.signal.aborted) throw error;
    reason = haltedBecause(last.engine) ?? (giveUp.signal.reason as Error).message;
  } finally {
    cancelLimit();
    options.stop.removeEventListener('abort', onStop);
    progress.live(undefined);
  }
  if (last.engine === undefined) throw new Error(`engine ${namespace}/${name} was never seen`);
  await untilReleased(options, last.engine);
  // The engine may end a moment before our watch of its results has caught up.
  const results = await resultsOf(client, namespace, name);
  for (const entry of feed.next({ engine: last.engine, results }, last.engine.status?.runId))
    progress.entry(entry);
  return { engine: last.engine, results, reason };
}

/** An engine is stopped when nothing is in force any more; a command that has ended leaves no pods either. */
async function untilReleased(
  { client, clock, namespace, name }: FollowOptions,
  engine: ChaosEngine,
): Promise<void> {
  const isKept = (now: ChaosEngine): boolean => hasFinalizer(now, ENGINE_FINALIZER);
  if (engine.status?.engineStatus !== 'stopped' || !isKept(engine)) return;
  const isReleased = (now: ChaosEngine | undefined): boolean =>
    now === undefined || !isKept(now) || now.status?.engineStatus !== 'stopped';
  const limits = { namespace, clock, timeoutMs: STOP_TIMEOUT_MS };
  try {
    await waitForObject<ChaosEngine>(client, CHAOS_ENGINES, name, isReleased, limits);
  } catch (error) {
    // Its run is over, and its pods are the operator's to remove.
    if (!(error instanceof WaitTimeoutError)) throw error;
  }
}

/** Why an engine that did not begin waits for the release of the safety lever, if it does. */
function haltedBecause(engine: ChaosEngine | undefined): string | undefined {
  const condition = findCondition(engine?.status?.conditions, CONDITION_RUNNABLE);
  if (condition?.reason !== REASON_HALTED) return undefined;
  return withCode(condition.message ?? 'chaos is halted', REASON_HALTED);
}

function because(code: keyof typeof RUN_REASONS, text: string): string {
  return withCode(text, code);
}

function noOperator(namespace: string): string {
  return (
    `no operator took the engine up within ${OPERATOR_TIMEOUT_MS / 1000} s; ` +
    `is one installed in this cluster, and does it watch namespace ${namespace}?`
  );
}

/** Asks the operator to abort the run and revert everything: what `kubectl patch` with engineState stop does. */
async function stopEngine(client: KubeClient, namespace: string, name: string): Promise<void> {
  await client.patch(CHAOS_ENGINES, name, 'merge', { spec: { engineState: 'stop' } }, { namespace });
}
