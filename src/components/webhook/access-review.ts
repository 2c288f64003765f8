import { isAccessAllowed } from '../../kube/access-review.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { UserInfo } from './admission.ts';
import type { RequiredAccess } from './required-access.ts';

/**
 * Asks the cluster whether a user may do something (SubjectAccessReview).
 *
 * @throws ApiError when the webhook may not ask
 */
export function isAllowed(
  client: KubeClient,
  { username: user = '', groups, uid, extra }: UserInfo,
  access: RequiredAccess,
  signal: AbortSignal,
): Promise<boolean> {
  return isAccessAllowed(client, { user, groups, uid, extra }, access, signal);
}
