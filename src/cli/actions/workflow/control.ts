import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { CommandError } from '../../../services/errors.ts';
import { editWorkflow, patchWorkflowSpec } from '../../../services/workflows/edit.ts';
import { findWorkflow, findWorkflows } from '../../../services/workflows/find.ts';
import { parseNodeSelector } from '../../../services/workflows/node-selector.ts';
import { parseParameters } from '../../../services/workflows/parameters.ts';
import {
  type NodeChange,
  refuseCompleted,
  resumed,
  withNodesFailed,
  withNodesSet,
} from '../../../services/workflows/suspended-nodes.ts';
import { onCluster } from './session.ts';

/** Options of `turnsole workflow suspend` and `terminate`. */
export interface SuspendOptions extends ClusterOptions {
  readonly selector?: string;
  readonly fieldSelector?: string;
}

/** Options of `turnsole workflow stop`. */
export interface StopOptions extends SuspendOptions {
  readonly nodeFieldSelector?: string;
  readonly message?: string;
}

/** Options of `turnsole workflow resume`. */
export interface ResumeOptions extends StopOptions {
  readonly outputParameter?: readonly string[];
}

/** Options of `turnsole workflow node set`. */
export interface NodeSetOptions extends ClusterOptions {
  readonly nodeFieldSelector: string;
  readonly outputParameter?: readonly string[];
  readonly message?: string;
  readonly phase?: NonNullable<NodeChange['phase']>;
}

/** Ends workflows, or suspended nodes of them. */
export function stop(names: readonly string[], options: StopOptions): Promise<number> {
  if (options.message !== undefined && options.nodeFieldSelector === undefined)
    throw new CommandError(
      '--message: it is for the nodes that --node-field-selector selects',
      'OPTION_INVALID',
    );
  const change = nodeChangeOf(options);
  return forEach(names, options, 'stopped', async (workflow, client) => {
    if (options.nodeFieldSelector !== undefined) {
      await editWorkflow(client, workflow, (now) => withNodesFailed(now, change, systemClock.now()));
      return;
    }
    refuseCompleted(workflow, 'stop');
    await patchWorkflowSpec(client, workflow, { shutdown: 'Stop' });
  });
}

/** Ends workflows without their exit handlers. */
export function terminate(names: readonly string[], options: SuspendOptions): Promise<number> {
  return forEach(names, options, 'terminated', async (workflow, client) => {
    refuseCompleted(workflow, 'terminate');
    await patchWorkflowSpec(client, workflow, { shutdown: 'Terminate' });
  });
}

/** Lets nothing more of workflows begin. */
export function suspend(names: readonly string[], options: SuspendOptions): Promise<number> {
  return forEach(names, options, 'suspended', async (workflow, client) => {
    refuseCompleted(workflow, 'suspend');
    await patchWorkflowSpec(client, workflow, { suspend: true });
  });
}

/** Lets workflows go on. */
export function resume(names: readonly string[], options: ResumeOptions): Promise<number> {
  const change = nodeChangeOf(options);
  return forEach(names, options, 'resumed', async (workflow, client) => {
    await editWorkflow(client, workflow, (now) => resumed(now, change, systemClock.now()));
  });
}

/** Writes into suspended nodes. */
export function nodeSet(name: string, options: NodeSetOptions): Promise<number> {
  const { outputParameter = [], message, phase } = options;
  if (outputParameter.length === 0 && message === undefined && phase === undefined)
    throw new CommandError('give --output-parameter, --message or --phase', 'OPTION_INVALID');
  const change = nodeChangeOf(options);
  return onCluster(options, async ({ client, namespace }) => {
    const workflow = await findWorkflow({ client, namespace }, name);
    await editWorkflow(client, workflow, (now) => withNodesSet(now, change, systemClock.now()));
    console.log(`nodes of Workflow ${namespace}/${workflow.metadata.name} were set`);
    return 0;
  });
}

function nodeChangeOf(options: {
  readonly nodeFieldSelector?: string;
  readonly message?: string;
  readonly outputParameter?: readonly string[];
  readonly phase?: NodeChange['phase'];
}): NodeChange {
  const { nodeFieldSelector, message, outputParameter = [], phase } = options;
  return {
    outputs: parseParameters(outputParameter, '--output-parameter'),
    ...(nodeFieldSelector !== undefined && { isMeant: parseNodeSelector(nodeFieldSelector) }),
    message,
    phase,
  };
}

/** Acts on each workflow that is named or selected. A selection leaves out those that have ended. */
async function forEach(
  names: readonly string[],
  options: SuspendOptions,
  done: string,
  act: (workflow: Workflow, client: KubeClient) => Promise<void>,
): Promise<number> {
  return onCluster(options, async ({ client, namespace }) => {
    const { selector, fieldSelector } = options;
    const found = await findWorkflows({ client, namespace }, names, {
      labelSelector: selector,
      fieldSelector,
    });
    const meant = names.length > 0 ? found : found.filter((workflow) => !isCompleted(workflow));
    if (meant.length === 0) console.error('no workflow that has not ended is selected');
    for (const workflow of meant) {
      await act(workflow, client);
      console.log(`Workflow ${workflow.metadata.namespace}/${workflow.metadata.name} was ${done}`);
    }
    return 0;
  });
}
