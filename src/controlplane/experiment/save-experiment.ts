import { audit } from '../access/audit.ts';
import { type Context, memberOf } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import type {
  ChaosExperimentRequest,
  ChaosExperimentResponse,
  SaveChaosExperimentRequest,
} from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { Tx } from '../store/transaction.ts';
import { authorOf } from './author.ts';
import { experimentRow } from './experiment-rows.ts';
import { beginRun } from './run-experiment.ts';
import { type ExperimentInput, type StoredExperiment, storeExperiment } from './store-experiment.ts';

/** Creates or changes an experiment without running it. @returns a sentence that clients know @throws Refusal */
export async function saveExperiment(
  { id, name, description, manifest, infraID, tags }: SaveChaosExperimentRequest,
  context: Context,
): Promise<string> {
  const input = {
    id,
    name,
    description,
    manifest,
    infraID,
    tags: tags ?? [],
    weights: new Map(),
    custom: true,
  };
  const { before } = await inProject(context, (tx) => store(tx, input, context));
  return before === undefined
    ? `experiment saved successfully with ID ${id}`
    : `experiment updated successfully with ID ${id}`;
}

/** Creates an experiment, and runs it at once if requested. @throws Refusal */
export async function createExperiment(
  request: ChaosExperimentRequest,
  context: Context,
): Promise<ChaosExperimentResponse> {
  try {
    return await inProject(context, async (tx) => {
      const { before, after } = await store(tx, inputOf(request, context.plane.ids.id()), context);
      if (before !== undefined) throw new Refusal('conflict', `experiment ${after.id} exists already`);
      if (request.runExperiment === true) await beginRun(tx, after, authorOf(context), context);
      return asResponse(after);
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.code, `could not create experiment, error: ${error.message}`, {
      fields: error.fields,
      cause: error,
    });
  }
}

/** Changes an experiment, and its schedule at the agent that has it. @throws Refusal */
export async function updateExperiment(
  request: ChaosExperimentRequest,
  context: Context,
): Promise<ChaosExperimentResponse> {
  return inProject(context, async (tx) => {
    await experimentRow(tx.db, memberOf(context).project, request.experimentID ?? '');
    const { after } = await store(tx, inputOf(request, ''), context);
    return asResponse(after);
  });
}

function inProject<T>(context: Context, run: (tx: Tx) => Promise<T>): Promise<T> {
  return context.transaction(projectScope(memberOf(context).project), run);
}

async function store(tx: Tx, input: ExperimentInput, context: Context): Promise<StoredExperiment> {
  const stored = await storeExperiment(tx, input, authorOf(context), context);
  const { before, after } = stored;
  const sides = { before: before && audited(before), after: audited(after) };
  await audit(tx, context, { project: after.project_id, kind: 'experiment', id: after.id, ...sides });
  return stored;
}

/** Fields of an experiment for the audit log; the manifest is in its revision. */
function audited({
  name,
  description,
  tags,
  infra_id,
  type,
  cron_syntax,
  revision_id,
}: ExperimentRow): object {
  return {
    name,
    description,
    tags: JSON.parse(tags),
    infraID: infra_id,
    type,
    cronSyntax: cron_syntax,
    revisionID: revision_id,
  };
}

function inputOf(request: ChaosExperimentRequest, newID: string): ExperimentInput {
  return {
    id: request.experimentID || newID,
    name: request.experimentName,
    description: request.experimentDescription,
    manifest: request.experimentManifest,
    infraID: request.infraID,
    tags: request.tags ?? [],
    weights: new Map(request.weightages.map(({ faultName, weightage }) => [faultName, weightage])),
    custom: request.isCustomExperiment,
  };
}

function asResponse(row: ExperimentRow): ChaosExperimentResponse {
  return {
    experimentID: row.id,
    projectID: row.project_id,
    cronSyntax: row.cron_syntax,
    experimentName: row.name,
    experimentDescription: row.description,
    isCustomExperiment: row.custom === 1,
    tags: JSON.parse(row.tags),
  };
}
