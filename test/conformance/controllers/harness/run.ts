import { createHash } from 'node:crypto';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { NAMESPACES, PODS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/index';
import { Lab, type LabCluster } from './lab.ts';
import { type ControllerScenario, namespaceOf, type Shown } from './scenario.ts';

/** A short digest of a scenario: its code without blanks, so that formatting does not count. */
export function digestOf({ run }: ControllerScenario): string {
  return createHash('sha256')
    .update(run.toString().replaceAll(/[\s,;]+/g, ''))
    .digest('hex')
    .slice(0, 12);
}

/**
 * Runs a scenario in a namespace of its own and gives what it showed.
 *
 * @param expected what was recorded; absent while recording
 * @param differing JSON pointers to what is to differ from it, by step, from 0
 * @throws LabError when something was waited for in vain
 */
export async function runControllerScenario(
  scenario: ControllerScenario,
  cluster: LabCluster,
  expected: readonly Shown[] | undefined,
  signal: AbortSignal,
  differing: (index: number) => readonly string[] = () => [],
): Promise<readonly Shown[]> {
  const { client, limitMs } = cluster;
  const namespace = namespaceOf(scenario);
  await client.create(NAMESPACES, { metadata: { name: namespace } }, { signal });
  const account = { namespace, timeoutMs: limitMs, signal };
  await waitForObject(client, SERVICE_ACCOUNTS, 'default', (object) => object !== undefined, account);
  const lab = new Lab(cluster, { namespace, expected, differing, signal });
  try {
    await lab.open();
    await scenario.run(lab);
    return lab.shown;
  } finally {
    await lab.close();
    await removeNamespace(client, namespace);
  }
}

/** Does not wait for the end; a scenario may have removed it itself. */
async function removeNamespace(client: KubeClient, namespace: string): Promise<void> {
  try {
    await client.deleteCollection(PODS, { namespace, gracePeriodSeconds: 0 });
    await client.delete(NAMESPACES, namespace);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
