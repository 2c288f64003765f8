import { isForbidden, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, SECRETS } from '@turnsole/kube/kinds/resources';
import { AGENT_SECRET } from '../../api/agent-objects.ts';
import { WORKFLOW_CONTROLLER_NAME } from './names.ts';
import { controllerContainer, foundController } from './other-controllers.ts';
import type { InstallSettings } from './settings.ts';

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * The instance id by which the installed workflow controller serves the agent of this namespace; undefined where it serves none. A manifest of a
 * control plane has put it there: installing again without it would leave that agent's runs without a controller.
 */
export async function agentsInstance(
  client: KubeClient,
  { namespace }: Pick<InstallSettings, 'namespace'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const from = { namespace, signal };
  const secret = await unless(isForbidden, client.find<Secret>(SECRETS, AGENT_SECRET, from));
  const asked = client.find<Deployment>(DEPLOYMENTS, WORKFLOW_CONTROLLER_NAME, from);
  const deployment = await unless(isForbidden, asked);
  const container = deployment === undefined ? undefined : controllerContainer(deployment);
  if (deployment === undefined || container === undefined) return undefined;
  const infra = Buffer.from(secret?.data?.['INFRA_ID'] ?? '', 'base64').toString('utf8');
  const { instanceId } = foundController(deployment, container, undefined);
  return infra !== '' && instanceId === infra ? infra : undefined;
}
