import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResolvedLoad } from './load.ts';
import { type LoadTally, loadEffect } from './load-effect.ts';

const MEBIBYTE = 1024 ** 2;
const nothing: LoadTally = { cpuSeconds: 0, mostHeldBytes: 0, writtenBytes: 0, seconds: 10, kills: 0 };

test('a load is compared with what was asked for', () => {
  const cpu = (workers: number, percent: number): ResolvedLoad => ({ cpu: { workers, percent } });
  const memory: ResolvedLoad = { memory: { workers: 4, mebibytes: 500 } };
  const io: ResolvedLoad = { io: { workers: 1, bytes: 100 * MEBIBYTE, directory: '/tmp' } };
  const rows: [string, ResolvedLoad, Partial<LoadTally>, string][] = [
    [
      'a part',
      cpu(1, 75),
      { cpuSeconds: 0.56 },
      'true the load has got 0.56 of 7.50 s of CPU time asked for (7 %)',
    ],
    [
      'all',
      cpu(2, 100),
      { cpuSeconds: 20 },
      'true the load has got 20.00 of 20.00 s of CPU time asked for (100 %)',
    ],
    ['all CPUs of the node', cpu(0, 100), { cpuSeconds: 30 }, 'true the load has got 30.00 of 40.00 s'],
    ['a hundredth', cpu(1, 100), { cpuSeconds: 0.1 }, 'true the load has got 0.10 of 10.00 s'],
    [
      'less than that',
      cpu(1, 100),
      { cpuSeconds: 0.09 },
      'false the load has got 0.09 of 10.00 s of CPU time asked for (1 %), which is next to nothing; look',
    ],
    [
      "at the container's limit",
      cpu(2, 100),
      { cpuSeconds: 0.98, cpuLimit: 0.1 },
      "true the load has got 0.98 of 20.00 s of CPU time asked for (5 %), at the container's limit of 0.1 CPUs",
    ],
    ['none', cpu(1, 100), {}, 'false the load has got 0.00 of 10.00 s of CPU time asked for (0 %), which'],
    [
      'nothing asked for',
      cpu(1, 0),
      { cpuSeconds: 0 },
      'false the load has got 0.00 of 0.00 s of CPU time asked for, which',
    ],
    ['memory', memory, { mostHeldBytes: 501 * MEBIBYTE }, 'true the load has held 501 of 500 MiB asked for'],
    [
      'hardly any memory',
      memory,
      { mostHeldBytes: 4 * MEBIBYTE },
      'false the load has held 4 of 500 MiB asked for, which',
    ],
    [
      'memory beyond the limit',
      memory,
      { mostHeldBytes: 148 * MEBIBYTE, kills: 11, limitBytes: 150 * MEBIBYTE },
      "true the load has been killed by the kernel 11 times at the container's limit of 150 MiB; held 148 of 500 MiB asked for",
    ],
    [
      'killed at once',
      memory,
      { kills: 1 },
      'true the load has been killed by the kernel once; held 0 of 500 MiB asked for',
    ],
    [
      'files',
      io,
      { writtenBytes: 1234 * MEBIBYTE },
      'true the load has written 1234 MiB, in rounds of 100 MiB',
    ],
    [
      'hardly a file',
      io,
      { writtenBytes: 0.5 * MEBIBYTE },
      'false the load has written 0.5 MiB, in rounds of 100 MiB, which',
    ],
    [
      'no file, and CPU time besides',
      { ...io, ...cpu(1, 100) },
      { cpuSeconds: 9 },
      'false the load has written 0 MiB, in rounds of 100 MiB; got 9.00 of 10.00 s',
    ],
  ];
  for (const [name, asked, got, expected] of rows) {
    const { seen, message } = loadEffect(asked, { ...nothing, ...got }, 4);
    assert.ok(`${seen} ${message}`.startsWith(expected), `${name}: ${seen} ${message}`);
  }
});

test('the share that a load got is that of what could be got', () => {
  const cpu: ResolvedLoad = { cpu: { workers: 2, percent: 100 } };
  const rows: [string, ResolvedLoad, Partial<LoadTally>, number][] = [
    ['a tenth', cpu, { cpuSeconds: 2 }, 0.1],
    ['two hundredths', cpu, { cpuSeconds: 0.4 }, 0.02],
    ['all that the container may use', cpu, { cpuSeconds: 1, cpuLimit: 0.1 }, 1],
    ['little of that', cpu, { cpuSeconds: 0.05, cpuLimit: 0.1 }, 0.05],
    ['a limit above what is asked for', cpu, { cpuSeconds: 2, cpuLimit: 4 }, 0.1],
    ['killed for want of memory', { memory: { workers: 1, mebibytes: 500 } }, { kills: 1 }, 1],
    [
      'several rounds of files',
      { io: { workers: 1, bytes: 100, directory: '/tmp' } },
      { writtenBytes: 900 },
      1,
    ],
  ];
  for (const [name, asked, got, expected] of rows)
    assert.equal(loadEffect(asked, { ...nothing, ...got }, 4).share, expected, name);
});
