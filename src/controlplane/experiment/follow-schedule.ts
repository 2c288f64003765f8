import type { Json } from '@turnsole/kube/text/json';
import type { Context } from '../access/context.ts';
import { keptProbes } from '../probe/probe-rows.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import type { Author } from './author.ts';
import { scheduleOrders } from './decide-schedule.ts';
import { latestRevision } from './experiment-rows.ts';
import { namedProbes } from './manifest/named-probes.ts';
import { isSchedule, prepareSchedule } from './manifest/prepare-run.ts';
import { type Manifest, readStored } from './manifest/read-manifest.ts';
import { refusingManifests } from './manifest-refusal.ts';
import { order } from './orders.ts';

/** A change of an experiment whose schedule an agent may have. */
interface ScheduleChange {
  readonly row: ExperimentRow;
  /** Its new infrastructure. */
  readonly infraID: string;
  /** Its new manifest; undefined if it is deleted. */
  readonly after: Manifest | undefined;
}

/**
 * Keeps an agent's copy of a started schedule in sync with its experiment.
 *
 * @returns whether an agent has its schedule afterwards
 * @throws Refusal for a missing probe
 */
export async function followSchedule(
  tx: Tx,
  context: Context,
  { username }: Author,
  { row: before, infraID, after }: ScheduleChange,
): Promise<0 | 1> {
  if (before.scheduled === 0) return 0;
  const { manifest } = await latestRevision(tx.db, before);
  const prepared =
    after !== undefined && isSchedule(after)
      ? await preparedSchedule(tx.db, before.project_id, after)
      : undefined;
  const orders = scheduleOrders(
    { manifest: readStored(manifest), infra: before.infra_id },
    after === undefined ? undefined : { manifest: after, infra: infraID },
    prepared,
  );
  for (const { infra, order: one } of orders) await order(tx, context, one, { infra, username });
  return prepared === undefined ? 0 : 1;
}

/** A schedule's object for an agent. @throws Refusal */
export async function preparedSchedule(db: Reader, project: string, manifest: Manifest): Promise<Json> {
  const kept = await keptProbes(db, project, namedProbes(manifest));
  return refusingManifests(() => prepareSchedule(manifest, kept));
}
