import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { PODS, REPLICA_SETS, type Resource } from '@turnsole/kube/kinds/resources';
import { compile, owned, pod, randomOf } from '../injection/testing/builders.ts';
import { resolveTargets } from './resolve-targets.ts';

const AGREES = { 'litmuschaos.io/chaos': 'true' };

function withAnnotations<T extends KubeObject>(object: T, annotations: Record<string, string>): T {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const PODS_THERE: readonly Pod[] = [
  pod('web-1', { owner: 'ReplicaSet/web-x' }),
  pod('api-1', { owner: 'ReplicaSet/api-x' }),
  // The annotation of a pod does not speak for its workload.
  withAnnotations(pod('db-0', { owner: 'StatefulSet/db' }), AGREES),
  withAnnotations(pod('lone-1', { owner: 'ReplicaSet/lone' }), {}),
  withAnnotations(pod('bare'), AGREES),
  pod('bare-2'),
  withAnnotations(pod('job-1', { owner: 'Job/once' }), AGREES),
  pod('orphan', { owner: 'DaemonSet/gone' }),
];
const REPLICA_SETS_THERE = [
  owned('web-x', 'Deployment/web'),
  owned('api-x', 'Deployment/api'),
  withAnnotations(owned('lone', undefined), AGREES),
];
const WORKLOADS: readonly KubeObject[] = [
  withAnnotations(owned('web', undefined), AGREES),
  withAnnotations(owned('api', undefined), { 'litmuschaos.io/chaos': 'false', team: 'a' }),
  owned('db', undefined),
];

/** As much of a client as target selection uses; `reads` are the workloads that were asked for. */
function clientWith(reads: string[], forbidden = false, pods = PODS_THERE): KubeClient {
  const part = {
    list: (resource: Resource) => {
      const items =
        resource === PODS ? pods : resource === REPLICA_SETS ? REPLICA_SETS_THERE : ([] as KubeObject[]);
      return Promise.resolve({ items, metadata: {} });
    },
    find: (resource: Resource, name: string) => {
      reads.push(`${resource.plural}/${name}`);
      if (forbidden) return Promise.reject(new ApiError('GET', 403, { code: 403, reason: 'Forbidden' }));
      return Promise.resolve(WORKLOADS.find(({ metadata }) => metadata.name === name));
    },
  };
  // The rest is never called, and what is asked for decides on the types.
  return part as unknown as KubeClient;
}

async function resolve(
  env: Record<string, string>,
  client: KubeClient = clientWith([]),
): Promise<readonly string[]> {
  const { settings } = compile({ ANNOTATION_CHECK: 'true', PODS_AFFECTED_PERC: '100', ...env });
  const { signal } = new AbortController();
  const found = await resolveTargets({
    client,
    fault: { targets: 'pods' },
    settings,
    clock: systemClock,
    random: randomOf(0),
    signal,
  });
  return found.map(({ name }) => name);
}

test('annotation check: which pods are left', async (t) => {
  const cases: [string, Record<string, string>, readonly string[]][] = [
    [
      'a namespace: who agrees, by workload, or bare',
      { TARGETS: 'KIND:shop:[]' },
      ['web-1', 'lone-1', 'bare', 'job-1'],
    ],
    ['workloads of a kind', { TARGETS: 'deployment:shop:[tier=front]' }, ['web-1']],
    ['a workload by name', { TARGETS: 'deployment:shop:[web]' }, ['web-1']],
    ['a pod by name', { TARGETS: 'pod:shop:[web-1]' }, ['web-1']],
    ['TARGET_PODS', { TARGETS: 'KIND:shop:[]', TARGET_PODS: 'bare' }, ['bare']],
    [
      'an annotation and a value of its own',
      { TARGETS: 'KIND:shop:[]', ANNOTATION_KEY: 'team', ANNOTATION_VALUE: 'a' },
      ['api-1'],
    ],
    [
      'switched off',
      { TARGETS: 'deployment:shop:[tier=front]', ANNOTATION_CHECK: 'false' },
      ['web-1', 'api-1'],
    ],
  ];
  for (const [name, env, expected] of cases) {
    await t.test(name, async () => assert.deepEqual(await resolve(env), expected));
  }
});

test('annotation check: who does not agree is refused, with the annotation and the workload', async (t) => {
  const asks = 'spec.annotationCheck asks for the annotation litmuschaos.io/chaos=true';
  const cases: [string, Record<string, string>, string][] = [
    [
      'a workload by name',
      { TARGETS: 'deployment:shop:[api]' },
      `deployment api in namespace shop cannot be a target: ${asks}`,
    ],
    ['a pod by name', { TARGETS: 'pod:shop:[db-0]' }, `pod shop/db-0 cannot be a target: ${asks}`],
    [
      'TARGET_PODS',
      { TARGETS: 'KIND:shop:[]', TARGET_PODS: 'bare-2' },
      `pod shop/bare-2 cannot be a target: ${asks}`,
    ],
    [
      'a workload that is gone',
      { TARGETS: 'pod:shop:[orphan]' },
      `pod shop/orphan cannot be a target: ${asks}`,
    ],
  ];
  for (const [name, env, message] of cases) {
    await t.test(name, () =>
      assert.rejects(resolve(env), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'TARGET_SELECTION_ERROR');
        assert.ok(error.message.startsWith(message), error.message);
        return true;
      }),
    );
  }
});

test('annotation check: when no matching workload agrees, it names them', async () => {
  const pods = PODS_THERE.filter(({ metadata }) => metadata.name === 'db-0' || metadata.name === 'api-1');
  await assert.rejects(resolve({ TARGETS: 'KIND:shop:[tier=back]' }, clientWith([], false, pods)), {
    message:
      'no pods found for KIND:shop:[tier=back]; spec.annotationCheck asks for the annotation litmuschaos.io/chaos=true, ' +
      'which its workload does not carry (found: deployment api, statefulset db); annotate it, or set annotationCheck to "false"',
  });
});

test('annotation check: each workload is read once, none without the check; who may not read says what to grant', async () => {
  const reads: string[] = [];
  await resolve({ TARGETS: 'KIND:shop:[];deployment:shop:[web]' }, clientWith(reads));
  assert.deepEqual(reads.sort(), [
    'daemonsets/gone',
    'deployments/api',
    'deployments/web',
    'statefulsets/db',
  ]);
  const none: string[] = [];
  await resolve({ TARGETS: 'KIND:shop:[]', ANNOTATION_CHECK: 'false' }, clientWith(none));
  assert.deepEqual(none, []);
  await assert.rejects(
    resolve({ TARGETS: 'deployment:shop:[web]' }, clientWith([], true)),
    /cannot see whether deployment web in namespace shop agrees to chaos .* may not get deployments; grant it/,
  );
});
