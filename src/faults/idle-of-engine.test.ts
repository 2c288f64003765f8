import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvVar } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosExperiment } from '../api/index.ts';
import type { FaultRegistry } from '../experiment/injection/fault.ts';
import { idleSettings } from '../experiment/plan/idle-settings.ts';
import { faultRegistry } from './index.ts';

/** The registry with a record of the faults that were loaded. */
function watched(): { readonly registry: FaultRegistry; readonly loaded: string[] } {
  const loaded: string[] = [];
  const loaders = [...faultRegistry].map(
    ([name, load]) =>
      [
        name,
        () => {
          loaded.push(name);
          return load();
        },
      ] as const,
  );
  return { registry: new Map(loaders), loaded };
}

interface Written {
  readonly ofEngine?: readonly EnvVar[];
  readonly ofExperiment?: readonly EnvVar[];
}

function idle(
  fault: string,
  { ofEngine = [], ofExperiment = [] }: Written,
  registry: FaultRegistry = faultRegistry,
): Promise<string | undefined> {
  const entry = { name: 'mine', spec: { components: { env: [...ofEngine] } } };
  const engine: ChaosEngine = {
    metadata: { name: 'e', namespace: 'shop' },
    spec: { engineState: 'active', experiments: [entry] },
  };
  const experiment: ChaosExperiment = {
    metadata: { name: 'mine' },
    spec: {
      definition: { image: 'i', args: ['-c', `./experiments -name ${fault}`], env: [...ofExperiment] },
    },
  };
  return idleSettings(registry, engine, experiment, entry);
}

const set = (name: string, value: string): EnvVar => ({ name, value });
const ZERO = set('NETWORK_LATENCY', '0');
const FROM_ELSEWHERE = { configMapKeyRef: { name: 'a', key: 'b' } };

const ROWS: readonly (readonly [
  what: string,
  fault: string,
  written: Written,
  reason: RegExp | undefined,
])[] = [
  ['0 of the engine', 'pod-network-latency', { ofEngine: [ZERO] }, /^NETWORK_LATENCY is 0 ms/],
  ['0 of the experiment', 'pod-network-latency', { ofExperiment: [ZERO] }, /^NETWORK_LATENCY is 0 ms/],
  [
    '0 of the experiment that the engine replaces',
    'pod-network-latency',
    { ofExperiment: [ZERO], ofEngine: [set('NETWORK_LATENCY', '5')] },
    undefined,
  ],
  [
    '0 with another setting of the experiment that asks for something',
    'pod-network-latency',
    { ofEngine: [ZERO], ofExperiment: [set('JITTER', '5')] },
    undefined,
  ],
  [
    '0 with another setting whose value comes from elsewhere',
    'pod-network-latency',
    { ofEngine: [ZERO, { name: 'JITTER', valueFrom: FROM_ELSEWHERE }] },
    undefined,
  ],
  [
    '0 with a value from elsewhere that does not matter',
    'pod-network-latency',
    { ofEngine: [ZERO, { name: 'MINE', valueFrom: FROM_ELSEWHERE }] },
    /^NETWORK_LATENCY is 0 ms/,
  ],
  ['no toxicity', 'pod-http-latency', { ofEngine: [set('TOXICITY', '0')] }, /^TOXICITY is 0/],
  ['no load', 'pod-cpu-hog', { ofEngine: [set('CPU_LOAD', '0')] }, /^CPU_LOAD is 0 %/],
  ['a range from 0', 'pod-cpu-hog', { ofEngine: [set('CPU_LOAD', '0-5')] }, undefined],
  ['a range of nothing but 0', 'pod-cpu-hog', { ofEngine: [set('CPU_LOAD', '0-0')] }, /^CPU_LOAD is 0 %/],
  ['what cannot be read', 'pod-cpu-hog', { ofEngine: [set('CPU_LOAD', 'none')] }, undefined],
  ['the usual settings', 'pod-cpu-hog', {}, undefined],
  ['a fault of another maker', 'theirs', { ofEngine: [set('CPU_LOAD', '0')] }, undefined],
];

for (const [what, fault, written, reason] of ROWS) {
  test(`settings of an engine that ask for nothing: ${what}`, async () => {
    const found = await idle(fault, written);
    if (reason === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', reason);
  });
}

test('the fault in question is loaded, and no other', async () => {
  const { registry, loaded } = watched();
  assert.deepEqual(loaded, []);
  await idle('pod-cpu-hog', {}, registry);
  assert.deepEqual(loaded, ['pod-cpu-hog']);
});
