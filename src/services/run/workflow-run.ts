import { objectKey } from '@turnsole/kube/kinds/core';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ChaosEngine } from '../../api/index.ts';
import { withCode } from '../../chaos/errors/row.ts';
import type { CommandErrorCode } from '../error-codes/command-errors.ts';
import { BadInputError } from '../errors.ts';
import { applyManifests, namespaceOf, placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import type { WorkflowOutcome } from '../report/build-workflow.ts';
import { clusterLibrary } from '../workflows/cluster-library.ts';
import { patchWorkflowSpec } from '../workflows/edit.ts';
import { enginesOf } from '../workflows/engines-of.ts';
import { followWorkflow } from '../workflows/follow.ts';
import { NodeFeed } from '../workflows/node-feed.ts';
import type { EngineRunOptions } from './engine-run.ts';
import { followWorkflowEngines } from './workflow-engines.ts';

/** Code of a run whose workflow is gone. */
const DELETED: CommandErrorCode = 'WORKFLOW_DELETED';
/** How long a controller may take to take a workflow up before we say that there seems to be none. */
const CONTROLLER_TIMEOUT_MS = 30_000;
/** How long a stopped workflow may take until its pods and exit handlers are over. */
const STOP_TIMEOUT_MS = 120_000;

/**
 * Creates one workflow, follows it and the engines that it makes to their end (or stops them), and returns the outcome.
 *
 * @throws BadInputError when one of that name exists, or the cluster refuses it
 */
export async function runWorkflow(manifest: Manifest, options: EngineRunOptions): Promise<WorkflowOutcome> {
  const { client } = options.apply;
  const namespace = namespaceOf(manifest, options.apply.namespace);
  const { name } = manifest.object.metadata;
  if ((await client.find(WORKFLOWS, name, { namespace })) !== undefined) {
    const message = `this workflow is in namespace ${namespace} already; delete it, or write generateName`;
    throw new BadInputError([{ ...placeOf(manifest), code: 'OBJECT_TWICE', message }]);
  }
  const [applied] = await applyManifests([manifest], options.apply);
  if (applied === undefined) throw new Error('one manifest was applied, so one object came back');
  // A stored object has the structure of its kind.
  const workflow = applied.object as Workflow;
  const ended = await followRun(workflow, options);
  const cron = manifest.cron === undefined ? {} : { cron: manifest.cron.name };
  return { ...cron, ...ended };
}

async function followRun(workflow: Workflow, options: EngineRunOptions): Promise<WorkflowOutcome> {
  const { clock, progress } = options;
  const { client } = options.apply;
  const namespace = workflow.metadata.namespace ?? '';
  const engines = enginesOf(workflow, await clusterLibrary({ client, namespace }));
  const giveUp = new AbortController();
  const feed = new NodeFeed();
  let last = workflow;
  const stepOf = (engine: ChaosEngine): string | undefined => engines.stepOf(last, engine);
  const followed = followWorkflowEngines(client, engines, stepOf, options);
  let cancelLimit = clock.setTimer(CONTROLLER_TIMEOUT_MS, () => giveUp.abort(noController(namespace)));
  const onStop = (): void => {
    progress.step(`stopping workflow ${objectKey(workflow)}`);
    cancelLimit();
    cancelLimit = clock.setTimer(STOP_TIMEOUT_MS, () => giveUp.abort(stopTimeout()));
    patchWorkflowSpec(client, workflow, { shutdown: 'Stop' }).catch((error: unknown) => giveUp.abort(error));
  };
  if (options.stop.aborted) onStop();
  else options.stop.addEventListener('abort', onStop, { once: true });
  const onChange = (now: Workflow): void => {
    const isTaken = (last.status?.phase ?? '') === '' && (now.status?.phase ?? '') !== '';
    if (isTaken && !options.stop.aborted) cancelLimit();
    last = now;
    const time = new Date(clock.now()).toISOString();
    for (const { text, node } of feed.next(now)) {
      const object = node === undefined ? `workflow/${objectKey(now)}` : `node/${node.name}`;
      progress.entry({ time, actor: 'workflow', step: `Node${node?.phase ?? ''}`, object, message: text });
    }
    progress.workflow(now);
  };
  let reason: string | undefined;
  try {
    const ended = await followWorkflow(workflow, { client, signal: giveUp.signal, onChange });
    if (ended === undefined) reason = withCode('the workflow was deleted while it ran', DELETED);
  } catch (error) {
    // It will not be followed any more: it must not go on, nor begin once a controller is there.
    await patchWorkflowSpec(client, workflow, { shutdown: 'Terminate' }).catch(() => {});
    if (!giveUp.signal.aborted) throw error;
    reason = (giveUp.signal.reason as Error).message;
  } finally {
    cancelLimit();
    options.stop.removeEventListener('abort', onStop);
    progress.workflow(undefined);
  }
  const outcomes = await followed.ended();
  const notMade = engines.notMade(
    last,
    outcomes.map(({ engine }) => engine),
  );
  reason ??= withoutVerdict(last, notMade);
  return { workflow: last, engines: outcomes, notMade, ...(reason !== undefined && { reason }) };
}

/** A workflow that succeeded says nothing of chaos that never came about. */
function withoutVerdict({ status }: Workflow, notMade: readonly string[]): string | undefined {
  if (status?.phase !== 'Succeeded' || notMade.length === 0) return undefined;
  const text =
    `its steps have made no new ChaosEngine ${notMade.join(', ')}, so there is no verdict; ` +
    `does a step apply it under that name, and was an older engine of that name deleted before?`;
  return withCode(text, 'ENGINE_NOT_MADE');
}

function noController(namespace: string): Error {
  const text =
    `no controller took the workflow up within ${CONTROLLER_TIMEOUT_MS / 1000} s; is one installed in this cluster, ` +
    `does it watch namespace ${namespace}, and does the workflow have the label of its instance?`;
  return new Error(withCode(text, 'NO_WORKFLOW_CONTROLLER'));
}

function stopTimeout(): Error {
  return new Error(withCode(`the workflow did not stop within ${STOP_TIMEOUT_MS / 1000} s`, 'STOP_TIMEOUT'));
}
