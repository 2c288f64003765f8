import { isConflict, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';

/** The controller writes as well, and each of its writes lets one of ours fail. */
const MAX_TRIES = 10;

/**
 * Changes a whole workflow, based on its present state: a write between reading and writing makes it begin anew.
 *
 * @param change pure; gets the object as it was read, with all fields, and gives the new one
 * @throws CommandError (bad input) when it is gone · whatever `change` throws
 */
export async function editWorkflow(
  client: KubeClient,
  { metadata }: Workflow,
  change: (workflow: Workflow) => Workflow,
): Promise<Workflow> {
  const { name, namespace = '', uid } = metadata;
  for (let tries = 1; ; tries += 1) {
    const now = await client.find<Workflow>(WORKFLOWS, name, { namespace });
    if (now === undefined || now.metadata.uid !== uid)
      throw new CommandError(`Workflow ${namespace}/${name} is gone; nothing was changed`, 'NOT_FOUND');
    try {
      return await client.update<Workflow>(WORKFLOWS, change(now), { namespace });
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
    }
  }
}

/**
 * Changes fields of a workflow's spec; null removes one.
 *
 * @throws CommandError (bad input) when it is gone
 */
export async function patchWorkflowSpec(
  client: KubeClient,
  { metadata }: Workflow,
  spec: Readonly<Record<string, unknown>>,
): Promise<Workflow> {
  const { name, namespace = '' } = metadata;
  try {
    return await client.patch<Workflow>(WORKFLOWS, name, 'merge', { spec }, { namespace });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = `Workflow ${namespace}/${name} is gone; nothing was changed`;
    throw new CommandError(message, 'NOT_FOUND', { cause: error });
  }
}
