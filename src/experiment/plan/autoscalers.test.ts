import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InjectionTarget } from '../../api/index.ts';
import { type Autoscaler, findAutoscalers } from './autoscalers.ts';

const target = (kind: string, name: string, namespace = 'shop'): InjectionTarget => ({
  kind,
  namespace,
  name,
});
const autoscaler = (kind: string, name: string, namespace = 'shop', apiVersion = 'apps/v1'): Autoscaler => ({
  metadata: { name: 'h', namespace },
  spec: { scaleTargetRef: { apiVersion, kind, name } },
});

test('an autoscaler of a target is found by kind, name and namespace', () => {
  const web = target('deployment', 'web');
  const table: readonly (readonly [string, InjectionTarget, Autoscaler, boolean])[] = [
    ['its own', web, autoscaler('Deployment', 'web'), true],
    ['a stateful set’s', target('statefulset', 'db'), autoscaler('StatefulSet', 'db'), true],
    ['another kind', web, autoscaler('StatefulSet', 'web'), false],
    ['another name', web, autoscaler('Deployment', 'api'), false],
    ['another namespace', web, autoscaler('Deployment', 'web', 'other'), false],
    ['another group', web, autoscaler('Deployment', 'web', 'shop', 'example.com/v1'), false],
    ['a pod is no matter of replicas', target('pod', 'web'), autoscaler('Deployment', 'web'), false],
  ];
  for (const [name, hit, one, isFound] of table) {
    const conflict = { kind: 'autoscaled', autoscaler: 'shop/h', object: `${hit.kind}/shop/${hit.name}` };
    assert.deepEqual(findAutoscalers([hit], [one]), isFound ? [conflict] : [], name);
  }
});
