import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { loadedCel } from '../cel/lazy.ts';
import type { SchemaRules } from '../cel/rules.ts';
import { isJson } from '../object.ts';

const FOUND = new WeakMap<object, boolean>();
const COMPILED = new WeakMap<object, SchemaRules>();

/** Whether a schema has rules anywhere. */
export function hasRules(schema: StructuralSchema): boolean {
  const known = FOUND.get(schema);
  if (known !== undefined) return known;
  const found = holdsRules(schema);
  FOUND.set(schema, found);
  return found;
}

function holdsRules(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsRules);
  if (!isJson(value)) return false;
  return Object.entries(value).some(
    ([key, child]) => key === 'x-kubernetes-validations' || holdsRules(child),
  );
}

/** The compiled rules of a schema; undefined before what compiles them is loaded. */
export function rulesOf(schema: StructuralSchema): SchemaRules | undefined {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  const cel = loadedCel();
  if (cel === undefined) return undefined;
  const rules = new cel.SchemaRules(schema);
  COMPILED.set(schema, rules);
  return rules;
}
