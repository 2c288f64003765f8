/**
 * The RBAC authorizer. Roles and bindings are compiled to rules per subject when first needed after a change, so a
 * decision costs a few look-ups.
 */
import type { Store } from '../../store/index.ts';
import { MASTERS_GROUP, serviceAccountUser, type User } from '../http/user.ts';
import { asJson, asObjects, asString, type Json } from '../object.ts';
import { objectOf } from '../stored-object.ts';
import type { Attributes, Decision } from './attributes.ts';
import { type Rule, ruleAllows, rulesOf } from './rule.ts';

const GROUP = 'rbac.authorization.k8s.io';
const TABLES = {
  roles: `roles.${GROUP}`,
  bindings: `rolebindings.${GROUP}`,
  clusterRoles: `clusterroles.${GROUP}`,
  clusterBindings: `clusterrolebindings.${GROUP}`,
} as const;

/** One binding as it concerns one subject. */
interface Grant {
  readonly rules: readonly Rule[];
  /** For people: `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
  readonly text: string;
  /** Set when the role does not exist. */
  readonly missing?: string;
}

interface Compiled {
  readonly cluster: Map<string, Grant[]>;
  readonly namespaces: Map<string, Map<string, Grant[]>>;
}

export class RbacAuthorizer {
  readonly #store: Store;
  #compiled: Compiled | undefined;

  constructor(store: Store) {
    this.#store = store;
    for (const table of Object.values(TABLES)) {
      store.observe(table, () => {
        this.#compiled = undefined;
      });
    }
  }

  authorize(user: User, attributes: Attributes): Decision {
    if (user.groups.includes(MASTERS_GROUP)) return { allowed: true, reason: '' };
    const missing: string[] = [];
    for (const grant of this.#grants(user, attributes.namespace)) {
      if (grant.missing !== undefined) missing.push(grant.missing);
      else if (grant.rules.some((rule) => ruleAllows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${grant.text}` };
      }
    }
    const unique = [...new Set(missing)];
    const shown = unique.length > 1 ? `[${unique.join(', ')}]` : (unique[0] ?? '');
    return { allowed: false, reason: shown === '' ? '' : `RBAC: ${shown}` };
  }

  /** Everything the user may do in a namespace (and everywhere). */
  rulesFor(user: User, namespace: string): readonly Rule[] {
    if (user.groups.includes(MASTERS_GROUP)) return EVERYTHING;
    return [...this.#grants(user, namespace)].flatMap(({ rules }) => rules);
  }

  *#grants(user: User, namespace: string): Generator<Grant> {
    this.#compiled ??= compile(this.#store);
    const subjects = [`User/${user.name}`, ...user.groups.map((group) => `Group/${group}`)];
    const local = namespace === '' ? undefined : this.#compiled.namespaces.get(namespace);
    for (const subject of subjects) yield* this.#compiled.cluster.get(subject) ?? [];
    for (const subject of subjects) yield* local?.get(subject) ?? [];
  }
}

const EVERYTHING: readonly Rule[] = rulesOf({
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
});

function compile(store: Store): Compiled {
  const compiled: Compiled = { cluster: new Map(), namespaces: new Map() };
  for (const version of store.values(TABLES.clusterBindings)) {
    collect(store, compiled.cluster, objectOf(version), '');
  }
  for (const version of store.values(TABLES.bindings)) {
    let local = compiled.namespaces.get(version.namespace);
    if (local === undefined) {
      local = new Map();
      compiled.namespaces.set(version.namespace, local);
    }
    collect(store, local, objectOf(version), version.namespace);
  }
  return compiled;
}

function collect(store: Store, into: Map<string, Grant[]>, binding: Json, namespace: string): void {
  const ref = asJson(binding.roleRef);
  const kind = asString(ref.kind);
  const name = asString(ref.name);
  const version =
    kind === 'Role' ? store.get(TABLES.roles, namespace, name) : store.get(TABLES.clusterRoles, '', name);
  const rules = version === undefined ? [] : rulesOf(version.object);
  const bindingName = asString(asJson(binding.metadata).name);
  const of =
    namespace === '' ? `ClusterRoleBinding "${bindingName}"` : `RoleBinding "${bindingName}/${namespace}"`;
  for (const subject of asObjects(binding.subjects)) {
    const key = subjectKey(subject, namespace);
    if (key === undefined) continue;
    const text = `${of} of ${kind} "${name}" to ${asString(subject.kind)} "${shownSubject(subject, namespace)}"`;
    const grant: Grant =
      version === undefined
        ? { rules, text, missing: `${kind.toLowerCase()}.${GROUP} "${name}" not found` }
        : { rules, text };
    const list = into.get(key);
    if (list === undefined) into.set(key, [grant]);
    else list.push(grant);
  }
}

function subjectKey(subject: Json, namespace: string): string | undefined {
  const name = asString(subject.name);
  switch (subject.kind) {
    case 'User':
    case 'Group':
      return `${subject.kind}/${name}`;
    case 'ServiceAccount':
      return `User/${serviceAccountUser(asString(subject.namespace) || namespace, name)}`;
    default:
      return undefined;
  }
}

function shownSubject(subject: Json, namespace: string): string {
  const name = asString(subject.name);
  return subject.kind === 'ServiceAccount' ? `${name}/${asString(subject.namespace) || namespace}` : name;
}

/** The rules of the role that a binding refers to; undefined when it does not exist. */
export function referredRules(store: Store, ref: Json, namespace: string): readonly Rule[] | undefined {
  const name = asString(ref.name);
  const version =
    ref.kind === 'Role' ? store.get(TABLES.roles, namespace, name) : store.get(TABLES.clusterRoles, '', name);
  return version === undefined ? undefined : rulesOf(version.object);
}
