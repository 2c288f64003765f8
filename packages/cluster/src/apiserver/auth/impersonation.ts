/** Impersonation headers. Source: kubernetes.io, Authenticating, User impersonation. */
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../http/status.ts';
import { AUTHENTICATED_GROUP, serviceAccountGroups, UNAUTHENTICATED_GROUP, type User } from '../http/user.ts';
import { type Attributes, attributesFor } from './attributes.ts';

/** The user that a request wants to be, and every permission that needs. Undefined: no other user. */
interface Impersonation {
  readonly user: User;
  readonly required: readonly Attributes[];
}

const EXTRA_PREFIX = 'impersonate-extra-';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Reads the headers. Throws BadRequest when groups or extras come without a user. */
export function readImpersonation(headers: IncomingHttpHeaders): Impersonation | undefined {
  const name = single(headers['impersonate-user']);
  const groups = list(headers['impersonate-group']);
  const uid = single(headers['impersonate-uid']);
  const extra: Record<string, string[]> = {};
  for (const header of Object.keys(headers)) {
    if (header.startsWith(EXTRA_PREFIX)) {
      extra[decodeURIComponent(header.slice(EXTRA_PREFIX.length))] = list(headers[header]);
    }
  }
  if (name === '') {
    if (groups.length > 0 || uid !== '' || Object.keys(extra).length > 0) {
      throw badRequest('requested impersonation without impersonating a user');
    }
    return undefined;
  }
  const account = SERVICE_ACCOUNT.exec(name);
  const namespace = account?.[1] ?? '';
  const given = account === null ? groups : groups.length > 0 ? groups : serviceAccountGroups(namespace);
  // The anonymous user was not let in.
  const always = name === 'system:anonymous' ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP;
  const all = new Set([...given, always]);
  const required = [
    account === null
      ? permission('users', '', name)
      : permission('serviceaccounts', namespace, account[2] ?? ''),
    ...groups.map((group) => permission('groups', '', group)),
    ...(uid === '' ? [] : [permission('uids', '', uid, 'authentication.k8s.io')]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({
        ...permission('userextras', '', value, 'authentication.k8s.io'),
        subresource: key,
      })),
    ),
  ];
  const user = { name, groups: [...all], extra, ...(uid === '' ? {} : { uid }) };
  return { user, required };
}

function permission(plural: string, namespace: string, name: string, group = ''): Attributes {
  return attributesFor('impersonate', { group, plural }, namespace, name);
}

function single(value: string | string[] | undefined): string {
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}

/** Node joins repeated headers that it does not know with a comma and a blank. */
function list(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : value.split(', ')).filter((item) => item !== '');
}
