import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cgroupUsage } from './cgroup-usage.ts';

const V1_STAT =
  'cache 900\nrss 400\ninactive_file 5\ntotal_cache 900\ntotal_inactive_file 300\ntotal_active_file 600\n';
const V2_STAT = 'anon 400\nfile 900\ninactive_anon 0\ninactive_file 300\nactive_file 600\n';
const V2_CPU = 'usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\nnr_periods 0\n';

test('what a cgroup uses is read from the files of either version', () => {
  const table: readonly {
    name: string;
    version: 1 | 2;
    files: Record<string, string>;
    usage: ReturnType<typeof cgroupUsage>;
  }[] = [
    {
      name: 'version 1',
      version: 1,
      files: {
        'cpuacct/cpuacct.usage': '1500000000\n',
        'memory/memory.usage_in_bytes': '1300\n',
        'memory/memory.stat': V1_STAT,
      },
      usage: { cpuNanos: 1_500_000_000, memoryBytes: 1000 },
    },
    {
      name: 'version 2',
      version: 2,
      files: { 'cpu/cpu.stat': V2_CPU, 'memory/memory.current': '1300\n', 'memory/memory.stat': V2_STAT },
      usage: { cpuNanos: 1_500_000_000, memoryBytes: 1000 },
    },
    {
      name: 'more cached than used, for the files are not read in one moment',
      version: 2,
      files: { 'cpu/cpu.stat': V2_CPU, 'memory/memory.current': '200\n', 'memory/memory.stat': V2_STAT },
      usage: { cpuNanos: 1_500_000_000, memoryBytes: 0 },
    },
    {
      name: 'no account of CPU',
      version: 1,
      files: { 'memory/memory.usage_in_bytes': '1300\n', 'memory/memory.stat': V1_STAT },
      usage: undefined,
    },
    {
      name: 'no memory controller',
      version: 2,
      files: { 'cpu/cpu.stat': V2_CPU },
      usage: undefined,
    },
    { name: 'gone', version: 2, files: {}, usage: undefined },
  ];
  for (const { name, version, files, usage } of table) {
    assert.deepEqual(
      cgroupUsage(version, (controller, file) => files[`${controller}/${file}`] ?? ''),
      usage,
      name,
    );
  }
});
