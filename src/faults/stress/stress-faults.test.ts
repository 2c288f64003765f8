import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault, ObservedTarget } from '../../experiment/injection/fault.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import type { Load } from './load/load.ts';
import nodeCpuHog from './node-cpu-hog.ts';
import nodeIoStress from './node-io-stress.ts';
import nodeMemoryHog from './node-memory-hog.ts';
import podCpuHog from './pod-cpu-hog.ts';
import podIoStress from './pod-io-stress.ts';
import podMemoryHog from './pod-memory-hog.ts';

const pod: ObservedTarget = {
  kind: 'pod',
  namespace: 'shop',
  name: 'web',
  uid: 'u',
  container: 'app',
  node: 'n',
  observed: { uid: 'u', containerId: 'containerd://abcdef' },
};
const node: ObservedTarget = {
  kind: 'node',
  name: 'n',
  node: 'n',
  observed: { capacity: { cpus: 7.5, memoryMebibytes: 10_000, allocatableMebibytes: 8_000 } },
};

/** The load that an environment asks for. */
function loadOf(fault: Fault, env: Record<string, string>): unknown {
  const { settings, problems } = compileSettings(fault, env, () => 0);
  assert.deepEqual(problems, []);
  const target = fault.targets === 'nodes' ? node : pod;
  const [injection] = fault.plan({
    tunables: settings.tunables,
    targets: [target],
    round: 0,
    random: () => 0,
  });
  return injection?.parameters.load;
}

const usual = { percent: 10 };
const CASES: readonly [string, Fault, Record<string, string>, Load][] = [
  ['cpu: defaults', podCpuHog, {}, { cpu: { workers: 0, percent: 100 } }],
  ['cpu: as set', podCpuHog, { CPU_CORES: '2-4', CPU_LOAD: '30' }, { cpu: { workers: 2, percent: 30 } }],
  ['memory: defaults', podMemoryHog, {}, { memory: { workers: 4, mebibytes: 500 } }],
  ['io: defaults', podIoStress, {}, { io: { workers: 4, size: usual, directory: '' } }],
  [
    'io: the absolute size alone',
    podIoStress,
    { FILESYSTEM_UTILIZATION_BYTES: '5', VOLUME_MOUNT_PATH: '/data', CPU_CORES: '1' },
    { io: { workers: 4, size: { gibibytes: 5 }, directory: '/data' }, cpu: { workers: 1, percent: 100 } },
  ],
  [
    'io: the percentage wins',
    podIoStress,
    { FILESYSTEM_UTILIZATION_BYTES: '5', FILESYSTEM_UTILIZATION_PERCENTAGE: '7', NUMBER_OF_WORKERS: '1' },
    { io: { workers: 1, size: { percent: 7 }, directory: '' } },
  ],
  [
    'io: 0 is not given',
    podIoStress,
    { FILESYSTEM_UTILIZATION_BYTES: '0', FILESYSTEM_UTILIZATION_PERCENTAGE: '0' },
    { io: { workers: 4, size: usual, directory: '' } },
  ],
  ['node cpu: all it has', nodeCpuHog, {}, { cpu: { workers: 8, percent: 100 } }],
  [
    'node cpu: the chart’s',
    nodeCpuHog,
    { NODE_CPU_CORE: '1', CPU_LOAD: '0' },
    { cpu: { workers: 1, percent: 0 } },
  ],
  ['node memory: defaults', nodeMemoryHog, {}, { memory: { workers: 1, mebibytes: 3_000 } }],
  [
    'node memory: 0 is not given',
    nodeMemoryHog,
    { MEMORY_CONSUMPTION_PERCENTAGE: '0', MEMORY_CONSUMPTION_MEBIBYTES: '0' },
    { memory: { workers: 1, mebibytes: 3_000 } },
  ],
  [
    'node memory: the percentage wins',
    nodeMemoryHog,
    { MEMORY_CONSUMPTION_PERCENTAGE: '5', MEMORY_CONSUMPTION_MEBIBYTES: '9' },
    { memory: { workers: 1, mebibytes: 500 } },
  ],
  [
    'node memory: never more than pods may use',
    nodeMemoryHog,
    { MEMORY_CONSUMPTION_PERCENTAGE: '90' },
    { memory: { workers: 1, mebibytes: 8_000 } },
  ],
  [
    'node io: defaults',
    nodeIoStress,
    {},
    {
      io: { workers: 4, size: usual, directory: '' },
      cpu: { workers: 1, percent: 100 },
      memory: { workers: 1, mebibytes: 256 },
    },
  ],
];

for (const [name, fault, env, expected] of CASES) {
  test(`load of ${name}`, () => {
    assert.deepEqual(loadOf(fault, env), expected);
  });
}

test('what cannot be is refused with its name, before anything is touched', () => {
  const cases: readonly [Fault, Record<string, string>, string][] = [
    [podCpuHog, { CPU_LOAD: '101' }, 'CPU_LOAD'],
    [podCpuHog, { CPU_CORES: '-1' }, 'CPU_CORES'],
    [podCpuHog, { TOTAL_CHAOS_DURATION: '0' }, 'TOTAL_CHAOS_DURATION'],
    [podMemoryHog, { MEMORY_CONSUMPTION: '500Mi' }, 'MEMORY_CONSUMPTION'],
    [podMemoryHog, { NUMBER_OF_WORKERS: '0' }, 'NUMBER_OF_WORKERS'],
    [podIoStress, { VOLUME_MOUNT_PATH: 'data' }, 'VOLUME_MOUNT_PATH'],
    [podIoStress, { FILESYSTEM_UTILIZATION_PERCENTAGE: '120' }, 'FILESYSTEM_UTILIZATION_PERCENTAGE'],
    [nodeMemoryHog, { MEMORY_CONSUMPTION_PERCENTAGE: 'half' }, 'MEMORY_CONSUMPTION_PERCENTAGE'],
  ];
  for (const [fault, env, variable] of cases) {
    const { problems } = compileSettings(fault, env, () => 0);
    assert.deepEqual(
      problems.map((problem) => problem.variable),
      [variable],
      fault.name,
    );
  }
});
