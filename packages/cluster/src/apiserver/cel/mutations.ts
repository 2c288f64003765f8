/** The patches of a MutatingAdmissionPolicy for one request. Source: kubernetes.io, Mutating Admission Policy. */
import { runWithin } from '@turnsole/kube/text/watchdog';
import type { Json } from '../object.ts';
import { CelError } from './environment.ts';
import type { MatchCondition } from './match-conditions.ts';
import { withPatchTypes } from './patch-literals.ts';
import { typeNameOf } from './patch-types.ts';
import { POLICY_MS, type Variable, valuesOf } from './policies.ts';
import { programOf } from './programs.ts';
import { toJson } from './types.ts';

type PatchType = 'ApplyConfiguration' | 'JSONPatch';

export interface Mutation {
  readonly type: PatchType;
  readonly expression: string;
}

/** What a policy makes of requests. */
export interface MutationExpressions {
  readonly conditions: readonly MatchCondition[];
  readonly variables: readonly Variable[];
  readonly mutations: readonly Mutation[];
}

/** What an expression gave, as JSON. */
export type Patch =
  | { readonly type: 'ApplyConfiguration'; readonly configuration: Json }
  | { readonly type: 'JSONPatch'; readonly operations: readonly Json[] };

/**
 * The patch of one of a policy's mutations.
 *
 * @param reviewed JSON values by name, as for the policies that judge; `object` as the mutations before left it
 * @throws CelError also when what it gives is no patch
 */
export function patchOf(
  { variables }: MutationExpressions,
  { type, expression }: Mutation,
  reviewed: Readonly<Record<string, unknown>>,
): Patch {
  return runWithin(POLICY_MS, () => {
    const names = [...Object.keys(reviewed), 'variables'];
    const run = (text: string, values: Readonly<Record<string, unknown>>): unknown =>
      programOf(withPatchTypes(text), names).run(values);
    const result = run(expression, valuesOf(variables, reviewed, run));
    return type === 'JSONPatch' ? jsonPatch(result) : configuration(result);
  });
}

function configuration(result: unknown): Patch {
  if (typeNameOf(result) !== 'Object') throw new CelError('must evaluate to Object');
  const [mistake] = [...typeMistakes(result, 'Object')];
  if (mistake !== undefined) throw new CelError(`type mismatch: ${mistake}`);
  // A literal gives an object.
  return { type: 'ApplyConfiguration', configuration: toJson(result) as Json };
}

function jsonPatch(result: unknown): Patch {
  if (!Array.isArray(result) || result.some((item) => typeNameOf(item) !== 'JSONPatch'))
    throw new CelError('must evaluate to list(JSONPatch)');
  return { type: 'JSONPatch', operations: result.map((item) => toJson(item) as Json) };
}

/** A literal below a field is of the type that has the field's path for its name; lists and maps between them do not count. */
function* typeMistakes(value: unknown, path: string): Generator<string> {
  const name = typeNameOf(value);
  if (name !== undefined && name !== path)
    yield `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`;
  if (Array.isArray(value)) for (const item of value) yield* typeMistakes(item, path);
  if (value instanceof Map) {
    for (const [field, inner] of value)
      yield* typeMistakes(inner, name === undefined ? path : `${path}.${String(field)}`);
  }
}
