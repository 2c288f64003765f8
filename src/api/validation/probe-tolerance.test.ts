import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainFieldError } from '@turnsole/kube/schema/field-error';
import type { Probe } from '../schema/probe.ts';
import { compileTolerance, validateTolerance } from './probe-tolerance.ts';

function problems(tolerance: object, rest: Partial<Probe> = {}): string[] {
  const probe: Probe = {
    name: 'users',
    type: 'httpProbe',
    mode: 'Continuous',
    runProperties: { probeTimeout: '1s', interval: '100ms' },
    ...rest,
    // Refused forms are given as users may write them.
    tolerance: tolerance as NonNullable<Probe['tolerance']>,
  };
  return validateTolerance(probe).map(plainFieldError);
}

test('what a tolerance may say', () => {
  const right = [
    { failed: '1%', outage: '2s', p95: '300ms' },
    { failed: '0%' },
    { failed: '0.5 %' },
    { p50: '10ms', p99: '1s', max: '1m' },
  ];
  for (const one of right) assert.deepEqual(problems(one), [], JSON.stringify(one));
  const run = { probeTimeout: '1s', interval: '' };
  const wrong: readonly (readonly [object, RegExp, Partial<Probe>?])[] = [
    [{}, /give at least one of failed, outage, p50, p95, p99, max/],
    [{ fialed: '1%' }, /tolerance\.fialed.*"failed"/],
    [{ failed: '1' }, /tolerance\.failed.*must be a share of the measurements/],
    [{ failed: '100%' }, /from 0% to below 100%/],
    [{ failed: '-1%' }, /must be a share/],
    [{ outage: '2' }, /tolerance\.outage.*the unit is missing/],
    [{ p95: '0s' }, /tolerance\.p95.*more than 0/],
    [{ outage: '500ms' }, /cannot be seen with 1 s between two measurements/, { runProperties: run }],
    [{ outage: '100ms' }, /cannot be seen with 0\.1 s/],
    [{ failed: '1%' }, /is for the modes Continuous and OnChaos/, { mode: 'SOT' }],
    [{ failed: '1%' }, /is for the modes Continuous and OnChaos/, { mode: 'Edge' }],
    [{ failed: '1%' }, /stopOnFailure ends the run/, { runProperties: { ...run, stopOnFailure: true } }],
    [
      { failed: '1%' },
      /is not for operations create and delete/,
      { 'k8sProbe/inputs': { version: 'v1', resource: 'pods', operation: 'create' } },
    ],
  ];
  for (const [one, message, rest] of wrong)
    assert.match(problems(one, rest).join('; '), message, JSON.stringify(one));
});

test('limits in the units of a summary', () => {
  assert.equal(compileTolerance(undefined), undefined);
  assert.deepEqual(compileTolerance({ failed: '0.5%', outage: '2s', p95: '300ms' }), {
    failedShare: 0.005,
    outageMs: 2000,
    latenciesMs: { p95: 300 },
  });
  assert.equal(compileTolerance({ p95: '300ms' })?.failedShare, 0, 'nothing may fail');
  assert.equal(compileTolerance({ outage: '2s' })?.failedShare, undefined);
});
