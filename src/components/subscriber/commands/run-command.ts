import { CHAOS_ENGINES, WORKFLOWS } from '../../../api/resources.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import { isNotFound } from '../../../kube/client/errors.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { Workflow } from '../../../workflows/kinds/workflow.ts';
import { LABEL_WORKFLOW_ID, LABEL_WORKFLOW_RUN_ID } from '../labels.ts';
import { done, type Outcome, refused } from './outcome.ts';

/** What changes of runs need. */
export interface RunContext {
  readonly client: KubeClient;
  readonly namespace: string;
  /** A run that is known by its uid. */
  readonly workflow: (uid: string) => Workflow | undefined;
}

/** Stops the engines of a run, then its workflow. */
export async function stopRun(uid: string, context: RunContext, signal: AbortSignal): Promise<Outcome> {
  const workflow = await findRun(uid, context, signal);
  if (workflow === undefined) return refused(noRun(uid, context));
  const { name, namespace } = workflow.metadata;
  const engines = await stopEngines(workflow, context, signal);
  await context.client.patch(WORKFLOWS, name, 'merge', { spec: { shutdown: 'Stop' } }, { namespace, signal });
  return done(`Workflow ${name} and ${engines} engines stopped`);
}

/** Deletes the workflow of a run. */
export async function deleteRun(uid: string, context: RunContext, signal: AbortSignal): Promise<Outcome> {
  const workflow = await findRun(uid, context, signal);
  if (workflow === undefined) return refused(noRun(uid, context));
  await deleteWorkflow(workflow, context, signal);
  return done(`Workflow ${workflow.metadata.name} deleted`);
}

/** Stops the engines of all runs of an experiment, and deletes their workflows. */
export async function deleteExperiment(
  id: string,
  context: RunContext,
  signal: AbortSignal,
): Promise<Outcome> {
  if (!/^[\w.-]{1,63}$/.test(id)) return refused(`${JSON.stringify(id)} is no id of an experiment`);
  const { client, namespace } = context;
  const labelSelector = `${LABEL_WORKFLOW_ID}=${id}`;
  const { items } = await client.list<Workflow>(WORKFLOWS, { namespace, labelSelector, signal });
  for (const workflow of items) {
    await stopEngines(workflow, context, signal);
    await deleteWorkflow(workflow, context, signal);
  }
  return done(`${items.length} Workflows of experiment ${id} deleted`);
}

function noRun(uid: string, { namespace }: RunContext): string {
  return `there is no Workflow with the uid ${uid} in namespace ${namespace}`;
}

/** From the local copy where it is, else by a look at all: a run may be so new that the watch has not told of it. */
async function findRun(uid: string, context: RunContext, signal: AbortSignal): Promise<Workflow | undefined> {
  const { client, namespace, workflow } = context;
  if (uid === '') return undefined;
  const known = workflow(uid);
  if (known !== undefined) return known;
  let found: Workflow | undefined;
  await client.list<Workflow>(WORKFLOWS, {
    namespace,
    signal,
    // A whole list of workflows would be large.
    eachItem: (item) => {
      if (item.metadata.uid === uid) found = item;
      return { metadata: { name: item.metadata.name }, spec: {} };
    },
  });
  return found;
}

/** All at the same time: each is chaos in force. */
async function stopEngines(
  { metadata }: Workflow,
  { client, namespace }: RunContext,
  signal: AbortSignal,
): Promise<number> {
  const labelSelector = `${LABEL_WORKFLOW_RUN_ID}=${metadata.uid}`;
  const { items } = await client.list<ChaosEngine>(CHAOS_ENGINES, { namespace, labelSelector, signal });
  const patch = { spec: { engineState: 'stop' } };
  await Promise.all(
    items.map(async (engine) => {
      const { name } = engine.metadata;
      await ignoringGone(client.patch(CHAOS_ENGINES, name, 'merge', patch, { namespace, signal }));
    }),
  );
  return items.length;
}

async function deleteWorkflow(
  { metadata }: Workflow,
  { client }: RunContext,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  await ignoringGone(
    client.delete(WORKFLOWS, name, { namespace, signal, preconditions: uid === undefined ? {} : { uid } }),
  );
}

async function ignoringGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
