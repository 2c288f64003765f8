import { isObject } from '@turnsole/kube/text/json';

/** Empty objects that Argo's own types and other programs write where they mean "not there". */
const EMPTY_MEANS_ABSENT: ReadonlySet<string> = new Set([
  'inputs',
  'outputs',
  'metadata',
  'arguments',
  'resources',
]);

/** Copies an object without null fields and without empty placeholders. An object in a list stays, even if nothing is left in it. */
export function withoutPlaceholders(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => value !== null && !isPlaceholder(key, value)),
  );
}

function isPlaceholder(key: string, value: unknown): boolean {
  return (
    EMPTY_MEANS_ABSENT.has(key) && isObject(value) && Object.values(value).every((inner) => inner === null)
  );
}
