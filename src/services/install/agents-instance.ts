import { DEPLOYMENTS, type Deployment, type KubeObject, SECRETS } from '../../api/index.ts';
import { isForbidden } from '../../kube/client/errors.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { AGENT_SECRET } from './agent/agent-config.ts';
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
  const secret = await readable(client.find<Secret>(SECRETS, AGENT_SECRET, from));
  const deployment = await readable(client.find<Deployment>(DEPLOYMENTS, WORKFLOW_CONTROLLER_NAME, from));
  const container = deployment === undefined ? undefined : controllerContainer(deployment);
  if (deployment === undefined || container === undefined) return undefined;
  const infra = Buffer.from(secret?.data?.['INFRA_ID'] ?? '', 'base64').toString('utf8');
  const { instanceId } = foundController(deployment, container, undefined);
  return infra !== '' && instanceId === infra ? infra : undefined;
}

/** The answer; undefined when the user may not read it. */
async function readable<T>(asked: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
