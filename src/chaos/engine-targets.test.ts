import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngineSpec } from '../api/schema/engine.ts';
import { targetsOfEngine } from './engine-targets.ts';

const TABLE: readonly [name: string, spec: Partial<ChaosEngineSpec>, expected: string][] = [
  ['nothing', {}, ''],
  [
    'appinfo with empty fields, as in the charts: the namespace of the engine',
    { appinfo: { appns: '', applabel: '', appkind: '' } },
    'KIND:chaos:[]',
  ],
  [
    'appinfo',
    { appinfo: { appns: 'shop', applabel: 'app=web', appkind: 'deployment' } },
    'deployment:shop:[app=web]',
  ],
  [
    'appinfo in the namespace of the engine',
    { appinfo: { applabel: 'app=web', appkind: 'statefulset' } },
    'statefulset:chaos:[app=web]',
  ],
  ['appinfo with a namespace only', { appinfo: { appns: 'shop' } }, 'KIND:shop:[]'],
  [
    'workloads by names and by labels; names win',
    {
      selectors: {
        workloads: [
          { kind: 'deployment', namespace: 'a', names: 'web,api', labels: 'app=x' },
          { kind: 'daemonset', namespace: 'b', labels: 'app=log' },
        ],
      },
    },
    'deployment:a:[web,api];daemonset:b:[app=log]',
  ],
  [
    'pods',
    {
      selectors: {
        pods: [
          { namespace: 'a', names: 'p1,p2' },
          { namespace: 'b', names: 'p3' },
        ],
      },
    },
    'pod:a:[p1,p2];pod:b:[p3]',
  ],
  [
    'workloads and pods together; selectors win over appinfo',
    {
      appinfo: { appns: 'z', applabel: 'z=z', appkind: 'deployment' },
      selectors: {
        workloads: [{ kind: 'rollout', namespace: 'a', names: 'r' }],
        pods: [{ namespace: 'b', names: 'p' }],
      },
    },
    'rollout:a:[r];pod:b:[p]',
  ],
];

for (const [name, spec, expected] of TABLE) {
  test(`targets: ${name}`, () => {
    const engine = { metadata: { name: 'e', namespace: 'chaos' }, spec: { experiments: [], ...spec } };
    assert.equal(targetsOfEngine(engine), expected);
  });
}
