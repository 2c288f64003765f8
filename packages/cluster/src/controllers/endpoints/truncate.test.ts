import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EndpointAddress, EndpointSubset } from '../shared/types.ts';
import { truncate } from './truncate.ts';

function addresses(count: number): EndpointAddress[] {
  return Array.from({ length: count }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
}

function subset(ready: number, notReady: number): EndpointSubset {
  return {
    ...(ready === 0 ? {} : { addresses: addresses(ready) }),
    ...(notReady === 0 ? {} : { notReadyAddresses: addresses(notReady) }),
    ports: [{ port: 80, protocol: 'TCP' }],
  };
}

describe('subsets are truncated', () => {
  const rows: readonly (readonly [
    name: string,
    given: readonly (readonly [ready: number, notReady: number])[],
    kept: readonly (readonly [ready: number, notReady: number])[],
  ])[] = [
    ['not at the limit', [[6, 4]], [[6, 4]]],
    ['beginning with those that are not ready', [[6, 9]], [[6, 4]]],
    ['to ready ones when these are too many', [[12, 3]], [[10, 0]]],
    [
      'in proportion',
      [
        [15, 0],
        [5, 5],
      ],
      [
        [8, 0],
        [2, 0],
      ],
    ],
    [
      'and subsets of which nothing is left go',
      [
        [10, 0],
        [0, 7],
      ],
      [[10, 0]],
    ],
  ];
  for (const [name, given, kept] of rows) {
    it(name, () => {
      const wanted = kept.map(([ready, notReady]) => subset(ready, notReady));
      assert.deepEqual(
        truncate(
          given.map(([ready, notReady]) => subset(ready, notReady)),
          10,
        ),
        wanted,
      );
    });
  }
});
