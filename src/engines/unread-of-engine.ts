import { allInOrder } from '@turnsole/kube/base/all-in-order';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_ENGINES, CHAOS_EXPERIMENTS, type ChaosEngine, type ChaosExperiment } from '../api/index.ts';
import type { OperatorHandout } from '../chaos/experiment-env.ts';
import { unreadFields } from '../chaos/unread/unread-fields.ts';
import { type Unread, unreadSettings } from '../chaos/unread/unread-settings.ts';

/** Where the ChaosExperiments of the engine are. */
interface UnreadOptions {
  readonly client: Pick<KubeClient, 'find'>;
  readonly namespace: string;
  readonly operator?: OperatorHandout;
  readonly signal?: AbortSignal;
}

/**
 * All that an engine says and nothing reads.
 *
 * @throws ApiError, ConnectionError when a ChaosExperiment cannot be read
 */
export async function unreadOfEngine(engine: ChaosEngine, options: UnreadOptions): Promise<Unread[]> {
  // An object of a list does not name its kind.
  const { kind } = CHAOS_ENGINES;
  return [...unreadFields({ ...engine, kind }), ...(await unreadVariables(engine, options))];
}

/**
 * The variables among it. A ChaosExperiment is asked for only where it might declare one that is in question.
 *
 * @throws as {@link unreadOfEngine}
 */
export async function unreadVariables(engine: ChaosEngine, options: UnreadOptions): Promise<Unread[]> {
  const { client, namespace, operator, signal } = options;
  const ofEntries = engine.spec.experiments.map(async ({ name }, position) => {
    const input = { engine, position, ...(operator && { operator }) };
    if (unreadSettings({ ...input, experiment: undefined }).length === 0) return [];
    const experiment = await client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, name, { namespace, signal });
    // The run of an experiment that is not there is skipped, and says so.
    return experiment?.spec?.definition === undefined ? [] : unreadSettings({ ...input, experiment });
  });
  return (await allInOrder(ofEntries)).flat();
}
