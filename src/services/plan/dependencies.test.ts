import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../api/index.ts';
import { type Dependency, experimentDependencies, runnerDependencies } from './dependencies.ts';
import { findDependencies } from './find-dependencies.ts';

const engineOf = (
  spec: Partial<ChaosEngine['spec']> = {},
  annotations?: Record<string, string>,
): ChaosEngine => ({
  metadata: { name: 'web', namespace: 'shop', ...(annotations === undefined ? {} : { annotations }) },
  spec: { experiments: [], ...spec },
});

const experimentOf = (definition: Partial<ChaosExperiment['spec']['definition']> = {}): ChaosExperiment => ({
  metadata: { name: 'loss' },
  spec: { definition: { image: 'img:1', ...definition } },
});

const texts = (needed: readonly Dependency[]): string[] =>
  needed.map(
    ({ kind, namespace, name, key, created }) =>
      `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${key === undefined ? '' : `#${key}`}${created ? ' created' : ''}`,
  );

interface Row {
  readonly name: string;
  readonly definition?: Partial<ChaosExperiment['spec']['definition']>;
  readonly entry?: EngineExperiment['spec'];
  readonly engine?: ChaosEngine;
  readonly expected: readonly string[];
  readonly problems?: readonly RegExp[];
}

const sidecars = {
  components: { sidecar: [{ image: 'side:1', secrets: [{ name: 's', mountPath: '/s' }] }] },
};

const TABLE: readonly Row[] = [
  { name: 'its image', expected: ['Image img:1'] },
  {
    name: 'the image of the entry',
    entry: { components: { experimentImage: 'mine' } },
    expected: ['Image mine'],
  },
  {
    name: 'mounts; one with content is created',
    definition: {
      configMaps: [
        { name: 'a', mountPath: '/a' },
        { name: 'b', mountPath: '/b', data: { x: '1' } },
      ],
      secrets: [{ name: 's', mountPath: '/s' }],
    },
    expected: ['Image img:1', 'ConfigMap shop/a', 'ConfigMap shop/b created', 'Secret shop/s'],
  },
  {
    name: 'variables, but for optional ones',
    definition: { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'a', key: 'k' } } }] },
    entry: {
      components: {
        env: [
          { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          { name: 'C', valueFrom: { secretKeyRef: { name: 'maybe', key: 'k', optional: true } } },
          { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
      },
    },
    expected: ['Image img:1', 'ConfigMap shop/a#k', 'Secret shop/s#k'],
  },
  {
    name: 'sidecars that are switched on',
    engine: engineOf(sidecars, { 'sidecar/enabled': 'true' }),
    expected: ['Image img:1', 'Image side:1', 'Secret shop/s'],
  },
  { name: 'sidecars that are not', engine: engineOf(sidecars), expected: ['Image img:1'] },
  {
    name: 'the pod of a probe',
    entry: {
      probe: [
        {
          name: 'p',
          type: 'cmdProbe',
          mode: 'SOT',
          runProperties: { probeTimeout: '1s', interval: '1s' },
          'cmdProbe/inputs': {
            command: 'true',
            comparator: { type: 'string', criteria: 'equal', value: '' },
            source: {
              image: 'probe:1',
              volumes: [
                { name: 'v', persistentVolumeClaim: { claimName: 'data' } },
                { name: 'w', secret: { secretName: 's' } },
                { name: 'x', configMap: { name: 'c', optional: true } },
              ],
            },
          },
        },
      ],
    },
    expected: ['Image img:1', 'Image probe:1', 'PersistentVolumeClaim shop/data', 'Secret shop/s'],
  },
  {
    name: 'a mount without a path, and no image',
    definition: { image: '', configMaps: [{ name: 'a' } as { name: string; mountPath: string }] },
    expected: [],
    problems: [/configMaps\[0\]\.mountPath: Required value/, /spec\.definition\.image: Required value/],
  },
];

for (const { name, definition, entry, engine = engineOf(), expected, problems = [] } of TABLE) {
  test(`an experiment needs: ${name}`, () => {
    const found = experimentDependencies(
      engine,
      experimentOf(definition),
      { name: 'loss', ...(entry ? { spec: entry } : {}) },
      0,
    );
    assert.deepEqual(texts(found.needed), expected);
    assert.equal(found.problems.length, problems.length, found.problems.join());
    for (const [index, pattern] of problems.entries()) assert.match(found.problems[index] ?? '', pattern);
  });
}

test('a runner needs its image and its mounts', () => {
  const runner = {
    image: 'r:1',
    configMaps: [{ name: 'a', mountPath: '/a' }],
    secrets: [{ name: 's', mountPath: '/s' }],
  };
  assert.deepEqual(texts(runnerDependencies(engineOf({ components: { runner } }), 'default:1')), [
    'Image r:1',
    'ConfigMap shop/a',
    'Secret shop/s',
  ]);
  assert.deepEqual(texts(runnerDependencies(engineOf(), 'default:1')), ['Image default:1']);
});

test('on an embedded cluster elsewhere there are programs in place of upstream’s images; of others only its nodes know', async () => {
  const needed: Dependency[] = ['litmuschaos/go-runner:latest', 'mine:1'].map((name) => ({
    ...{ kind: 'Image', name, field: 'spec.definition.image' },
  }));
  const states = async (hasStandIns: boolean): Promise<string[]> => {
    const { signal } = new AbortController();
    // Images are not asked for.
    const client = {} as KubeClient;
    const found = await findDependencies(needed, { client, signal, planned: new Set(), hasStandIns });
    return found.map(({ state }) => state);
  };
  assert.deepEqual(
    [await states(true), await states(false)],
    [
      ['present', 'unknown'],
      ['unknown', 'unknown'],
    ],
  );
});
