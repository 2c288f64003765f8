import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { faultRules, type InstalledFault } from '../fault-objects.ts';
import { mergeRules } from '../merge-rules.ts';

/** What all faults together take: in the namespace of their engines, and in the whole cluster. */
export interface FaultRights {
  readonly local: readonly PolicyRule[];
  readonly cluster: readonly PolicyRule[];
}

/** The rights of all faults as few rules. Pure. @param scope of the infrastructure whose workflows use them */
export function allFaultRights(
  faults: readonly InstalledFault[],
  scope: 'namespace' | 'cluster',
): FaultRights {
  const rules = faults.map((fault) => faultRules(fault, scope === 'cluster' ? 'cluster' : 'namespaced'));
  return {
    local: mergeRules(rules.flatMap(({ local }) => local)),
    cluster: scope === 'cluster' ? mergeRules(rules.flatMap(({ cluster }) => cluster)) : [],
  };
}
