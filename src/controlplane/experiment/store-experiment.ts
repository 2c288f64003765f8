import { labelValueProblems } from '@turnsole/kube/text/names';
import type { Context } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import type { KeptProbe } from '../probe/manifest-probe.ts';
import { keptProbe } from '../probe/probe-rows.ts';
import { insertProbe } from '../probe/write-probes.ts';
import { packText } from '../store/packed-text.ts';
import { madeBy } from '../store/tables/columns.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import type { Author } from './author.ts';
import { anyExperiment, infraOf } from './experiment-rows.ts';
import { followSchedule } from './follow-schedule.ts';
import { prepareStored, type StoredForm } from './manifest/prepare-stored.ts';
import { cronSyntaxOf, type Manifest, readManifest } from './manifest/read-manifest.ts';
import { refusingManifests } from './manifest-refusal.ts';

/** An experiment from a request. */
export interface ExperimentInput {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** JSON or YAML. */
  readonly manifest: string;
  readonly infraID: string;
  readonly tags: readonly string[];
  readonly weights: ReadonlyMap<string, number>;
  readonly custom: boolean;
}

/** An experiment before and after the change. */
export interface StoredExperiment {
  readonly before: ExperimentRow | undefined;
  readonly after: ExperimentRow;
}

const TYPES = {
  Workflow: 'experiment',
  CronWorkflow: 'cronexperiment',
  ChaosEngine: 'chaosengine',
  ChaosSchedule: 'chaosschedule',
} as const satisfies Record<Manifest['kind'], ExperimentRow['type']>;

/**
 * Creates an experiment or a new revision of it, and updates the schedule that an agent may have.
 *
 * @throws Refusal
 */
export async function storeExperiment(
  tx: Tx,
  input: ExperimentInput,
  author: Author,
  context: Context,
): Promise<StoredExperiment> {
  const { project, username } = author;
  refuseID(input.id);
  const manifest = refusingManifests(() => readManifest(input.manifest, input.name));
  await refuseInfra(tx.db, project, input.infraID);
  const kept = await anyExperiment(tx.db, project, input.id);
  // The id of a deleted experiment may be that of a new one: litmusctl makes ids of names.
  const before = kept?.removed === 1 ? undefined : kept;
  await refuseTakenName(tx.db, project, input);
  const revisionID = context.plane.ids.id();
  const known = await allProbes(tx.db, project);
  const ids = { experimentID: input.id, infraID: input.infraID, revisionID };
  const suffix = (): string => context.plane.ids.secret(6);
  const form = refusingManifests(() =>
    prepareStored(manifest, { ids, weights: input.weights, known, suffix }),
  );
  for (const probe of form.made) {
    await insertProbe(tx, author, probe, { description: '', tags: [] });
  }
  const stored = { ...manifest, object: form.object };
  const scheduled =
    before === undefined
      ? 0
      : await followSchedule(tx, context, author, { row: before, infraID: input.infraID, after: stored });
  const number = kept?.total_runs ?? 0;
  const after = rowOf(input, before, {
    project,
    username,
    now: tx.now,
    revisionID,
    manifest,
    scheduled,
    number,
  });
  await writeRevision(tx, after, form);
  await writeRow(tx, kept, after);
  await tx.change({ project, kind: 'experiment', id: after.id });
  return { before, after };
}

/** The id becomes a label of all objects of a run, so it has to be a valid label. @throws Refusal */
function refuseID(id: string): void {
  const problems = id === '' ? ['it is empty'] : labelValueProblems(id);
  if (problems.length === 0) return;
  const sentence = `${JSON.stringify(id)} cannot be the id of an experiment, which becomes a label: ${problems.join('; ')}`;
  throw new Refusal('invalid', sentence, { fields: ['id'] });
}

async function refuseInfra(db: Reader, project: string, id: string): Promise<void> {
  const infra = found(
    await infraOf(db, project, id),
    `failed to get infra details: this project has no infrastructure ${id}`,
  );
  if (infra.active !== 1) {
    throw new Refusal('conflict', 'experiment scheduling failed due to inactive infra');
  }
}

async function refuseTakenName(db: Reader, project: string, { id, name }: ExperimentInput): Promise<void> {
  const other = await db
    .selectFrom('experiments')
    .select('id')
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .where('name', '=', name)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other === undefined) return;
  throw new Refusal(
    'conflict',
    `experiment name should be unique, duplicate experiment found with name: ${name}`,
    { fields: ['name'] },
  );
}

/** All of them, since the manifest that names some is not parsed yet. */
async function allProbes(db: Reader, project: string): Promise<ReadonlyMap<string, KeptProbe>> {
  const rows = await db
    .selectFrom('probes')
    .selectAll()
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .execute();
  return new Map(rows.map((row) => [row.name, keptProbe(row)]));
}

function rowOf(
  input: ExperimentInput,
  before: ExperimentRow | undefined,
  facts: {
    readonly project: string;
    readonly username: string;
    readonly now: number;
    readonly revisionID: string;
    readonly manifest: Manifest;
    readonly scheduled: 0 | 1;
    /** Of the newest run under this id, also of a deleted experiment: runs are numbered once. */
    readonly number: number;
  },
): ExperimentRow {
  const { project, username, now, revisionID, manifest, scheduled, number } = facts;
  const begun = { total_runs: number, completed_runs: 0, score_sum: 0, last_phase: '', last_run_at: null };
  return {
    ...begun,
    ...madeBy(username, now),
    ...before,
    project_id: project,
    id: input.id,
    infra_id: input.infraID,
    name: input.name,
    description: input.description,
    tags: JSON.stringify(input.tags),
    type: TYPES[manifest.kind],
    cron_syntax: cronSyntaxOf(manifest),
    custom: input.custom ? 1 : 0,
    revision_id: revisionID,
    scheduled,
    updated_at: now,
    updated_by: username,
    removed: 0,
  };
}

async function writeRevision(tx: Tx, row: ExperimentRow, { object, faults }: StoredForm): Promise<void> {
  await tx.db
    .insertInto('revisions')
    .values({
      id: row.revision_id,
      project_id: row.project_id,
      experiment_id: row.id,
      manifest: packText(JSON.stringify(object)),
      faults: JSON.stringify(faults),
      created_at: tx.now,
      created_by: row.updated_by,
    })
    .execute();
}

async function writeRow(tx: Tx, kept: ExperimentRow | undefined, after: ExperimentRow): Promise<void> {
  if (kept === undefined) {
    await tx.db.insertInto('experiments').values(after).execute();
    return;
  }
  await tx.db
    .updateTable('experiments')
    .set(after)
    .where('project_id', '=', after.project_id)
    .where('id', '=', after.id)
    .execute();
}
