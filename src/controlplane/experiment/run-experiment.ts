import { audit } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { keptProbes } from '../probe/probe-rows.ts';
import { aboutObject } from '../run/agent-orders.ts';
import { QUEUE_LIMIT_MS } from '../run/expire-queued-runs.ts';
import { queueRun } from '../run/queue-run.ts';
import { projectScope } from '../store/store.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import { type Author, authorOf } from './author.ts';
import { beginOrders } from './decide-schedule.ts';
import { experimentRow, infraOf, latestRevision } from './experiment-rows.ts';
import { preparedSchedule } from './follow-schedule.ts';
import { isSchedule, namespaceOf, prepareRun } from './manifest/prepare-run.ts';
import { type Manifest, readStored } from './manifest/read-manifest.ts';
import { refusingManifests } from './manifest-refusal.ts';
import { order } from './orders.ts';
import { refuseHalted } from './refuse-halted.ts';

/** Runs an experiment now, or starts its schedule. @returns the id of the start request; empty for a schedule @throws Refusal */
export async function runExperiment(id: string, context: Context): Promise<string> {
  const author = authorOf(context);
  const { project } = author;
  return context.transaction(projectScope(project), async (tx) =>
    beginRun(tx, await experimentRow(tx.db, project, id), author, context),
  );
}

/** The same in a transaction that has read the experiment. @throws Refusal */
export async function beginRun(
  tx: Tx,
  row: ExperimentRow,
  author: Author,
  context: Context,
): Promise<string> {
  const infra = await infraOf(tx.db, row.project_id, row.infra_id);
  if (infra?.active !== 1) throw new Refusal('conflict', 'experiment re-run failed due to inactive infra');
  const revision = await latestRevision(tx.db, row);
  const manifest = readStored(revision.manifest);
  const isOfSchedule = isSchedule(manifest);
  await refuseHalted(tx.db, infra, isOfSchedule ? 'schedule' : 'run');
  const notifyID = isOfSchedule
    ? await beginSchedule(tx, row, manifest, author, context)
    : await beginOnce(tx, row, manifest, author, context);
  await audit(tx, context, {
    project: row.project_id,
    kind: 'experiment',
    id: row.id,
    after: { run: notifyID, revisionID: row.revision_id },
  });
  return notifyID;
}

/**
 * An agent does not change an existing object of this name on a create order, so it gets an update order as well, which brings
 * later changes into the cluster.
 */
async function beginSchedule(
  tx: Tx,
  row: ExperimentRow,
  manifest: Manifest,
  { username }: Author,
  context: Context,
): Promise<string> {
  const prepared = await preparedSchedule(tx.db, row.project_id, manifest);
  for (const one of beginOrders(prepared)) {
    await order(tx, context, one, { infra: row.infra_id, username });
  }
  await tx.db
    .updateTable('experiments')
    .set({ scheduled: 1 })
    .where('project_id', '=', row.project_id)
    .where('id', '=', row.id)
    .execute();
  await tx.change({ project: row.project_id, kind: 'experiment', id: row.id });
  return '';
}

async function beginOnce(
  tx: Tx,
  row: ExperimentRow,
  manifest: Manifest,
  { username }: Author,
  context: Context,
): Promise<string> {
  const { faults } = await latestRevision(tx.db, row);
  const notifyID = context.plane.ids.id();
  const name = await freeName(tx.db, row, tx.now);
  const names = faults.flatMap(({ probes }) => probes.map((probe) => probe.name));
  const kept = await keptProbes(tx.db, row.project_id, names);
  const object = refusingManifests(() => prepareRun(manifest, { run: { name, notifyID }, kept }));
  const namespace = namespaceOf(object);
  await queueRun(tx, { experiment: row, notifyID, name, namespace, username, faults });
  const create = aboutObject('create', object, namespace);
  const expiresAt = tx.now + QUEUE_LIMIT_MS;
  await order(tx, context, create, { infra: row.infra_id, username, requestId: notifyID, expiresAt });
  return notifyID;
}

/** At least as many runs as may begin in one millisecond. */
const LAST_RUNS = 100;

/** A time-based name that none of the last runs has, since several may begin in one millisecond. */
async function freeName(db: Reader, row: ExperimentRow, now: number): Promise<string> {
  const last = await db
    .selectFrom('runs')
    .select('name')
    .where('project_id', '=', row.project_id)
    .where('experiment_id', '=', row.id)
    .where('sequence', '>', row.total_runs - LAST_RUNS)
    .execute();
  const taken = new Set(last.map(({ name }) => name));
  let at = now;
  while (taken.has(runName(row.name, at))) at += 1;
  return runName(row.name, at);
}

/** Longest value of a label, and so longest name of a Workflow. */
const MOST_CHARACTERS = 63;

/**
 * The name of a run's object: the experiment's name and the time, so that each run has its own. The experiment's name is cut if both are too
 * long for the label with which a Workflow's pods name it. Pure.
 */
export function runName(name: string, now: number): string {
  const suffix = `-${now}`;
  return `${name.slice(0, MOST_CHARACTERS - suffix.length).replace(/[^a-z0-9]+$/i, '')}${suffix}`;
}
