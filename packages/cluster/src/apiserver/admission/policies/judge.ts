/** Judges one write by the admission policies that are bound. Source: kubernetes.io, Validating Admission Policy. */
import { matchesLabels } from '@turnsole/kube/text/label-selector';
import { loadCel } from '../../cel/lazy.ts';
import { forbidden, StatusError } from '../../http/status.ts';
import { type ApiObject, asJson } from '../../object.ts';
import { serve } from '../../registry/encode.ts';
import type { ServerParts } from '../../registry/environment.ts';
import type { ServedKind } from '../../registry/registry.ts';
import { objectOf } from '../../stored-object.ts';
import { matchesRule, matchSelection, type Surroundings } from '../webhooks/match.ts';
import { requestOf } from '../webhooks/review.ts';
import type { Subject } from '../webhooks/subject.ts';
import { type Binding, boundPolicies, type Constraints, type Policy } from './configured.ts';

/** What a policy has against a write. */
interface Denial {
  readonly policy: Policy;
  /** Absent when the policy itself is wrong. */
  readonly binding?: Binding;
  readonly message: string;
  readonly reason?: string;
}

/** Something about a policy or binding that keeps it from being asked; the message says what. */
class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * Asks all policies, and adds the warnings of those that only warn to the subject's.
 *
 * @throws StatusError of the first that denies the write
 */
export async function judgeByPolicies(
  env: ServerParts,
  subject: Subject,
  around: Surroundings,
): Promise<void> {
  const asked = boundPolicies(env.store).flatMap((bound) => {
    const kind = matchConstraints(bound.policy.constraints, subject, around);
    return kind === undefined ? [] : [{ ...bound, kind }];
  });
  if (asked.length === 0) return;
  const denials: Denial[] = [];
  for (const { policy, bindings, kind } of asked) {
    denials.push(...(await denialsOfPolicy(env, policy, bindings, subject, around, kind)));
  }
  const [first] = denials;
  if (first !== undefined) throw refusal(first, subject);
}

async function denialsOfPolicy(
  env: ServerParts,
  policy: Policy,
  bindings: readonly Binding[],
  subject: Subject,
  around: Surroundings,
  kind: ServedKind,
): Promise<Denial[]> {
  const cel = await loadCel();
  const paramKind = servedParamKind(env, policy);
  if (paramKind === 'absent') {
    const { apiVersion = '', kind: wanted = '' } = policy.paramKind ?? {};
    const message = `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${wanted}'`;
    return policy.mayFail ? [] : [{ policy, message }];
  }
  const request = asJson(requestOf(subject, kind, env.uid()));
  const { object, oldObject, ...facts } = request;
  const reviewed = { object, oldObject, request: facts, namespaceObject: namespaceOf(env, subject) };
  return bindings.flatMap((binding) => {
    const { constraints } = binding;
    if (constraints !== undefined && matchConstraints(constraints, subject, around) === undefined) return [];
    try {
      const params = paramsOf(env, paramKind, binding, subject);
      const found = params.flatMap((param) =>
        cel.denialsOf(policy, paramKind === undefined ? reviewed : { ...reviewed, params: param }),
      );
      return found
        .filter(({ isError }) => !(isError && policy.mayFail))
        .flatMap((denial) => carriedOut({ ...denial, policy, binding }, subject));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const message = `failed to configure binding: ${error.message}`;
      return policy.mayFail ? [] : [{ policy, binding, message }];
    }
  });
}

/** What the binding's actions make of a denial; audits have no log here to go to. */
function carriedOut(denial: Denial & { readonly binding: Binding }, { context }: Subject): Denial[] {
  const { policy, binding, message } = denial;
  if (binding.actions.includes('Warn')) {
    context.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
    );
  }
  return binding.actions.includes('Deny') ? [denial] : [];
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

const INVALID = 422;
const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: INVALID,
};

function refusal({ policy, binding, message, reason }: Denial, subject: Subject): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy.name}'${binding === undefined ? '' : ` with binding '${binding.name}'`}`;
  const why = `${by} denied request: ${message}`;
  const word = reason || 'Invalid';
  const { message: text, details } = forbidden(subject.kind.definition, subject.name, why, [
    { message: why },
  ]);
  return new StatusError(CODES[word] ?? INVALID, word, text, details);
}
