/** Which policies are asked about a write, with what: the parts that are the same for those that judge and those that change. */
import { matchesLabels } from '@turnsole/kube/text/label-selector';
import { type ApiObject, asJson, type Json } from '../../object.ts';
import { serve } from '../../registry/encode.ts';
import type { ServerParts } from '../../registry/environment.ts';
import type { ServedKind } from '../../registry/registry.ts';
import { objectOf } from '../../stored-object.ts';
import { matchesRule, matchSelection, type Surroundings } from '../webhooks/match.ts';
import { requestOf } from '../webhooks/review.ts';
import type { Subject } from '../webhooks/subject.ts';
import type { Binding, Bound, Constraints, Policy } from './configured.ts';

/** A policy that is asked, with one binding and one parameter. */
export interface Question<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  /** The form in which the policy sees the object. */
  readonly kind: ServedKind;
  /** `null` where the binding names none; undefined where the policy has no parameters. */
  readonly param: ApiObject | null | undefined;
}

/** What keeps a policy from being asked. */
export interface Misconfiguration<P extends Policy> {
  readonly policy: P;
  /** Absent when the policy itself is wrong. */
  readonly binding?: Binding;
  readonly message: string;
}

/** Something about a policy or binding that keeps it from being asked; the message says what. */
class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** The policies that a write is about, in their order; of what cannot be asked only that which may not fail. */
export function questionsOf<P extends Policy>(
  env: ServerParts,
  policies: readonly Bound<P>[],
  subject: Subject,
  around: Surroundings,
): readonly (Question<P> | Misconfiguration<P>)[] {
  return policies.flatMap(({ policy, bindings }) => {
    const kind = matchConstraints(policy.constraints, subject, around);
    if (kind === undefined) return [];
    const found = questionsOfPolicy(env, policy, bindings, subject, around, kind);
    return policy.mayFail ? found.filter((one) => 'kind' in one) : found;
  });
}

function questionsOfPolicy<P extends Policy>(
  env: ServerParts,
  policy: P,
  bindings: readonly Binding[],
  subject: Subject,
  around: Surroundings,
  kind: ServedKind,
): readonly (Question<P> | Misconfiguration<P>)[] {
  const paramKind = servedParamKind(env, policy);
  if (paramKind === 'absent') {
    const { apiVersion = '', kind: wanted = '' } = policy.paramKind ?? {};
    const message = `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${wanted}'`;
    return [{ policy, message }];
  }
  return bindings.flatMap((binding): readonly (Question<P> | Misconfiguration<P>)[] => {
    const { constraints } = binding;
    if (constraints !== undefined && matchConstraints(constraints, subject, around) === undefined) return [];
    try {
      const params = paramsOf(env, paramKind, binding, subject);
      return params.map((param) => ({
        policy,
        binding,
        kind,
        param: paramKind === undefined ? undefined : param,
      }));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return [{ policy, binding, message: `failed to configure binding: ${error.message}` }];
    }
  });
}

/** What the expressions of a policy may use, by name. */
export function reviewedBy(
  env: ServerParts,
  { kind, param }: Question<Policy>,
  subject: Subject,
): Readonly<Record<string, unknown>> {
  const request: Json = asJson(requestOf(subject, kind, env.uid()));
  const { object, oldObject, ...facts } = request;
  const reviewed = { object, oldObject, request: facts, namespaceObject: namespaceOf(env, subject) };
  return param === undefined ? reviewed : { ...reviewed, params: param };
}

/** Rules absent from a binding mean all writes of its policy. */
function matchConstraints(
  constraints: Constraints,
  subject: Subject,
  around: Surroundings,
): ServedKind | undefined {
  const { excluded, isExact, rules } = constraints;
  const kinds = isExact ? [subject.kind] : around.equivalents;
  if (kinds.some((kind) => excluded.some((rule) => matchesRule(rule, kind, subject)))) return undefined;
  return matchSelection(rules.length > 0 ? constraints : { ...constraints, rules: [ANY] }, subject, around);
}

const ANY = {
  operations: ['*'],
  groups: ['*'],
  versions: ['*'],
  resources: ['*/*'],
  scope: '*',
  names: [],
} as const;

function servedParamKind(env: ServerParts, { paramKind }: Policy): ServedKind | 'absent' | undefined {
  if (paramKind === undefined) return undefined;
  const definition = env.kinds
    .definitions()
    .find(({ kind, group, versions }) =>
      versions.some(
        ({ name }) =>
          kind === paramKind.kind && paramKind.apiVersion === (group === '' ? name : `${group}/${name}`),
      ),
    );
  const version = paramKind.apiVersion.split('/').at(-1) ?? '';
  return (definition && env.kinds.find(definition.group, version, definition.plural)) ?? 'absent';
}

/**
 * The parameters with which a binding asks its policy; one that is `null` where it names none.
 *
 * @throws ConfigurationError
 */
function paramsOf(
  { store }: ServerParts,
  kind: ServedKind | undefined,
  { paramRef }: Binding,
  subject: Subject,
): readonly (ApiObject | null)[] {
  if (kind === undefined || paramRef === undefined) return [null];
  const { table, namespaced } = kind.definition;
  if (!namespaced && paramRef.namespace !== undefined)
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const namespace = namespaced ? (paramRef.namespace ?? subject.namespace) : '';
  if (namespaced && namespace === '')
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  const versions =
    paramRef.name === undefined
      ? [...store.values(table)].filter((version) => version.namespace === namespace)
      : [store.get(table, namespace, paramRef.name)];
  const found = versions
    .flatMap((version) => (version === undefined ? [] : [serve(kind, objectOf(version))]))
    .filter(({ metadata }) => matchesLabels(paramRef.selector, metadata.labels));
  if (found.length === 0 && !paramRef.mayLack)
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

/** The namespace that the object is in, as expressions may see it; `null` for a namespace itself and for what is in none. */
function namespaceOf({ store }: ServerParts, { kind, namespace }: Subject): ApiObject | null {
  if (namespace === '' || kind.definition.table === 'namespaces') return null;
  const version = store.get('namespaces', '', namespace);
  return version === undefined ? null : objectOf(version);
}
