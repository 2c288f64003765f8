import { ApiError } from '../client/errors.ts';
import type { KubeClient, NewObject, WriteOptions } from '../client/types.ts';
import type { Pod } from '../kinds/core.ts';
import { PODS } from '../kinds/resources.ts';
import { isOfPodSecurity, restrictedPod } from '../kinds/restricted-pod.ts';

/**
 * Creates a pod whose image is not known to need rights: as it is, and where its namespace's Pod Security refuses that, once more
 * restricted ({@link restrictedPod}).
 *
 * @throws ApiError of the first attempt where both are refused: it speaks of the pod as it was written
 */
export async function createPod(
  client: KubeClient,
  pod: NewObject<Pod>,
  options: WriteOptions,
): Promise<Pod> {
  try {
    return await client.create<Pod>(PODS, pod, options);
  } catch (error) {
    if (!(error instanceof ApiError) || !isOfPodSecurity(error.message) || pod.spec === undefined)
      throw error;
    try {
      return await client.create<Pod>(PODS, { ...pod, spec: restrictedPod(pod.spec) }, options);
    } catch (again) {
      throw again instanceof ApiError && isOfPodSecurity(again.message) ? error : again;
    }
  }
}
