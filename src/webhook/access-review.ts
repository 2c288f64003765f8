import { SUBJECT_ACCESS_REVIEWS } from '../api/index.ts';
import type { KubeClient } from '../kube/client/types.ts';
import type { UserInfo } from './admission.ts';
import type { RequiredAccess } from './required-access.ts';

/**
 * Asks the cluster whether a user may do something (SubjectAccessReview).
 *
 * @throws ApiError when the webhook may not ask
 */
export async function isAllowed(
  client: KubeClient,
  user: UserInfo,
  { namespace, group, resource, verb }: RequiredAccess,
  signal: AbortSignal,
): Promise<boolean> {
  const [name = '', subresource] = resource.split('/');
  const { group: apiGroup, version, plural, kind } = SUBJECT_ACCESS_REVIEWS;
  const answer = await client.raw<{ readonly status?: { readonly allowed?: boolean } }>(
    'POST',
    `/apis/${apiGroup}/${version}/${plural}`,
    {
      apiVersion: `${apiGroup}/${version}`,
      kind,
      spec: {
        user: user.username ?? '',
        groups: [...(user.groups ?? [])],
        ...(user.uid ? { uid: user.uid } : {}),
        ...(user.extra === undefined ? {} : { extra: user.extra }),
        resourceAttributes: {
          ...(namespace === undefined ? {} : { namespace }),
          group,
          resource: name,
          verb,
          ...(subresource === undefined ? {} : { subresource }),
        },
      },
    },
    { signal },
  );
  return answer.status?.allowed === true;
}
