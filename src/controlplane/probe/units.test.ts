import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withUnits } from './units.ts';

const CASES: readonly [name: string, type: string, given: object, expected: object][] = [
  ['seconds', 'cmdProbe', { probeTimeout: '5', interval: 2 }, { probeTimeout: '5s', interval: '2s' }],
  [
    'milliseconds for the timeout of an httpProbe',
    'httpProbe',
    { probeTimeout: '500', interval: '1' },
    { probeTimeout: '500ms', interval: '1s' },
  ],
  [
    'nothing where there is a unit',
    'k8sProbe',
    { probeTimeout: '1m30s', interval: '10us' },
    { probeTimeout: '1m30s', interval: '10us' },
  ],
  [
    'seconds to a fraction',
    'promProbe',
    { evaluationTimeout: '0.5', probePollingInterval: '2' },
    { evaluationTimeout: '0.5s', probePollingInterval: '2s' },
  ],
  ['the new name of the delay', 'cmdProbe', { initialDelaySeconds: 3 }, { initialDelay: '3s' }],
  ['no second delay', 'cmdProbe', { initialDelaySeconds: 3, initialDelay: '5' }, { initialDelay: '5s' }],
  [
    'nothing to what is no number',
    'cmdProbe',
    { probeTimeout: '{{x}}', attempt: 2 },
    { probeTimeout: '{{x}}', attempt: 2 },
  ],
];

for (const [name, type, given, expected] of CASES) {
  test(`gives ${name}, and the same when it is done again`, () => {
    const once = withUnits({ type, runProperties: { ...given } });
    assert.deepEqual(once, { type, runProperties: expected });
    assert.deepEqual(withUnits(once), once);
  });
}

test('leaves an entry without run properties as it is', () => {
  assert.deepEqual(withUnits({ type: 'cmdProbe' }), { type: 'cmdProbe' });
});
