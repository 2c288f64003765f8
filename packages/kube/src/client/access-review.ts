/** Asking a cluster what a user may do: access reviews of Kubernetes (authorization.k8s.io). */
import { type Resource, SELF_SUBJECT_ACCESS_REVIEWS, SUBJECT_ACCESS_REVIEWS } from '../kinds/resources.ts';
import type { KubeClient } from './types.ts';

/** An action and its object. */
export interface AccessAttributes {
  /** Empty or undefined: in all namespaces, or on what belongs to none. */
  readonly namespace?: string | undefined;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Absent: all objects of the resource. */
  readonly name?: string;
}

/** The user that is to do it, as the API server knows users. */
export interface AccessSubject {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * Whether a subject may do something; without one, whether the client's own user may, which every authenticated user can
 * ask.
 *
 * @throws ApiError when the client may not ask about others, or reviews are not served
 */
export async function isAccessAllowed(
  client: Pick<KubeClient, 'raw'>,
  subject: AccessSubject | undefined,
  attributes: AccessAttributes,
  signal: AbortSignal,
): Promise<boolean> {
  const resource = subject === undefined ? SELF_SUBJECT_ACCESS_REVIEWS : SUBJECT_ACCESS_REVIEWS;
  const spec = { ...subjectFields(subject), resourceAttributes: resourceAttributes(attributes) };
  const answer = await client.raw<{ readonly status?: { readonly allowed?: boolean } }>(
    'POST',
    `/apis/${groupVersion(resource)}/${resource.plural}`,
    { apiVersion: groupVersion(resource), kind: resource.kind, spec },
    { signal },
  );
  return answer.status?.allowed === true;
}

/** The kinds of Kubernetes that belong to no namespace and that programs ask about. */
const CLUSTER_RESOURCES = new Set(['nodes', 'namespaces', 'persistentvolumes']);

/** Whether a resource, with or without its subresource, belongs to no namespace. */
export function isOfCluster(resource: string): boolean {
  return CLUSTER_RESOURCES.has(resource.split('/')[0] ?? '');
}

/** The user that a service account is. */
export function serviceAccountSubject(account: {
  readonly namespace: string;
  readonly name: string;
}): AccessSubject {
  return {
    user: `system:serviceaccount:${account.namespace}:${account.name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`, 'system:authenticated'],
  };
}

function groupVersion({ group, version }: Resource): string {
  return `${group}/${version}`;
}

function subjectFields(subject: AccessSubject | undefined): Record<string, unknown> {
  if (subject === undefined) return {};
  const { user, groups, uid, extra } = subject;
  return {
    user,
    groups: [...(groups ?? [])],
    ...(uid ? { uid } : {}),
    ...(extra === undefined ? {} : { extra }),
  };
}

function resourceAttributes(attributes: AccessAttributes): Record<string, string> {
  const { namespace, group, resource, verb, name: object } = attributes;
  const [name = '', subresource] = resource.split('/');
  return {
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    group,
    resource: name,
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(object === undefined ? {} : { name: object }),
  };
}
