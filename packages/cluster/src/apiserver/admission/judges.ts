/** Judges of kinds whose rules are not this server's own, such as custom resources of its cluster. */
import type { Resource } from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { invalid } from '../http/status.ts';
import type { ApiObject } from '../object.ts';
import type { AdmissionAttempt } from '../registry/environment.ts';

/** Problems of a write of an object; empty when it is as it should be. Must change nothing. */
export type Judge = (object: ApiObject, old: ApiObject | undefined) => readonly FieldError[];

export class Judges {
  readonly #byKind = new Map<string, Judge>();

  add({ group, plural }: Pick<Resource, 'group' | 'plural'>, judge: Judge): void {
    this.#byKind.set(`${group}/${plural}`, judge);
  }

  /** Judges creations and changes, not those of parts such as the status. Throws Invalid. */
  review({ definition, subresource, object, old, name }: AdmissionAttempt): void {
    if (subresource !== '' || object === undefined) return;
    const judge = this.#byKind.get(`${definition.group}/${definition.plural}`);
    const problems = judge?.(object, old) ?? [];
    if (problems.length > 0) throw invalid(definition.group, definition.kind, name, problems);
  }
}
