import type { KubeClient } from '../client/types.ts';
import type { CustomResourceDefinition } from '../controllers/discovery.ts';
import { isConditionTrue } from '../kinds/conditions.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import { waitForObject } from '../runtime/wait.ts';

const READY_TIMEOUT_MS = 60_000;

/** Waits until the kind of a definition is served. */
export async function awaitEstablished(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  const isEstablished = (definition: CustomResourceDefinition | undefined): boolean =>
    isConditionTrue(definition?.status?.conditions, 'Established');
  await waitForObject<CustomResourceDefinition>(client, CUSTOM_RESOURCE_DEFINITIONS, name, isEstablished, {
    timeoutMs: READY_TIMEOUT_MS,
    signal,
  });
}
