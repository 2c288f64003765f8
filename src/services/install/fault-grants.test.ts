import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { RUNNER_NEEDS } from '../../chaos/permissions/runner.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { type NeededPermission, permissionsOf } from '../../experiment/plan/permissions.ts';
import { faultRegistry } from '../../faults/index.ts';
import { faultRules } from './fault-objects.ts';

const KINDS = [
  'deployment',
  'statefulset',
  'daemonset',
  'rollout',
  'deploymentconfig',
  'replicationcontroller',
  'pod',
];

/** Settings that lead to different requests, in a namespace. */
function runsIn(namespace: string): readonly Record<string, string>[] {
  const applications = KINDS.flatMap((kind) => [
    `${kind}:${namespace}:[app=web]`,
    `${kind}:${namespace}:[web,api]`,
  ]);
  return [
    {},
    { TARGET_PODS: 'web-1' },
    ...applications.flatMap((TARGETS): Record<string, string>[] => [
      { TARGETS },
      { TARGETS, ANNOTATION_CHECK: 'true' },
      { TARGETS, AUXILIARY_APPINFO: `${namespace}:app=other` },
      { TARGETS, DEFAULT_HEALTH_CHECK: 'false' },
    ]),
  ];
}

function allows(rules: readonly PolicyRule[], { group, resource, verb }: NeededPermission): boolean {
  return rules.some(
    ({ apiGroups = [], resources = [], verbs }) =>
      apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
  );
}

for (const [scope, namespace] of [
  ['namespaced', 'shop'],
  ['cluster', 'bank'],
] as const) {
  test(`an account made for a fault may do all that a run of it asks (${scope})`, async () => {
    for (const [name, load] of faultRegistry) {
      const fault = await load();
      // `install` says that these faults are left out of a namespaced installation (left-out.test.ts).
      if (fault.everywhere === true && scope === 'namespaced') continue;
      const { local, cluster } = faultRules(fault, scope);
      for (const env of runsIn(namespace)) {
        const { settings } = compileSettings(fault, { ...env, CHAOS_NAMESPACE: 'shop' }, () => 0);
        const missing = permissionsOf(fault, settings, RUNNER_NEEDS).filter(
          (one) => !allows(one.namespace === 'shop' ? [...local, ...cluster] : cluster, one),
        );
        assert.deepEqual(missing, [], `${name} with ${JSON.stringify(env)}`);
      }
    }
  });
}
