/**
 * The object without members that are 0, except those named: Kubernetes leaves out zero counts of most status fields, and
 * clients compare.
 */
export function omitZero<T extends object>(object: T, ...keep: readonly (keyof T)[]): T {
  const entries = Object.entries(object).filter(
    // The keys of entries are the object's own keys; TypeScript types them as plain strings.
    ([key, value]) => value !== undefined && (value !== 0 || keep.includes(key as keyof T)),
  );
  // Only members whose absence means the same were left out.
  return Object.fromEntries(entries) as T;
}
