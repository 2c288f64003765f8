import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosResult, InjectionTarget, LedgerEntry } from '../../api/index.ts';
import { findConflicts } from './conflicts.ts';

const target: InjectionTarget = {
  kind: 'pod',
  namespace: 'shop',
  name: 'web-1',
  uid: 'u1',
  node: 'n1',
  owner: { kind: 'deployment', name: 'web' },
};
const pod: Pod = { metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web', tier: 'front' } } };

function resultWith(entry: Partial<LedgerEntry>, engine = 'other'): ChaosResult {
  const whole: LedgerEntry = {
    id: 'e',
    fault: 'pod-network-loss',
    target,
    parameters: {},
    state: 'injected',
    ...entry,
  };
  return {
    metadata: { name: `${engine}-loss`, namespace: 'chaos' },
    spec: { engine, experiment: 'loss' },
    status: { ledger: { e: whole } },
  };
}

function engineWith(
  spec: Partial<ChaosEngine['spec']>,
  engineStatus = 'initialized',
  name = 'other',
): ChaosEngine {
  return {
    metadata: { name, namespace: 'chaos' },
    spec: { experiments: [], engineState: 'active', ...spec },
    status: { engineStatus: engineStatus as 'initialized' },
  };
}

const app = (applabel: string, appkind: 'deployment' | 'statefulset' = 'deployment', appns = 'shop') => ({
  appinfo: { appns, applabel, appkind },
});

function conflicts(
  others: { results?: readonly ChaosResult[]; engines?: readonly ChaosEngine[] },
  targets: readonly InjectionTarget[] = [target],
): string[] {
  const planned = { engine: { namespace: 'chaos', name: 'mine' }, targets, pods: [pod] };
  return findConflicts(planned, { results: [], engines: [], ...others }).map(
    ({ engine, kind, object, fault }) =>
      `${engine} ${kind} ${object}${fault === undefined ? '' : ` ${fault}`}`,
  );
}

const IN_FORCE = 'chaos/other in-force pod/shop/web-1 pod-network-loss';
const SELECTED = 'chaos/other selected pod/shop/web-1';

test('chaos that is in force on the same targets', async (t) => {
  const onNode: InjectionTarget = { kind: 'node', name: 'n1', node: 'n1' };
  const cases: [string, ChaosResult, readonly InjectionTarget[], string[]][] = [
    ['the same pod', resultWith({}), [target], [IN_FORCE]],
    ['planned and not known to be done', resultWith({ state: 'planned' }), [target], [IN_FORCE]],
    ['reverted', resultWith({ state: 'reverted' }), [target], []],
    ['done', resultWith({ state: 'done' }), [target], []],
    ['another pod', resultWith({ target: { ...target, name: 'web-2' } }), [target], []],
    ['a pod of that name made anew', resultWith({ target: { ...target, uid: 'u0' } }), [target], []],
    [
      'another container of the pod',
      resultWith({ target: { ...target, container: 'x' } }),
      [target],
      [IN_FORCE],
    ],
    ['the node it runs on', resultWith({ target: onNode }), [target], [IN_FORCE]],
    [
      'a pod on the node that is hit',
      resultWith({}),
      [onNode],
      ['chaos/other in-force node/n1 pod-network-loss'],
    ],
    ['another node', resultWith({ target: { kind: 'node', name: 'n2', node: 'n2' } }), [target], []],
    ['what the engine itself left', resultWith({}, 'mine'), [target], []],
  ];
  for (const [name, result, targets, expected] of cases) {
    await t.test(name, () => assert.deepEqual(conflicts({ results: [result] }, targets), expected));
  }
});

test('runs under way that select the same targets', async (t) => {
  const cases: [string, ChaosEngine, string[]][] = [
    ['by label', engineWith(app('app=web')), [SELECTED]],
    ['by several labels', engineWith(app('app=web,tier=front')), [SELECTED]],
    ['another label', engineWith(app('app=db')), []],
    ['another kind', engineWith(app('app=web', 'statefulset')), []],
    ['another namespace', engineWith(app('app=web', 'deployment', 'bank')), []],
    [
      'by the name of the workload',
      engineWith({ selectors: { workloads: [{ kind: 'deployment', namespace: 'shop', names: 'db,web' }] } }),
      [SELECTED],
    ],
    [
      'by the name of the pod',
      engineWith({ selectors: { pods: [{ namespace: 'shop', names: 'web-1' }] } }),
      [SELECTED],
    ],
    ['a selector that cannot be read', engineWith(app('app in')), []],
    ['completed', engineWith(app('app=web'), 'completed'), []],
    ['about to stop', engineWith({ ...app('app=web'), engineState: 'stop' }), []],
    ['a dry run', engineWith({ ...app('app=web'), dryRun: true }), []],
    ['the engine itself', engineWith(app('app=web'), 'initialized', 'mine'), []],
  ];
  for (const [name, engine, expected] of cases) {
    await t.test(name, () => assert.deepEqual(conflicts({ engines: [engine] }), expected));
  }
  await t.test('in force and selected is listed once', () => {
    assert.deepEqual(conflicts({ engines: [engineWith(app('app=web'))], results: [resultWith({})] }), [
      IN_FORCE,
    ]);
  });
});
