import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '../kinds/core.ts';
import { leadersOf } from './yielding.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function lease(name: string, holderIdentity: string | undefined, renewedMs: number, seconds?: number): Lease {
  return {
    metadata: { name, namespace: 'tools' },
    spec: {
      ...(holderIdentity === undefined ? {} : { holderIdentity }),
      renewTime: new Date(renewedMs).toISOString(),
      ...(seconds === undefined ? {} : { leaseDurationSeconds: seconds }),
    },
  };
}

for (const [what, leases, holder] of [
  ['no lease', [], undefined],
  ['a live one', [lease('a', 'them', NOW - 14_000)], 'them'],
  ['one whose holder is silent', [lease('a', 'them', NOW - 15_000)], undefined],
  ['one that promises longer', [lease('a', 'them', NOW - 50_000, 60)], 'them'],
  ['one that was released', [lease('a', '', NOW)], undefined],
  ['one without a holder', [lease('a', undefined, NOW)], undefined],
  ['a silent and a live one', [lease('a', 'x', NOW - 20_000), lease('b', 'y', NOW)], 'y'],
] as const) {
  test(`leases: ${what}: ${holder ?? 'no candidate'} leads`, () => {
    assert.deepEqual(
      leadersOf(leases, NOW).map((leader) => leader.holder),
      holder === undefined ? [] : [holder],
    );
  });
}
