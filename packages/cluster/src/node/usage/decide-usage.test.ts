import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContainerSample, decideUsage, type Sample } from './decide-usage.ts';

function sample(...containers: readonly [id: string, ContainerSample][]): Sample {
  return new Map(containers);
}

function seen(
  podUid: string,
  name: string,
  atMs: number,
  cpuSeconds: number,
  memoryBytes = 1,
): ContainerSample {
  return { podUid, name, atMs, usage: { cpuNanos: cpuSeconds * 1e9, memoryBytes } };
}

test('a pod uses what its counters moved over the window', () => {
  const table: readonly { name: string; before: Sample; after: Sample; usage: object }[] = [
    {
      name: 'half a core over five seconds, and what memory is now',
      before: sample(['a', seen('p', 'main', 1000, 10, 7)]),
      after: sample(['a', seen('p', 'main', 6000, 12.5, 9)]),
      usage: {
        p: { atMs: 6000, windowMs: 5000, containers: [{ name: 'main', cpuNanoCores: 5e8, memoryBytes: 9 }] },
      },
    },
    {
      name: 'two containers, looked at one after the other',
      before: sample(['a', seen('p', 'main', 1000, 0)], ['b', seen('p', 'side', 1010, 1)]),
      after: sample(['a', seen('p', 'main', 2000, 1)], ['b', seen('p', 'side', 2010, 1)]),
      usage: {
        p: {
          atMs: 2010,
          windowMs: 1000,
          containers: [
            { name: 'main', cpuNanoCores: 1e9, memoryBytes: 1 },
            { name: 'side', cpuNanoCores: 0, memoryBytes: 1 },
          ],
        },
      },
    },
    {
      name: 'a container that was started anew since is left out, as is its pod',
      before: sample(['a', seen('p', 'main', 1000, 0)], ['b', seen('p', 'side', 1000, 1)]),
      after: sample(['a2', seen('p', 'main', 2000, 1)], ['b', seen('p', 'side', 2000, 1)]),
      usage: {},
    },
    {
      name: 'one that has ended is left out',
      before: sample(['a', seen('p', 'main', 1000, 0)]),
      after: sample(),
      usage: {},
    },
    {
      name: 'no time between, no rate',
      before: sample(['a', seen('p', 'main', 1000, 0)]),
      after: sample(['a', seen('p', 'main', 1000, 1)]),
      usage: {},
    },
    {
      name: 'a counter never goes back',
      before: sample(['a', seen('p', 'main', 1000, 5)]),
      after: sample(['a', seen('p', 'main', 2000, 1)]),
      usage: {
        p: { atMs: 2000, windowMs: 1000, containers: [{ name: 'main', cpuNanoCores: 0, memoryBytes: 1 }] },
      },
    },
  ];
  for (const { name, before, after, usage } of table)
    assert.deepEqual(Object.fromEntries(decideUsage(before, after)), usage, name);
});
