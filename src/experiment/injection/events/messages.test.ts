import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  abortEvent,
  awaitedEvent,
  checkEvent,
  type ExperimentEvent,
  injectEvent,
  summaryEvent,
  verdictEvent,
} from './messages.ts';

const check = (
  subject: 'application' | 'node' | 'skipped',
  healthy: boolean,
  probes?: 'Successful' | 'Unsuccessful',
): ExperimentEvent => checkEvent({ reason: 'PreChaosCheck', subject, healthy, probes });

test('every Event has the reason, type and words users know', async (t) => {
  const cases: [ExperimentEvent, string][] = [
    [check('application', true), 'PreChaosCheck Normal AUT: Running'],
    [check('application', true, 'Successful'), 'PreChaosCheck Normal AUT: Running, Probes: Successful'],
    [check('application', true, 'Unsuccessful'), 'PreChaosCheck Warning AUT: Running, Probes: Unsuccessful'],
    [check('application', false), 'PreChaosCheck Warning AUT: Not Running'],
    [check('node', true, 'Successful'), 'PreChaosCheck Normal NUT: Ready, Probes: Successful'],
    [check('node', false), 'PreChaosCheck Warning NUT: Not Ready'],
    [check('skipped', true), 'PreChaosCheck Normal Skipped the default checks'],
    [check('skipped', true, 'Successful'), 'PreChaosCheck Normal Probes: Successful'],
    [
      injectEvent({ name: 'f' }, 'pod-delete'),
      'ChaosInject Normal Injecting pod-delete chaos on application pod',
    ],
    [injectEvent({ name: 'f', injectMessage: 'own words' }, 'x'), 'ChaosInject Normal own words'],
    [awaitedEvent('x'), 'Awaited Normal experiment: x, Result: Awaited'],
    [verdictEvent('x', 'Pass'), 'Pass Normal experiment: x, Result: Pass'],
    [verdictEvent('x', 'Fail'), 'Fail Warning experiment: x, Result: Fail'],
    [abortEvent('x'), 'Abort Warning x experiment has been aborted'],
    [summaryEvent('x', 'completed', 'Pass'), 'Summary Normal x experiment has been Passed'],
    [summaryEvent('x', 'completed', 'Fail'), 'Summary Normal x experiment has been Failed'],
    [summaryEvent('x', 'error', 'Error'), 'Summary Warning experiment: x, Result: Error'],
    [summaryEvent('x', 'aborted', 'Stopped'), 'Summary Warning x experiment has been aborted'],
  ];
  for (const [{ reason, type, message }, expected] of cases) {
    await t.test(expected, () => assert.equal(`${reason} ${type} ${message}`, expected));
  }
});
