/** What may change a write before it is judged: policies, then webhooks. */
import type { ApiObject } from '../../object.ts';
import { toStored } from '../../registry/create.ts';
import { serve } from '../../registry/encode.ts';
import type { Subject } from './subject.ts';

export interface Mutator {
  /** Whether it is asked once more where a later one has changed the object. */
  readonly isReinvoked: boolean;
  /**
   * What it makes of the object, which is undefined for deletions.
   *
   * @throws StatusError where it refuses the write, or fails and may not
   */
  change(object: ApiObject | undefined): Promise<ApiObject | undefined>;
}

/** What all of them leave, one after the other. */
export async function changeInTurn(
  mutators: readonly Mutator[],
  before: ApiObject | undefined,
): Promise<ApiObject | undefined> {
  let object = before;
  const left = new Map<Mutator, string>();
  const change = async (mutator: Mutator): Promise<void> => {
    object = await mutator.change(object);
    left.set(mutator, JSON.stringify(object));
  };
  for (const mutator of mutators) await change(mutator);
  for (const mutator of mutators) {
    if (mutator.isReinvoked && left.get(mutator) !== JSON.stringify(object)) await change(mutator);
  }
  return object;
}

/**
 * The object as a change has left it, with the defaults of what was added: the next one, and the validation, get it as from a client.
 *
 * @throws Error where it is another object now
 */
export function acceptChange(subject: Subject, before: ApiObject, after: ApiObject): ApiObject {
  // A new object may still get its name.
  const fixed = subject.operation === 'CREATE' ? [] : (['name', 'namespace', 'uid'] as const);
  for (const field of fixed) {
    if (after.metadata[field] === before.metadata[field]) continue;
    throw new Error(`its patch changes metadata.${field}, which tells the object from others`);
  }
  return withDefaults(subject, after);
}

function withDefaults({ kind, objectKind }: Subject, object: ApiObject): ApiObject {
  const { applyDefaults } = kind.definition.rules;
  // The body of an action is of another kind.
  if (applyDefaults === undefined || objectKind !== undefined) return object;
  const stored = toStored(kind, object);
  applyDefaults(stored);
  return serve(kind, stored);
}
