/** Changes one write by the admission policies that are bound. Source: kubernetes.io, Mutating Admission Policy. */
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Patch } from '../../cel/index.ts';
import { loadCel } from '../../cel/lazy.ts';
import { forbidden, StatusError } from '../../http/status.ts';
import { type ApiObject, isJson } from '../../object.ts';
import type { Shape } from '../../patch/apply/shape.ts';
import { mergeTyped } from '../../patch/apply/typed.ts';
import { applyJsonPatch, FailedTestError } from '../../patch/json-patch.ts';
import type { ServerParts } from '../../registry/environment.ts';
import { shapeOfServed } from '../../registry/ownership.ts';
import type { ServedKind } from '../../registry/registry.ts';
import { decodeAs, toKind } from '../../request/admit-body.ts';
import type { Surroundings } from '../webhooks/match.ts';
import { acceptChange, type Mutator } from '../webhooks/mutator.ts';
import { inForm, type Subject } from '../webhooks/subject.ts';
import { type MutatingPolicy, mutatingPolicies } from './configured.ts';
import { type Misconfiguration, type Question, questionsOf, reviewedBy } from './questions.ts';

/** The policies that may change a write, in the order in which they do. */
export function mutatorsOfPolicies(
  env: ServerParts,
  subject: Subject,
  around: Surroundings,
): readonly Mutator[] {
  return questionsOf(env, mutatingPolicies(env.store), subject, around).map((question) => ({
    isReinvoked: question.policy.isReinvoked,
    change: async (object) => {
      if (!('kind' in question)) throw refusal(question, subject);
      return object === undefined ? undefined : mutated(env, question, { ...subject, object }, object);
    },
  }));
}

/** What the mutations leave of an object, each of what the one before left; where the policy may fail, without those that did. */
async function mutated(
  env: ServerParts,
  question: Question<MutatingPolicy>,
  subject: Subject,
  before: ApiObject,
): Promise<ApiObject> {
  const cel = await loadCel();
  const { policy, binding, kind } = question;
  const orRefused = <T>(attempt: () => T, otherwise: T): T => {
    try {
      return attempt();
    } catch (error) {
      if (error instanceof StatusError) throw error;
      if (policy.mayFail) return otherwise;
      throw refusal({ policy, binding, message: messageOf(error) }, subject);
    }
  };
  const isMeant = (): boolean => cel.holdsFor(policy.conditions, reviewedBy(env, question, subject));
  if (!orRefused(isMeant, false)) return before;
  return policy.mutations.reduce(
    (object, mutation) =>
      orRefused(() => {
        const patch = cel.patchOf(policy, mutation, reviewedBy(env, question, { ...subject, object }));
        const form = inForm(object, subject.kind, kind);
        return acceptChange(subject, object, inForm(patched(form, patch, kind), kind, subject.kind));
      }, object),
    before,
  );
}

/** @throws Error that says what is wrong with the patch */
function patched(object: ApiObject, patch: Patch, kind: ServedKind): ApiObject {
  if (patch.type === 'ApplyConfiguration') {
    const shape = shapeOfServed(kind);
    const atomics = [...atomicsOf(patch.configuration, shape, '')];
    if (atomics.length > 0) {
      const where = atomics.join(', ');
      throw new Error(
        `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${where}`,
      );
    }
    const { object: merged, unknown } = decodeAs(kind, mergeTyped(object, patch.configuration, shape));
    if (unknown.length === 0) return merged;
    const mistakes = unknown.map((path) => `.${path}: field not declared in schema`).join('\n');
    throw new Error(
      `error applying patch: failed to convert patch object to typed object: errors:\n${mistakes}`,
    );
  }
  try {
    return toKind(kind, applyJsonPatch(object, patch.operations), 'Ignore', []);
  } catch (error) {
    // What a test says no to is left as it is.
    if (error instanceof FailedTestError) return object;
    throw new Error(`JSON Patch: ${messageOf(error)}`, { cause: error });
  }
}

/** Paths of what is owned as a whole, of which a configuration cannot set a part. */
function* atomicsOf(value: unknown, shape: Shape, path: string): Generator<string> {
  if (shape.kind === 'leaf' || shape.kind === 'set') {
    if (shape.kind === 'leaf' && (isJson(value) || Array.isArray(value))) yield path;
    return;
  }
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) yield* atomicsOf(item, shape.of, `${path}[${index}]`);
    return;
  }
  if (!isJson(value)) return;
  for (const [field, inner] of Object.entries(value)) {
    const of = shape.kind === 'map' ? shape.of : shape.field(field);
    if (of !== undefined) yield* atomicsOf(inner, of, `${path}.${field}`);
  }
}

function refusal(
  { policy, binding, message }: Misconfiguration<MutatingPolicy>,
  subject: Subject,
): StatusError {
  const by =
    binding === undefined
      ? `policy "${policy.name}"`
      : `policy '${policy.name}' with binding '${binding.name}'`;
  const why = `${by} denied request: ${message}`;
  const { code, details } = forbidden(subject.kind.definition, subject.name, why, [{ message: why }]);
  return new StatusError(code, 'Invalid', why, details);
}
