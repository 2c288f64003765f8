import type { PolicyRule } from '@turnsole/kube/kinds/core';

/**
 * The same permissions in few rules that are easy to read: one verb list per resource, resources with the same verbs together.
 * Pure; the order does not depend on that of the input.
 */
export function mergeRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { apiGroups = [''], resources = [], resourceNames = [], verbs } of rules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        const key = JSON.stringify([group, resource, [...resourceNames].sort()]);
        const present = verbsOf.get(key) ?? new Set();
        for (const verb of verbs) present.add(verb);
        verbsOf.set(key, present);
      }
    }
  }
  const merged = new Map<string, PolicyRule & { resources: string[] }>();
  for (const key of [...verbsOf.keys()].sort()) {
    // Written by this function a few lines above.
    const [group, resource, names] = JSON.parse(key) as [string, string, string[]];
    const verbs = [...(verbsOf.get(key) ?? [])].sort();
    const id = JSON.stringify([group, verbs, names]);
    const present = merged.get(id);
    if (present !== undefined) present.resources.push(resource);
    else {
      const named = names.length === 0 ? {} : { resourceNames: names };
      merged.set(id, { apiGroups: [group], resources: [resource], ...named, verbs });
    }
  }
  return [...merged.values()];
}
