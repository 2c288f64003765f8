import { objectKey } from '@turnsole/kube/kinds/core';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, CHAOS_SCHEDULES, type ChaosEngine, type ChaosSchedule } from '../../api/index.ts';
import { BadInputError } from '../errors.ts';
import { applyManifests, namespaceOf, placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import type { EngineOutcome } from '../report/build.ts';
import { type EngineRunOptions, followEngine } from './engine-run.ts';

/** Runs are limited by `--timeout`; this only bounds the waits themselves. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/**
 * Applies a schedule and follows every engine that the operator makes for it, until the schedule is over. A stop is the schedule's own:
 * `scheduleState: stop`, by which the operator stops what runs and makes no more.
 */
export async function runSchedule(
  manifest: Manifest,
  options: EngineRunOptions,
): Promise<readonly EngineOutcome[]> {
  const { client } = options.apply;
  const namespace = namespaceOf(manifest, options.apply.namespace);
  const { name } = manifest.object.metadata;
  if ((await client.find(CHAOS_SCHEDULES, name, { namespace })) !== undefined) {
    const message = `this schedule is in namespace ${namespace} already; delete it, or give this one another name`;
    throw new BadInputError([{ ...placeOf(manifest), code: 'OBJECT_TWICE', message }]);
  }
  const [applied] = await applyManifests([manifest], options.apply);
  if (applied === undefined) throw new Error('one manifest was applied, so one object came back');
  const { uid } = applied.object.metadata;
  options.progress.step(
    `ChaosSchedule ${objectKey(applied.object)} decides the times, until it is over or Ctrl-C`,
  );
  const over = new AbortController();
  const runs = new Map<string, Promise<EngineOutcome>>();
  const take = (engines: readonly ChaosEngine[]): boolean => {
    for (const { metadata } of engines) {
      const isOwn = metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
      if (!isOwn || runs.has(metadata.uid ?? '')) continue;
      const run = followEngine({
        ...options,
        client,
        namespace,
        name: metadata.name,
        previousRunId: undefined,
      });
      // It is awaited below; until then a rejection must not count as unhandled.
      run.catch(() => {});
      runs.set(metadata.uid ?? '', run);
    }
    return false;
  };
  const onStop = (): void => {
    client
      .patch(CHAOS_SCHEDULES, name, 'merge', { spec: { scheduleState: 'stop' } }, { namespace })
      .catch((error: unknown) => over.abort(error));
  };
  if (options.stop.aborted) onStop();
  else options.stop.addEventListener('abort', onStop, { once: true });
  const limits = { namespace, timeoutMs: LONGEST_MS, signal: over.signal };
  const watching = waitForList<ChaosEngine>(client, CHAOS_ENGINES, take, limits);
  try {
    const isOver = (schedule: ChaosSchedule | undefined): boolean =>
      schedule === undefined || ['completed', 'stopped'].includes(schedule.status?.schedule?.status ?? '');
    await Promise.race([
      waitForObject<ChaosSchedule>(client, CHAOS_SCHEDULES, name, isOver, limits),
      watching,
    ]);
    // The last engine may not have reached the watch yet.
    take((await client.list<ChaosEngine>(CHAOS_ENGINES, { namespace })).items);
  } finally {
    options.stop.removeEventListener('abort', onStop);
    over.abort();
    await Promise.allSettled([watching]);
  }
  return Promise.all(runs.values());
}
