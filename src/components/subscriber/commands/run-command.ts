import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { runIsOver } from '../../../api/engine-status.ts';
import { LABEL_WORKFLOW_RUN_ID } from '../../../api/labels.ts';
import { CHAOS_ENGINES } from '../../../api/resources.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import { LABEL_WORKFLOW_ID } from '../labels.ts';
import { done, type Outcome, refused } from './outcome.ts';

/** What changes of runs need. */
export interface RunContext {
  readonly client: KubeClient;
  /** Where unknown runs are looked for. */
  readonly namespace: string;
  /** Why nothing of a namespace is changed; undefined where that is allowed. */
  readonly refusalOf: (namespace: string) => string | undefined;
  /** A run that is known by its uid. */
  readonly workflow: (uid: string) => Workflow | undefined;
}

/** Stops the engines of a run, then its workflow. */
export async function stopRun(uid: string, context: RunContext, signal: AbortSignal): Promise<Outcome> {
  const workflow = await findRun(uid, context, signal);
  if (typeof workflow === 'string') return refused(workflow);
  const { name, namespace } = workflow.metadata;
  const engines = await stopEngines(workflow, context, signal);
  await context.client.patch(WORKFLOWS, name, 'merge', { spec: { shutdown: 'Stop' } }, { namespace, signal });
  return done(`Workflow ${name} and ${engines} engines stopped`);
}

/** Stops the engines of a run, which would be lost sight of without its workflow, and deletes the workflow. */
export async function deleteRun(uid: string, context: RunContext, signal: AbortSignal): Promise<Outcome> {
  const workflow = await findRun(uid, context, signal);
  if (typeof workflow === 'string') return refused(workflow);
  await stopEngines(workflow, context, signal);
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

/**
 * The run, or why it cannot be changed. Looks in the local copy, then asks the API server: a run may be so new that the watch has not
 * reported it.
 */
async function findRun(uid: string, context: RunContext, signal: AbortSignal): Promise<Workflow | string> {
  const { client, namespace, workflow, refusalOf } = context;
  if (uid === '') return 'the request names no run';
  const known = workflow(uid);
  if (known !== undefined) return refusalOf(known.metadata.namespace ?? '') ?? known;
  let found: Workflow | undefined;
  await client.list<Workflow>(WORKFLOWS, {
    namespace,
    signal,
    limit: 100,
    // A whole list of workflows would be large.
    eachItem: (item) => {
      if (item.metadata.uid === uid) found = item;
      return { metadata: { name: item.metadata.name }, spec: {} };
    },
  });
  return found ?? `there is no Workflow with the uid ${uid} in namespace ${namespace}`;
}

/** All that go on, at the same time: each is chaos in force. One that is over keeps its verdict. */
async function stopEngines(
  { metadata }: Workflow,
  { client }: RunContext,
  signal: AbortSignal,
): Promise<number> {
  const { namespace = '' } = metadata;
  const labelSelector = `${LABEL_WORKFLOW_RUN_ID}=${metadata.uid}`;
  const { items } = await client.list<ChaosEngine>(CHAOS_ENGINES, { namespace, labelSelector, signal });
  const going = items.filter(({ status }) => !runIsOver(status?.engineStatus));
  const patch = { spec: { engineState: 'stop' } };
  await allInOrder(
    going.map(async (engine) => {
      const { name } = engine.metadata;
      await ignoringGone(client.patch(CHAOS_ENGINES, name, 'merge', patch, { namespace, signal }));
    }),
  );
  return going.length;
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
