import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fault, isFaultNamed } from './fault.ts';
import { probeVerdicts } from './probe-verdicts.ts';
import { execution } from './testing/execution.ts';

const FAULT: Fault = {
  name: 'pod-delete',
  weight: 10,
  artifact: 'pod-delete-k8q',
  template: 'step-1',
  probes: [{ name: 'web', mode: 'SOT' }],
};
const UNKNOWN = 'Either probe is not executed or not evaluated';

const status = (verdict: string, description = '') => [
  { name: 'web', mode: 'SOT', status: { verdict, description } },
];

const CASES: readonly [
  name: string,
  probeStatuses: object[] | undefined,
  verdict: string,
  description: string,
][] = [
  ['no result', undefined, 'NA', UNKNOWN],
  ['a result that has not come to the probe', [], 'Awaited', UNKNOWN],
  ['a probe that passed', status('Passed', 'fine'), 'Passed', 'fine'],
  ['a probe that failed', status('Failed', 'bad'), 'Failed', 'bad'],
  ['a probe that waits', status('Awaited'), 'Awaited', UNKNOWN],
  ['a probe that did not run', status('N/A'), 'NA', UNKNOWN],
];

for (const [name, probeStatuses, verdict, description] of CASES) {
  test(`tells of ${name}`, () => {
    const data = execution([{ engineName: 'pod-delete12345', ...(probeStatuses && { probeStatuses }) }]);
    assert.deepEqual(probeVerdicts(FAULT, [FAULT], data), [
      { name: 'web', mode: 'SOT', verdict, description },
    ]);
  });
}

test('a run without a report, and a fault that has not begun, have no verdicts of probes', () => {
  const expected = [{ name: 'web', mode: 'SOT', verdict: 'NA', description: UNKNOWN }];
  assert.deepEqual(probeVerdicts(FAULT, [FAULT], undefined), expected);
  assert.deepEqual(probeVerdicts(FAULT, [FAULT], execution([])), expected);
});

test('a fault is called by its artifact, its template or its engine', () => {
  for (const name of ['pod-delete-k8q', 'step-1', 'pod-delete'])
    assert.equal(isFaultNamed(FAULT, name), true);
  assert.equal(isFaultNamed(FAULT, 'pod'), false);
  assert.equal(isFaultNamed({ ...FAULT, artifact: '' }, ''), false);
});
