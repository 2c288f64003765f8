import type { PolicyRule } from '../../api/core.ts';

/** Rules that grant the same, each resource once with all its verbs, and resources of one group with the same verbs together. Pure. */
export function mergeRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { apiGroups = [''], resources = [], verbs = [] } of rules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        const key = `${group}/${resource}`;
        verbsOf.set(key, new Set([...(verbsOf.get(key) ?? []), ...verbs]));
      }
    }
  }
  const merged = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const [key, set] of [...verbsOf].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const at = key.indexOf('/');
    const [group, resource, verbs] = [key.slice(0, at), key.slice(at + 1), [...set].toSorted()];
    const together = `${group} ${verbs.join()}`;
    const rule = merged.get(together) ?? { apiGroups: [group], resources: [], verbs };
    rule.resources.push(resource);
    merged.set(together, rule);
  }
  return [...merged.values()];
}
