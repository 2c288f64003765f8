import type { PolicyRule } from '@turnsole/kube/kinds/core';

/**
 * The rights that one list of rules grants and another does not, one text for each resource: `create/get pods/exec`, `list
 * rollouts.argoproj.io`. Pure.
 */
export function lostRights(before: readonly PolicyRule[], after: readonly PolicyRule[]): string[] {
  const kept = new Set(rightsOf(after).map(keyOf));
  const lost = new Map<string, Set<string>>();
  for (const right of rightsOf(before)) {
    if (kept.has(keyOf(right)) || kept.has(keyOf({ ...right, name: '' }))) continue;
    const { group, resource, name, verb } = right;
    const text = `${resource}${group === '' ? '' : `.${group}`}${name === '' ? '' : ` ${name}`}`;
    lost.set(text, (lost.get(text) ?? new Set()).add(verb));
  }
  return [...lost].map(([text, verbs]) => `${[...verbs].sort().join('/')} ${text}`).sort();
}

interface Right {
  readonly group: string;
  readonly resource: string;
  /** Empty: of every object. */
  readonly name: string;
  readonly verb: string;
}

function keyOf({ group, resource, name, verb }: Right): string {
  return [group, resource, name, verb].join(' ');
}

function rightsOf(rules: readonly PolicyRule[]): Right[] {
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        (resourceNames.length === 0 ? [''] : resourceNames).flatMap((name) =>
          verbs.map((verb) => ({ group, resource, name, verb })),
        ),
      ),
    ),
  );
}
