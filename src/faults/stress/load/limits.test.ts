import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beyondLimits, type ContainerLimits, mebibytes } from './limits.ts';
import type { Load } from './load.ts';

test('loads beyond the limits of their container', () => {
  const memory: Load = { memory: { workers: 4, mebibytes: 500 } };
  const cpu = (workers: number, percent = 100): Load => ({ cpu: { workers, percent } });
  const limits = (cpus?: number, mib?: number): ContainerLimits => ({
    cpus,
    memoryBytes: mib === undefined ? undefined : mib * 1024 ** 2,
  });
  const rows: [string, Load, ContainerLimits, RegExp | undefined][] = [
    ['no limit', memory, limits(), undefined],
    ['a higher one', memory, limits(undefined, 501), undefined],
    ['the same', memory, limits(undefined, 500), undefined],
    [
      'a lower one',
      memory,
      limits(undefined, 150),
      /^500 MiB of memory are asked for, .* limit of 150 MiB: the kernel kills/,
    ],
    ['CPUs within', cpu(2, 50), limits(1), undefined],
    ['CPUs beyond', cpu(2, 75), limits(1), /^1.5 CPUs are asked for, and the container has a limit of 1:/],
    ['all CPUs, below one', cpu(0), limits(0.5), /^all CPUs of the node are asked for, .* limit of 0.5:/],
    ['all CPUs, who knows', cpu(0), limits(2), undefined],
    ['both', { ...memory, ...cpu(2) }, limits(1, 10), /^500 MiB .*; 2 CPUs are asked for/],
    ['files', { io: { workers: 1, size: { percent: 1 }, directory: '' } }, limits(0.1, 1), undefined],
  ];
  for (const [name, load, has, expected] of rows) {
    const found = beyondLimits(load, has);
    if (expected === undefined) assert.equal(found, undefined, name);
    else assert.match(found ?? '', expected, name);
  }
});

test('bytes in MiB', () => {
  assert.deepEqual([150 * 1024 ** 2, 1.55 * 1024 ** 2, 0].map(mebibytes), ['150', '1.6', '0']);
});
