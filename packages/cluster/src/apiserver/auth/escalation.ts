/** A user cannot grant what they do not have. Source: kubernetes.io, RBAC, Privilege escalation prevention and bootstrapping. */
import { equalJson } from '@turnsole/kube/text/json';
import type { Store } from '../../store/index.ts';
import { forbidden, notFound } from '../http/status.ts';
import { MASTERS_GROUP } from '../http/user.ts';
import { asJson, asString } from '../object.ts';
import type { AdmissionAttempt } from '../registry/environment.ts';
import { attributesFor } from './attributes.ts';
import { type RbacAuthorizer, referredRules } from './rbac.ts';
import { compactRules, formatRule, rulesOf, uncovered } from './rule.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Refuses writes of roles and bindings that would give away more than the writer holds. Throws Forbidden. */
export function checkEscalation(attempt: AdmissionAttempt, authorizer: RbacAuthorizer, store: Store): void {
  const { definition, object, old, context, namespace, name } = attempt;
  if (definition.group !== GROUP || object === undefined || attempt.operation === 'delete') return;
  const { user } = context;
  if (user.groups.includes(MASTERS_GROUP)) return;
  const isBinding = definition.plural.endsWith('bindings');
  const ref = asJson(object.roleRef);
  if (isBinding && old !== undefined && equalJson(old.subjects, object.subjects)) return;
  if (!isBinding && old !== undefined && equalJson(old.rules, object.rules)) return;
  const roles = ref.kind === 'Role' ? 'roles' : 'clusterroles';
  const may = isBinding
    ? attributesFor('bind', { group: GROUP, plural: roles }, namespace, asString(ref.name))
    : attributesFor('escalate', definition, namespace, name);
  if (authorizer.authorize(user, may).allowed) return;
  const wanted = isBinding ? referredRules(store, ref, namespace) : rulesOf(object);
  // It is the binding that is not there, says the real server.
  if (wanted === undefined) throw notFound(definition, asString(ref.name));
  const gained = uncovered(authorizer.rulesFor(user, namespace), wanted);
  if (gained.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  throw forbidden(
    definition,
    name,
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${compactRules(gained).map(formatRule).sort().join('\n')}`,
  );
}
