import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosEngineSpec } from '../../../api/index.ts';
import { targetsOfEngine } from '../../../chaos/engine-targets.ts';
import { formatEntry, parseTargets, type TargetEntry } from './parse-targets.ts';

const entry = (kind: string, namespace: string, names: string[], selector?: string): TargetEntry => ({
  kind,
  namespace,
  names,
  selector,
});

test('TARGETS', async (t) => {
  const cases: [string, string, TargetEntry[]][] = [
    ['a label', 'deployment:shop:[app=web]', [entry('deployment', 'shop', [], 'app=web')]],
    [
      'several labels must all hold',
      'deployment:shop:[a=b,c=d]',
      [entry('deployment', 'shop', [], 'a=b,c=d')],
    ],
    [
      'a set-based selector',
      'deployment:shop:[tier in (a,b),!old]',
      [entry('deployment', 'shop', [], 'tier in (a,b),!old')],
    ],
    ['names, trimmed', 'statefulset:shop:[db, cache]', [entry('statefulset', 'shop', ['db', 'cache'])]],
    ['pods', 'pod:shop:[web-1]', [entry('pod', 'shop', ['web-1'])]],
    ['neither names nor labels', 'KIND:shop:[]', [entry('KIND', 'shop', [])]],
    ['kinds in any case but KIND', 'Deployment:shop:[x]', [entry('deployment', 'shop', ['x'])]],
    ['without brackets', 'deployment:shop:web', [entry('deployment', 'shop', ['web'])]],
    [
      'a label with a colon-like value',
      'deployment:shop:[app=a:b]',
      [entry('deployment', 'shop', [], 'app=a:b')],
    ],
    ['several', 'pod:a:[x];pod:b:[y]', [entry('pod', 'a', ['x']), entry('pod', 'b', ['y'])]],
    ['a semicolon at the end', 'pod:a:[x];', [entry('pod', 'a', ['x'])]],
    ['nothing', '', []],
  ];
  for (const [name, text, entries] of cases) {
    await t.test(name, () => assert.deepEqual(parseTargets(text), { entries, problems: [] }));
  }
});

test('parts that are no entries are problems, the others are read', () => {
  const expected = 'kind:namespace:[names or labels]';
  assert.deepEqual(parseTargets('deployment:shop;pod:a:[x];:b:[y];pod::[z]'), {
    entries: [entry('pod', 'a', ['x'])],
    problems: ['deployment:shop', ':b:[y]', 'pod::[z]'].map((found) => ({ found, expected })),
  });
});

test('an engine names its targets as the operator does, and they read back', async (t) => {
  const cases: [string, Partial<ChaosEngineSpec>, string][] = [
    [
      'appinfo',
      { appinfo: { appns: 'shop', applabel: 'app=web', appkind: 'deployment' } },
      'deployment:shop:[app=web]',
    ],
    [
      'appinfo without namespace and kind',
      { appinfo: { appns: '', applabel: '', appkind: '' } },
      'KIND:home:[]',
    ],
    [
      'workloads by names and by labels',
      {
        appinfo: { appns: 'ignored' },
        selectors: {
          workloads: [
            { kind: 'deployment', namespace: 'a', names: 'x,y', labels: 'l=1' },
            { kind: 'daemonset', namespace: 'b', labels: 'l=2' },
          ],
          pods: [{ namespace: 'c', names: 'p' }],
        },
      },
      'deployment:a:[x,y];daemonset:b:[l=2];pod:c:[p]',
    ],
    ['nothing', {}, ''],
  ];
  for (const [name, spec, expected] of cases) {
    await t.test(name, () => {
      const engine: ChaosEngine = {
        metadata: { name: 'e', namespace: 'home' },
        spec: { experiments: [], ...spec },
      };
      assert.equal(targetsOfEngine(engine), expected);
      assert.equal(parseTargets(expected).entries.map(formatEntry).join(';'), expected);
    });
  }
});
