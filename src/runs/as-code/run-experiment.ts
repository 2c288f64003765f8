/** A run of an experiment from code. */
import { systemClock } from '@turnsole/kube/base/clock';
import { isNotFound, unless } from '@turnsole/kube/client/errors';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, CHAOS_EXPERIMENTS, CHAOS_RESULTS } from '../../api/index.ts';
import { CommandError, formatProblem } from '../../services/errors.ts';
import type { AppliedObject } from '../../services/manifests/apply.ts';
import type { ReadManifests } from '../../services/manifests/read.ts';
import type { Progress } from '../../services/run/progress.ts';
import { resultsOf } from '../../services/run/results.ts';
import { type CarriedOut, carryOut } from '../execute/carry-out.ts';
import { deleteCreated } from '../execute/delete-created.ts';
import { refuseBefore } from '../execute/refuse-before.ts';
import type { ClusterSession } from '../session/open-cluster.ts';
import type { Asked } from './arguments.ts';
import { asChaosError } from './as-chaos-error.ts';
import { buildResult } from './build-result.ts';
import { durationOption } from './duration-option.ts';
import { ChaosError } from './errors.ts';
import { knownOf, openSession } from './open-session.ts';
import { manifestsOf } from './own-manifests.ts';
import type { RunResult } from './result.ts';
import type { RunOptions } from './run-options.ts';

/** How long the objects of an engine that was deleted may take to be gone. */
const GONE_TIMEOUT_MS = 60_000;

/** As `runChaos` says. */
export async function runExperiment({ cluster, experiment, options }: Asked<RunOptions>): Promise<RunResult> {
  const timeoutMs = durationOption('runChaos.options.timeout', options.timeout ?? '30m');
  const readyTimeoutMs = durationOption('runChaos.options.readyTimeout', options.readyTimeout ?? '2m');
  const warnings: string[] = [];
  const progress = progressOf(options.onStep, warnings);
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(new CommandError('stopped by its signal', 'STOPPED'));
  const { signal } = options;
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimeout = systemClock.setTimer(timeoutMs, () =>
    stop.abort(new CommandError(`not finished within ${options.timeout ?? '30m'}`, 'RUN_TIMEOUT')),
  );
  let ended: CarriedOut | undefined;
  const resultNow = (): RunResult | undefined => ended && buildResult(ended, warnings);
  try {
    stop.signal.throwIfAborted();
    const early = options.namespace ?? experiment.namespace ?? 'default';
    const before = { namespace: early, cluster: knownOf(cluster) };
    const requireChecks = options.requireChecks ?? false;
    const judging = { requireChecks, before, nowMs: systemClock.now() };
    const manifests = await refuseBefore(experiment.read(manifestsOf(options, early, false)), judging);
    const opened = await openSession(cluster, { purpose: 'run', manifests, progress, signal: stop.signal });
    const { isOwn } = opened;
    const session = { ...opened.session, namespace: namespaceFor(opened.session, experiment, options) };
    const created: AppliedObject[] = [];
    try {
      const read = experiment.read(manifestsOf(options, session.namespace, false));
      const lacking = isOwn || experiment.entries === undefined ? read : await withoutPresent(read, session);
      for (const warning of read.warnings) progress.step(`warning: ${formatProblem(warning)}`);
      const input = await refuseBefore(lacking, judging);
      const running = {
        requireChecks,
        readyTimeoutMs,
        withLogs: false,
        progress,
        stop: stop.signal,
        created,
      };
      ended = await carryOut(input, session, running);
      if (!stop.signal.aborted) return buildResult(ended, warnings);
      throw stop.signal.reason;
    } finally {
      // A cluster of the run's own ends with all that is in it.
      if (!isOwn) await removeTraces(session, created, progress);
      await opened.close();
    }
  } catch (error) {
    const { aborted, reason } = stop.signal;
    // An error that a stop has caused is that stop: a request that was cut, a cluster that did not start.
    const seen = aborted && !(error instanceof ChaosError) ? reason : error;
    if (seen === reason && signal?.aborted === true)
      throw new ChaosError('the run was stopped by its signal; what was injected is reverted', {
        code: 'STOPPED',
        cause: signal.reason,
        result: resultNow(),
      });
    throw asChaosError(seen, resultNow());
  } finally {
    cancelTimeout();
    signal?.removeEventListener('abort', onAbort);
  }
}

function namespaceFor(
  session: ClusterSession,
  experiment: { readonly namespace: string | undefined },
  { namespace }: RunOptions,
): string {
  return namespace ?? experiment.namespace ?? session.namespace;
}

function progressOf(onStep: RunOptions['onStep'], warnings: string[]): Progress {
  return {
    step: (sentence) => {
      if (sentence.startsWith('warning: ')) warnings.push(sentence.slice('warning: '.length));
      onStep?.(sentence);
    },
    entry: ({ message }) => onStep?.(message),
    log: () => {},
    live: () => {},
    workflow: () => {},
    close: () => {},
  };
}

/** Of what code brings, the ChaosExperiments that the cluster has stay as they are: they are those of its users. */
async function withoutPresent(
  read: ReadManifests,
  { client, namespace }: ClusterSession,
): Promise<ReadManifests> {
  const kept = await Promise.all(
    read.others.map(async (manifest) => {
      const { kind, metadata } = manifest.object;
      if (kind !== CHAOS_EXPERIMENTS.kind) return true;
      const place = { namespace: metadata.namespace ?? namespace };
      return (await client.find(CHAOS_EXPERIMENTS, metadata.name, place)) === undefined;
    }),
  );
  return { ...read, others: read.others.filter((_, index) => kept[index]) };
}

/** Deletes what the run has created, and the results of its engines; waits until the engines are gone, so that another run may have their names. */
async function removeTraces(
  { client }: ClusterSession,
  created: readonly AppliedObject[],
  progress: Progress,
): Promise<void> {
  const trouble = (sentence: string): void => progress.step(`warning: ${sentence}`);
  await deleteCreated(client, created, trouble);
  const engines = created.filter(
    ({ created: isNew, resource }) => isNew && resource.kind === CHAOS_ENGINES.kind,
  );
  for (const { object } of engines) {
    const { name, namespace = '' } = object.metadata;
    try {
      await waitForObject(client, CHAOS_ENGINES, name, (found) => found === undefined, {
        namespace,
        timeoutMs: GONE_TIMEOUT_MS,
      });
      for (const { metadata } of await resultsOf(client, namespace, name)) {
        await unless(isNotFound, client.delete(CHAOS_RESULTS, metadata.name, { namespace }));
      }
    } catch (error) {
      const reason =
        error instanceof WaitTimeoutError
          ? 'it is not gone yet'
          : error instanceof Error
            ? error.message
            : String(error);
      trouble(`ChaosEngine ${namespace}/${name} or its results are left: ${reason}; delete them by hand`);
    }
  }
}
