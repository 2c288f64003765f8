import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { randomSuffix } from '@turnsole/kube/text/generated-name';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { CommandError } from '../../../services/errors.ts';
import { findWorkflows } from '../../../services/workflows/find.ts';
import { parseNodeSelector } from '../../../services/workflows/node-selector.ts';
import { resubmissionOf } from '../../../services/workflows/resubmit.ts';
import { retryWorkflow } from '../../../services/workflows/retry-workflow.ts';
import { createWorkflow } from '../../../services/workflows/submit.ts';
import { type FollowFlags, followBegun } from './follow-begun.ts';
import { objectText, onCluster, print, withKind } from './session.ts';
import { announce, type ParameterFlags, parametersOf } from './submit.ts';

/** Options that both commands have. */
interface AgainOptions extends ClusterOptions, FollowFlags, ParameterFlags {
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly output?: 'json' | 'yaml' | 'name';
}

/** Options of `turnsole workflow resubmit`. */
export interface ResubmitOptions extends AgainOptions {
  readonly memoized?: boolean;
  readonly priority?: number;
}

/** Options of `turnsole workflow retry`. */
export interface RetryOptions extends AgainOptions {
  readonly restartSuccessful?: boolean;
  readonly nodeFieldSelector?: string;
}

/** Creates workflows anew of what earlier ones ran. */
export async function resubmit(names: readonly string[], options: ResubmitOptions): Promise<number> {
  const parameters = await parametersOf(options);
  return onCluster(options, async ({ client, namespace }, signal) => {
    const begun: Workflow[] = [];
    for (const workflow of await findWorkflows({ client, namespace }, names, selectorsOf(options))) {
      const fresh = resubmissionOf(workflow, {
        parameters,
        memoized: options.memoized ?? false,
        suffix: randomSuffix(Math.random),
        priority: options.priority,
      });
      const created = await createWorkflow(fresh, { client });
      announce(created, options);
      begun.push(created);
    }
    return followBegun(client, begun, { ...options, signal });
  });
}

/** Lets workflows go on from what failed. */
export async function retry(names: readonly string[], options: RetryOptions): Promise<number> {
  const parameters = await parametersOf(options);
  const { nodeFieldSelector, restartSuccessful = false, output } = options;
  if (restartSuccessful !== (nodeFieldSelector !== undefined))
    throw new CommandError(
      '--restart-successful and --node-field-selector need one another',
      'OPTION_INVALID',
    );
  const isMeant = nodeFieldSelector === undefined ? undefined : parseNodeSelector(nodeFieldSelector);
  return onCluster(options, async ({ client, namespace }, signal) => {
    const begun: Workflow[] = [];
    for (const workflow of await findWorkflows({ client, namespace }, names, selectorsOf(options))) {
      const settings = { parameters, restartSuccessful, isMeant };
      const { workflow: stored, removed } = await retryWorkflow(workflow, settings, {
        client,
        signal,
        nowMs: systemClock.now(),
      });
      const object: KubeObject = withKind(stored, WORKFLOWS);
      if (output !== undefined) print(objectText(object, output));
      else
        print(
          `Workflow ${stored.metadata.namespace}/${stored.metadata.name} goes on; ${removed.length} nodes run again`,
        );
      begun.push(stored);
    }
    return followBegun(client, begun, { ...options, signal });
  });
}

function selectorsOf({ selector, fieldSelector }: AgainOptions) {
  return {
    labelSelector: selector,
    fieldSelector,
  };
}
