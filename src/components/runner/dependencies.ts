import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { isAlreadyExists, isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import { SkipError } from '../../chaos/experiments/skip-error.ts';
import { engineReference } from '../../engines/pods/experiment-job.ts';
import type { JobPlan } from '../../engines/pods/job-plan.ts';

/**
 * Checks that the config maps and secrets an experiment mounts exist; a missing config map whose content the engine or the
 * ChaosExperiment gives is created, owned by the engine.
 *
 * @throws SkipError that names what is missing
 */
export async function checkDependencies(
  client: KubeClient,
  plan: JobPlan,
  signal: AbortSignal,
): Promise<void> {
  const secrets = [...plan.volumes.secrets, ...plan.sidecars.flatMap((sidecar) => sidecar.secrets)];
  await allInOrder([
    ...plan.volumes.configMaps.map(({ name, data }) => ensureConfigMap(client, plan, name, data, signal)),
    ...secrets.map((name) => requireSecret(client, plan, name, signal)),
  ]);
}

async function ensureConfigMap(
  client: KubeClient,
  plan: JobPlan,
  name: string,
  data: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = plan.settings;
  const found = await client.find<ConfigMap>(CONFIG_MAPS, name, { namespace, signal });
  if (found !== undefined) return;
  const missing = `config map ${namespace}/${name} not found`;
  if (data === undefined) {
    const advice = 'create it, or give its content under data';
    throw new SkipError('ExperimentDependencyCheck', `${missing}; ${advice}`);
  }
  try {
    await client.create<ConfigMap>(
      CONFIG_MAPS,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, ownerReferences: [engineReference(plan.engine)] },
        data: { ...data },
      },
      { namespace, signal, repeatable: true },
    );
  } catch (error) {
    if (isAlreadyExists(error)) return;
    if (!isForbidden(error)) throw error;
    const advice = `service account ${plan.settings.serviceAccount} may not create it; create it yourself or grant configmaps create`;
    throw new SkipError('ExperimentDependencyCheck', `${missing}; ${advice}`, { cause: error });
  }
}

async function requireSecret(
  client: KubeClient,
  plan: JobPlan,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = plan.settings;
  try {
    if ((await client.find(SECRETS, name, { namespace, signal })) !== undefined) return;
  } catch (error) {
    // Charts grant no access to secrets: the kubelet will say whether it is there.
    if (isForbidden(error)) return;
    throw error;
  }
  throw new SkipError('ExperimentDependencyCheck', `secret ${namespace}/${name} not found; create it`);
}
