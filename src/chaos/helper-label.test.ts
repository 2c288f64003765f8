import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helperLabel } from './helper-label.ts';

test('helpers are found by a label that the API server takes, whatever their experiment is called', () => {
  const uid = 'e395272b-05c9-4960-9e1e-2f3d7cbd24fc';
  const cases: [string, string, string][] = [
    ['container-kill', uid, `container-kill-helper-${uid}`],
    ['pod-network-corruption', uid, `pod-network-corruption-helper-${uid.slice(0, 33)}`],
    [
      'a-name-that-ends-before-a-hyphen-of-the-id',
      uid,
      'a-name-that-ends-before-a-hyphen-of-the-id-helper-e395272b-05c9',
    ],
    [
      'a-name-that-ends-at-a-hyphen-of-the-id-then',
      'e395272b05c-x',
      'a-name-that-ends-at-a-hyphen-of-the-id-then-helper-e395272b05c',
    ],
  ];
  for (const [experiment, runId, label] of cases) {
    assert.equal(helperLabel(experiment, runId), label);
    assert.ok(label.length <= 63);
  }
});
