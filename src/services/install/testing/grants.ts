import type { PolicyRule } from '@turnsole/kube/kinds/core';

/** What rules grant, each right as a line `group resource verb names…`, once and sorted. Pure. */
export function grants(list: readonly PolicyRule[]): string[] {
  const all = list.flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => [group, resource, verb, ...[...resourceNames].sort()].join(' ')),
      ),
    ),
  );
  return [...new Set(all)].sort();
}
