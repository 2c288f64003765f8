import { type KubeObject, PODS, type Pod } from '../../api/index.ts';
import type { FaultContext } from '../../experiment/index.ts';
import { ApiError, isConflict, isNotFound } from '../../kube/client/index.ts';

/** The first is asked for; servers before 1.22 know only the second. */
const EVICTION_VERSIONS = ['policy/v1', 'policy/v1beta1'] as const;

interface Eviction extends KubeObject {
  readonly deleteOptions: { readonly preconditions: { readonly uid?: string } };
}

/**
 * Asks the API server to evict a pod, which its disruption budget may refuse.
 *
 * @returns undefined when it is on its way, or gone, or another pod has its name by now; else why it may not go yet
 * @throws ApiError for anything else, such as a missing permission
 */
export async function evict(
  { metadata }: Pod,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<string | undefined> {
  const { name, namespace = '', uid } = metadata;
  for (const [index, apiVersion] of EVICTION_VERSIONS.entries()) {
    const body: Eviction = {
      apiVersion,
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { preconditions: uid === undefined ? {} : { uid } },
    };
    try {
      await client.create<Eviction>(PODS, body, { namespace, subresource: 'eviction', signal });
      return undefined;
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return undefined;
      if (!(error instanceof ApiError)) throw error;
      const isUnknown = error.code === 400 && index < EVICTION_VERSIONS.length - 1;
      if (isUnknown) continue;
      // 429: the budget allows none at the moment. 500: several budgets cover the pod, which evictions do not support.
      if (error.code === 429 || error.code === 500) return error.status.message ?? error.message;
      throw error;
    }
  }
  return undefined;
}
