/**
 * Whether two JSON values say the same: key order does not matter, and an absent or null member equals an empty list or
 * text-less one, because servers and clients drop them (Kubernetes' Semantic.DeepEqual does the same for lists and maps
 * of strings). An empty object is something (`emptyDir: {}`), so it differs from an absent one.
 */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right);
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalJson(item, right[index]))
    );
  }
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  // Both are objects and not null (isNothing covers null): a JSON object is a record of its members.
  const one = left as Record<string, unknown>;
  const two = right as Record<string, unknown>;
  for (const key of Object.keys(one)) if (!equalJson(one[key], two[key])) return false;
  for (const key of Object.keys(two)) if (!(key in one) && !isNothing(two[key])) return false;
  return true;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
