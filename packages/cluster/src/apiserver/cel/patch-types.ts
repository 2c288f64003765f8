/** Values of the types that patches are made of; see patch-literals.ts. */
import { type Environment, Optional } from '@marcbachmann/cel-js';

/** The function that literals become. */
export const MAKE = 'makeTyped';

const typeNames = new WeakMap<object, string>();

/** The type of an object that a literal has made; undefined for others. */
export function typeNameOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? typeNames.get(value) : undefined;
}

/** Adds the function that literals become. */
export function addPatchTypes(environment: Environment): void {
  environment.registerFunction(`${MAKE}(string, list): dyn`, makeTyped);
}

/** Fields and values in turn; those with a question mark are left out where their value is none. */
function makeTyped(name: string, parts: readonly unknown[]): ReadonlyMap<string, unknown> {
  const made = new Map<string, unknown>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [field, value] = [String(parts[index]), parts[index + 1]];
    if (!field.startsWith('?')) made.set(field, value);
    else if (value instanceof Optional && value.hasValue()) made.set(field.slice(1), value.value());
  }
  typeNames.set(made, name);
  return made;
}
