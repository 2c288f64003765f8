/** Keeps the rules of aggregated cluster roles equal to the union of the roles they select. */

import type { LabelSelector } from '@turnsole/kube/kinds/core';
import { equalJson } from '@turnsole/kube/text/json';
import { compileLabelSelector, matchesLabels } from '@turnsole/kube/text/label-selector';
import { asJson, asObjects, type Json } from '../object.ts';
import { afterCommits } from '../registry/after-commits.ts';
import type { ServerParts } from '../registry/environment.ts';
import { SERVER_CONTEXT } from '../registry/server-context.ts';
import { updateObject } from '../registry/update.ts';
import { objectOf } from '../stored-object.ts';

const TABLE = 'clusterroles.rbac.authorization.k8s.io';

/** Starts keeping them; `aggregate` is run at once and after each change of a cluster role. */
export function startAggregation(env: ServerParts): void {
  env.store.observe(
    TABLE,
    afterCommits(() => aggregate(env)),
  );
  aggregate(env);
}

/** Brings every aggregated role up to date. Roles may build on each other, so it goes on until nothing changes. */
function aggregate(env: ServerParts): void {
  const kind = env.kinds.find('rbac.authorization.k8s.io', 'v1', 'clusterroles');
  if (kind === undefined) return;
  // Each round settles one more level; a cycle settles too, because rules only ever join.
  for (let round = 0; round < 10; round += 1) {
    let isChanged = false;
    for (const version of [...env.store.values(TABLE)]) {
      const role = objectOf(version);
      const selectors = asObjects(asJson(role.aggregationRule).clusterRoleSelectors);
      if (selectors.length === 0) continue;
      const rules = selectedRules(env, version.name, selectors);
      const wanted = rules.length === 0 ? null : rules;
      if (equalJson(wanted, role.rules ?? null)) continue;
      isChanged = true;
      updateObject(env, {
        kind,
        namespace: '',
        name: version.name,
        subresource: '',
        produce: (current) => ({ ...current, metadata: { ...current.metadata }, rules: wanted }),
        context: SERVER_CONTEXT,
      });
    }
    if (!isChanged) return;
  }
}

function selectedRules(env: ServerParts, own: string, selectors: readonly Json[]): Json[] {
  const rules: Json[] = [];
  for (const selector of selectors) {
    // Decoded with the type of a LabelSelector.
    const compiled = compileLabelSelector(selector as LabelSelector) ?? [];
    for (const version of env.store.list(TABLE).versions) {
      const role = objectOf(version);
      if (version.name === own || !matchesLabels(compiled, role.metadata.labels)) continue;
      for (const rule of asObjects(role.rules))
        if (!rules.some((known) => equalJson(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
