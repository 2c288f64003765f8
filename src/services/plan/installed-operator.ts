import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import type { OperatorHandout } from '../../chaos/experiment-env.ts';
import { knownImagesOf } from '../../chaos/known-images.ts';
import { DEFAULT_RUNNER_IMAGE, type OwnImage, ownImageOf } from '../../chaos/own-image.ts';
import { otelHandedOn } from '../../tracing/otel-variables.ts';
import { operatorContainer, watchedNamespace } from '../install/other-operators.ts';

/** What the operator of a cluster is configured to give to its pods. */
export interface InstalledOperator extends OperatorHandout {
  /** Stands in for upstream's images. */
  readonly ownImage: OwnImage | undefined;
  /** Runner image of engines that name none. */
  readonly runnerImage: string;
  /** Images that it knows to keep what Turnsole promises. */
  readonly knownImages: readonly string[];
  /** A pod of it is available, so that nodes can have its image. */
  readonly isRunning: boolean;
}

/** Without an operator, or one that may not be read: upstream's images, as engines name them. */
export const NO_OPERATOR: InstalledOperator = {
  ownImage: undefined,
  runnerImage: DEFAULT_RUNNER_IMAGE,
  knownImages: [],
  isRunning: false,
};

/** Looks for the operator that would run engines of a namespace. */
export async function installedOperator(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<InstalledOperator> {
  try {
    const { items } = await client.list<Deployment>(DEPLOYMENTS, { signal });
    return operatorOf(items, namespace);
  } catch (error) {
    // A user who may not list them plans without.
    if (error instanceof ApiError) return NO_OPERATOR;
    throw error;
  }
}

/** The operator among Deployments that watches this namespace. Pure. */
function operatorOf(deployments: readonly Deployment[], namespace: string): InstalledOperator {
  for (const deployment of deployments) {
    const container = operatorContainer(deployment.metadata, deployment.spec?.template.spec);
    if (container === undefined) continue;
    const env = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
    const ownImage = ownImageOf(env);
    const watched = watchedNamespace(container, deployment.metadata.namespace ?? '');
    if (ownImage === undefined || (watched ?? namespace) !== namespace) continue;
    return {
      ownImage,
      runnerImage: env.CHAOS_RUNNER_IMAGE || ownImage.name,
      knownImages: [ownImage.name, ...knownImagesOf(env)],
      otel: otelHandedOn(env),
      protectedNamespaces: env.PROTECTED_NAMESPACES,
      annotationKey: env.CUSTOM_ANNOTATION,
      isRunning: (deployment.status?.availableReplicas ?? 0) > 0,
    };
  }
  return NO_OPERATOR;
}
