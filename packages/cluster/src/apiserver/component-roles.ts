/** Roles of components that this cluster does not have, for those who look for them, or let their own components have them. */
import {
  COMPONENT_ROLE_BINDINGS,
  COMPONENT_ROLES,
  SYSTEM_ROLE_BINDINGS,
  SYSTEM_ROLES,
} from './auth/default-roles.ts';
import { ensureObjects } from './bootstrap.ts';
import type { ServerParts } from './registry/environment.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = [
  ['clusterroles', COMPONENT_ROLES],
  ['clusterrolebindings', COMPONENT_ROLE_BINDINGS],
  ['roles', SYSTEM_ROLES],
  ['rolebindings', SYSTEM_ROLE_BINDINGS],
] as const;
/** Reviews: requests that ask which rights a user has. */
const REVIEWS = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'];

/** Gives the work to do before requests for objects of these tables: it makes the roles and bindings, once. */
export function componentRolesOnDemand(env: ServerParts): ReadonlyMap<string, () => void> {
  let isDone = false;
  const prepare = (): void => {
    if (isDone) return;
    isDone = true;
    for (const [plural, objects] of ROLES) ensureObjects(env, GROUP, plural, objects);
  };
  return new Map(
    [
      ...ROLES.map(([plural]) => `${plural}.${GROUP}`),
      ...REVIEWS.map((plural) => `${plural}.authorization.k8s.io`),
    ].map((table) => [table, prepare]),
  );
}
