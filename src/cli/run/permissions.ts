import type { KubeObject } from '../../api/core.ts';
import { type PolicyRule, SUBJECT_ACCESS_REVIEWS } from '../../api/index.ts';
import { isForbidden } from '../../kube/client/errors.ts';
import type { KubeClient, NewObject } from '../../kube/client/types.ts';

/** One thing an account must be allowed to do. */
export interface Permission {
  readonly group: string;
  /** Plural, with its subresource after a slash: `pods/log`. */
  readonly resource: string;
  readonly verb: string;
}

/** The single permissions that rules grant; wildcards stay as they are. Pure, without duplicates. */
export function expandRules(rules: readonly PolicyRule[]): Permission[] {
  const permissions = new Map<string, Permission>();
  for (const { apiGroups = [], resources = [], verbs } of rules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        for (const verb of verbs) permissions.set(`${group}/${resource}/${verb}`, { group, resource, verb });
      }
    }
  }
  return [...permissions.values()];
}

interface AccessReview extends KubeObject {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * Which of the permissions a service account lacks in its namespace, asked of the cluster's own authorizer.
 *
 * `undefined` when the user of this client may not ask (SubjectAccessReview needs a permission of its own): then
 * nothing is known, and the run will tell.
 */
export async function missingPermissions(
  client: KubeClient,
  account: { readonly namespace: string; readonly name: string },
  permissions: readonly Permission[],
): Promise<Permission[] | undefined> {
  try {
    const allowed = await Promise.all(
      permissions.map((permission) => isAllowed(client, account, permission)),
    );
    return permissions.filter((_permission, index) => allowed[index] !== true);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

async function isAllowed(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { group, resource, verb }: Permission,
): Promise<boolean> {
  const [plural, subresource] = resource.split('/', 2);
  const review = {
    metadata: { name: '' },
    spec: {
      user: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      resourceAttributes: { namespace, group, resource: plural, subresource, verb },
    },
  };
  // A review is answered, not stored: it has no name of its own.
  const answer = await client.create<AccessReview>(SUBJECT_ACCESS_REVIEWS, review as NewObject<AccessReview>);
  return answer.status?.allowed === true;
}

/** `delete pods, get jobs.batch`: permissions as people write them, grouped by resource. Pure. */
export function formatPermissions(permissions: readonly Permission[]): string {
  const verbs = new Map<string, string[]>();
  for (const { group, resource, verb } of permissions) {
    const name = group === '' ? resource : `${resource}.${group}`;
    verbs.set(name, [...(verbs.get(name) ?? []), verb]);
  }
  return [...verbs].map(([name, list]) => `${list.join('/')} ${name}`).join(', ');
}
