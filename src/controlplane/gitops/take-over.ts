import { audit } from '../access/audit.ts';
import { type Context, memberOf } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { authorOf } from '../experiment/author.ts';
import { deleteExperiment } from '../experiment/delete-experiment.ts';
import { anyExperiment } from '../experiment/experiment-rows.ts';
import { beginRun } from '../experiment/run-experiment.ts';
import { storeExperiment } from '../experiment/store-experiment.ts';
import { projectScope } from '../store/store.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { Tx } from '../store/transaction.ts';
import type { Agreed, SyncStep } from './content/decide-sync.ts';
import type { GitDocument, GitProblem } from './content/documents.ts';
import { agree, forget, gitRow } from './git-rows.ts';

/** A step that changes the project or the agreed state. */
type TakeOverStep = Extract<SyncStep, { readonly do: 'create' | 'update' | 'move' | 'delete' | 'forget' }>;

/** A new experiment whose document does not name it yet. */
export interface Unnamed {
  readonly document: GitDocument;
  readonly place: Agreed;
}

/** Outcome of a step. The next pass retries problems. */
interface TakenOver {
  readonly unnamed?: Unnamed;
  readonly problem?: GitProblem;
}

/**
 * Carries out one step from the repository in the project, in one transaction with the agreed state, so that an interrupted pass
 * continues and does not repeat it. A refusal of the project, for example because an infrastructure is offline, is a problem of the document.
 *
 * @param isNews whether a document that becomes an experiment is run as well
 */
export async function takeOver(
  step: TakeOverStep,
  isNews: (document: GitDocument) => boolean,
  context: Context,
): Promise<TakenOver> {
  try {
    return await done(step, isNews, context);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { path, name } = 'document' in step ? step.document : { path: '', name: step.experimentID };
    return { problem: { path, name, message: error.message } };
  }
}

async function done(
  step: TakeOverStep,
  isNews: (document: GitDocument) => boolean,
  context: Context,
): Promise<TakenOver> {
  const { project } = memberOf(context);
  switch (step.do) {
    case 'create':
      return { unnamed: await create(step.document, isNews(step.document), context) };
    case 'update': {
      await update(step.document, step.experimentID, context);
      if (!step.conflict) return {};
      const message =
        'it was changed on both sides; the repository’s form holds, the other one is an older revision of the experiment';
      return { problem: { path: step.document.path, name: step.document.name, message } };
    }
    case 'move':
      await inProject(context, async (tx) => {
        const row = await anyExperiment(tx.db, project, step.experimentID);
        if (row !== undefined) await agree(tx, project, placeOf(step.document, row));
      });
      return {};
    case 'delete':
      await deleteExperiment(step.experimentID, context);
      await inProject(context, (tx) => forget(tx, project, step.experimentID));
      return {};
    case 'forget':
      await inProject(context, (tx) => forget(tx, project, step.experimentID));
      return {};
  }
}

async function create(document: GitDocument, runs: boolean, context: Context): Promise<Unnamed> {
  return inProject(context, async (tx) => {
    const after = await store(
      tx,
      document,
      { id: context.plane.ids.id(), description: '', tags: [] },
      context,
    );
    if (runs) await beginRun(tx, after, authorOf(context), context);
    return { document, place: placeOf(document, after) };
  });
}

async function update(document: GitDocument, id: string, context: Context): Promise<void> {
  const { project } = memberOf(context);
  await inProject(context, async (tx) => {
    const before = await anyExperiment(tx.db, project, id);
    if (before === undefined) throw new Refusal('not-found', `No such experiment found : ${id}`);
    if (before.removed === 1) throw new Refusal('conflict', `experiment ${id} was deleted`);
    if (before.infra_id !== document.infraID) {
      throw new Refusal(
        'invalid',
        `infra_id is ${document.infraID}, and the experiment is one of ${before.infra_id}: that cannot be changed`,
      );
    }
    await store(
      tx,
      document,
      { id, description: before.description, tags: JSON.parse(before.tags) },
      context,
    );
  });
}

async function store(
  tx: Tx,
  document: GitDocument,
  details: { readonly id: string; readonly description: string; readonly tags: readonly string[] },
  context: Context,
): Promise<ExperimentRow> {
  const { project } = memberOf(context);
  const { name, text: manifest, infraID } = document;
  const input = { ...details, name, manifest, infraID, weights: new Map<string, number>(), custom: true };
  const { before, after } = await storeExperiment(tx, input, authorOf(context), context);
  const shown = ({ name: called, revision_id }: ExperimentRow): object => ({
    name: called,
    revisionID: revision_id,
  });
  const sides = { before: before && shown(before), after: { ...shown(after), path: document.path } };
  await audit(tx, context, { project, kind: 'experiment', id: after.id, ...sides });
  await agree(tx, project, placeOf(document, after));
  return after;
}

function placeOf({ path, name, hash }: GitDocument, row: ExperimentRow): Agreed {
  return { experimentID: row.id, path, name, hash, revisionID: row.revision_id };
}

/** @throws Refusal if GitOps was disabled meanwhile */
function inProject<T>(context: Context, run: (tx: Tx) => Promise<T>): Promise<T> {
  const { project } = memberOf(context);
  return context.transaction(projectScope(project), async (tx) => {
    if ((await gitRow(tx.db, project)) === undefined)
      throw new Refusal('conflict', 'GitOps was disabled meanwhile');
    return run(tx);
  });
}
