import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeReadiness } from './workload-readiness.ts';

const TABLE: readonly (readonly [
  before: number,
  lowest: number,
  seconds: number,
  text: string | undefined,
])[] = [
  [2, 2, 0, undefined],
  [0, 0, 0, undefined],
  [2, 3, 0, undefined],
  [3, 1, 0, 'deployment/api had 1 of 3 pods ready at the lowest'],
  [1, 0, 5.9, 'deployment/api had no ready pod for 5.9 s'],
];

for (const [readyBefore, lowestReady, noneReadySeconds, text] of TABLE) {
  test(`${readyBefore} pods, ${lowestReady} at the lowest: ${text ?? 'nothing to tell'}`, () => {
    const workload = {
      kind: 'deployment',
      namespace: 'shop',
      name: 'api',
      readyBefore,
      lowestReady,
      noneReadySeconds,
    };
    assert.equal(describeReadiness(workload), text);
  });
}
