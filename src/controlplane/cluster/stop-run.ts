import { CHAOS_ENGINES } from '../../api/index.ts';
import { isNotFound } from '../../kube/client/errors.ts';
import { WORKFLOWS } from '../../workflows/kinds/resources.ts';
import { Refusal } from '../access/refusal.ts';
import type { RunName } from './cluster-run.ts';
import type { ObservedCluster } from './observed-cluster.ts';

/**
 * Stops a run by the field that its controller watches: an engine's `engineState`, a workflow's `shutdown`. The workflow's controller stops
 * its engines.
 *
 * @returns whether the object existed
 * @throws Refusal for kinds that do not run
 */
export async function stopRun(
  { client }: ObservedCluster,
  { kind, namespace, name }: RunName,
): Promise<boolean> {
  try {
    if (kind === 'ChaosEngine') {
      await client.patch(CHAOS_ENGINES, name, 'merge', { spec: { engineState: 'stop' } }, { namespace });
    } else if (kind === 'Workflow') {
      await client.patch(WORKFLOWS, name, 'merge', { spec: { shutdown: 'Stop' } }, { namespace });
    } else {
      throw new Refusal('invalid', `a ${kind} is no run that could be stopped; stop its engine or workflow`, {
        fields: ['kind'],
      });
    }
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
