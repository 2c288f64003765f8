import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { ControllerContext } from '@turnsole/kube/controllers/context';
import { objectKey } from '@turnsole/kube/kinds/core';
import { CONTROLLER_REVISIONS } from '@turnsole/kube/kinds/resources';
import { equivalentJson } from '@turnsole/kube/text/json';
import type { RevisionDecision } from './revisions.ts';
import type { ControllerRevision } from './types.ts';

/**
 * Stores what was decided about an owner's revision. `collision`: the name is taken by a revision with other data, so the
 * owner has to count a collision and hash again.
 */
export async function writeRevision(
  { client, writer, informers }: ControllerContext,
  decision: RevisionDecision | undefined,
  signal: AbortSignal,
): Promise<'unchanged' | 'changed' | 'collision'> {
  if (decision === undefined || decision.action === 'none') return 'unchanged';
  const { update } = decision;
  if (decision.action === 'renumber') {
    await writer.update<ControllerRevision>(CONTROLLER_REVISIONS, update, signal);
    return 'changed';
  }
  try {
    await writer.create<ControllerRevision>(CONTROLLER_REVISIONS, update, signal);
    return 'changed';
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace = '' } = update.metadata;
    const found = await client.get<ControllerRevision>(CONTROLLER_REVISIONS, name, { namespace, signal });
    if (!equivalentJson(found.data, update.data)) return 'collision';
    const view = informers.view<ControllerRevision>(CONTROLLER_REVISIONS);
    if (view.get(objectKey(found)) === undefined) view.wrote(found);
    return 'changed';
  }
}
