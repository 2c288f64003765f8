import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CpuCounter, processUsage, usageOfProcesses } from './process-usage.ts';

test('a process has used its own time and that of children it waited for', () => {
  const rest = 'S 1 2 3 0 -1 4194560 1 2 3 4 150 50 20 5 20 0 1 0 100 1000000 250';
  const table: readonly [string, string, string, ReturnType<typeof processUsage>][] = [
    ['plain', `7 (sh) ${rest}`, 'Name:\tsh\nVmRSS:\t    12 kB\n', { cpuNanos: 2.25e9, memoryBytes: 12_288 }],
    [
      'brackets in its name',
      `7 (a) b (c) ${rest}`,
      'VmRSS:\t1 kB\n',
      { cpuNanos: 2.25e9, memoryBytes: 1024 },
    ],
    ['ended', `7 (sh) ${rest}`, 'Name:\tsh\nState:\tZ (zombie)\n', { cpuNanos: 2.25e9, memoryBytes: 0 }],
    ['no such text', '', '', undefined],
  ];
  for (const [name, stat, status, usage] of table) assert.deepEqual(processUsage(stat, status), usage, name);
});

test('what ended processes have used stays counted, and is not counted twice', () => {
  const counter = new CpuCounter();
  // The second sum lacks a process that had used 60; what the others use from then on counts.
  assert.deepEqual(
    [100, 40, 50, 50].map((sum) => counter.advance(sum)),
    [100, 100, 110, 110],
  );
});

test('a process has a usage, and a missing process has none', { skip: process.platform !== 'linux' }, () => {
  const usage = usageOfProcesses([process.pid]);
  assert.ok(usage !== undefined && usage.cpuNanos > 0 && usage.memoryBytes > 2 ** 20);
  // No process has a number this large.
  assert.equal(usageOfProcesses([2 ** 30]), undefined);
});
