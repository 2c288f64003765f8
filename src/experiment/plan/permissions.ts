import { type PolicyRule, SUBJECT_ACCESS_REVIEWS } from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Fault } from '../fault.ts';

/** One thing the service account must be allowed to do. */
export interface PermissionCheck {
  readonly namespace: string;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Undefined when the cluster would not say. */
  readonly allowed: boolean | undefined;
}

/** What every experiment needs in the namespace of its engine. */
export const EXPERIMENT_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get', 'patch'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosresults'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
];

/** What a fault needs in which namespaces, each once. Pure. */
export function permissionsOf(
  fault: Pick<Fault, 'permissions'>,
  chaosNamespace: string,
  targetNamespaces: readonly string[],
): readonly Omit<PermissionCheck, 'allowed'>[] {
  const namespaces = new Set([chaosNamespace, ...targetNamespaces]);
  const needed = new Map<string, Omit<PermissionCheck, 'allowed'>>();
  const add = (namespace: string, rules: readonly PolicyRule[]): void => {
    for (const { apiGroups = [''], resources = [], verbs = [] } of rules) {
      for (const group of apiGroups) {
        for (const resource of resources) {
          for (const verb of verbs) {
            needed.set([namespace, group, resource, verb].join(' '), { namespace, group, resource, verb });
          }
        }
      }
    }
  };
  add(chaosNamespace, EXPERIMENT_PERMISSIONS);
  for (const namespace of namespaces) add(namespace, fault.permissions);
  return [...needed.values()];
}

/** Asks the cluster whether a service account may do these things. What it will not say is `undefined`. */
export async function checkPermissions(
  client: KubeClient,
  serviceAccount: { readonly namespace: string; readonly name: string },
  needed: readonly Omit<PermissionCheck, 'allowed'>[],
  signal: AbortSignal,
): Promise<readonly PermissionCheck[]> {
  const user = `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`;
  const groups = [
    'system:serviceaccounts',
    `system:serviceaccounts:${serviceAccount.namespace}`,
    'system:authenticated',
  ];
  return Promise.all(
    needed.map(async (check) => {
      const [resource = '', subresource] = check.resource.split('/');
      const { namespace, group, verb } = check;
      const attributes = {
        namespace,
        verb,
        group,
        resource,
        ...(subresource === undefined ? {} : { subresource }),
      };
      try {
        const review = await client.raw<{ status?: { allowed?: boolean } }>(
          'POST',
          `/apis/${SUBJECT_ACCESS_REVIEWS.group}/${SUBJECT_ACCESS_REVIEWS.version}/${SUBJECT_ACCESS_REVIEWS.plural}`,
          {
            apiVersion: `${SUBJECT_ACCESS_REVIEWS.group}/${SUBJECT_ACCESS_REVIEWS.version}`,
            kind: SUBJECT_ACCESS_REVIEWS.kind,
            spec: { user, groups, resourceAttributes: attributes },
          },
          { signal },
        );
        return { ...check, allowed: review.status?.allowed === true };
      } catch (error) {
        signal.throwIfAborted();
        // Not served, or the caller may not ask: a plan says what it knows.
        void error;
        return { ...check, allowed: undefined };
      }
    }),
  );
}
