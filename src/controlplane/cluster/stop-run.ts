import type { Resource } from '@turnsole/kube/kinds/resources';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES } from '../../api/index.ts';
import { unlessGone } from '../../services/objects.ts';
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
  const stop = (resource: Resource, spec: object): Promise<boolean> =>
    unlessGone(client.patch(resource, name, 'merge', { spec }, { namespace }));
  if (kind === 'ChaosEngine') return stop(CHAOS_ENGINES, { engineState: 'stop' });
  if (kind === 'Workflow') return stop(WORKFLOWS, { shutdown: 'Stop' });
  const sentence = `a ${kind} is no run that could be stopped; stop its engine or workflow`;
  throw new Refusal('invalid', sentence, { fields: ['kind'] });
}
