import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESULT_ERRORS } from '../../chaos/errors/result-errors.ts';
import { errorText, errorWords, messageWords, plainWords } from './error-words.ts';

const error = (fields: object): string => JSON.stringify(fields);

const TABLE: readonly (readonly [text: string, code: string | undefined, said: string])[] = [
  [
    `STATUS_CHECKS_ERROR : ${error({ errorCode: 'STATUS_CHECKS_ERROR', phase: 'PreChaos', reason: 'no pod found', target: '{deploymentName: web, namespace: shop}' })}`,
    undefined,
    'found the application not healthy before the fault: no pod found (deployment web in shop)',
  ],
  [
    error({ phase: 'PostChaos', reason: 'web is not back', target: 'deployment:shop:[app=web]' }),
    'STATUS_CHECKS_ERROR',
    'found the application not healthy after the fault: web is not back (deployments with app=web in shop)',
  ],
  [
    'TARGET_SELECTION_ERROR: no pod has app=web.',
    undefined,
    'found no target that it may hit: no pod has app=web',
  ],
  [
    error([
      {
        errorCode: 'CHAOS_INJECT_ERROR',
        reason: 'no tc',
        target: '{podName: a, namespace: b, container: c}',
      },
      { errorCode: 'CHAOS_INJECT_ERROR', reason: 'no ip' },
    ]),
    undefined,
    'could not inject its fault: no tc (pod a in b, container c); no ip',
  ],
  ["HTTP_PROBE_ERROR: probe 'users': no such host", undefined, "probe 'users': no such host"],
  ['ImagePullFailed : no such image', undefined, 'could not start: no such image'],
  ['ChaosExperiment Not Found', undefined, 'its ChaosExperiment does not exist'],
  ['Forcefully Aborted', undefined, ''],
  ['aborted: engineState is stop', 'EXPERIMENT_ABORTED', 'was aborted: its engine was told to stop'],
  ['aborted: ChaosEngine pod-deletelnccf is stopped', undefined, 'its engine was told to stop'],
  ['exit code 3: see the log', undefined, 'exit code 3: see the log'],
];

test('reasons are told without codes, JSON, and words that only users of LitmusChaos know', () => {
  for (const [text, code, said] of TABLE) assert.equal(errorText(text, code), said, text);
});

test('no code of a result is read out, with or without a reason', () => {
  for (const code of Object.keys(RESULT_ERRORS)) {
    for (const text of [`${code}: it broke`, `${code} : ${error({ errorCode: code, reason: 'it broke' })}`])
      assert.match(errorText(text), /^([a-z ']+: )?it broke$/);
    assert.equal(errorWords('it broke', code).said, 'it broke');
  }
});

test('a probe that was not judged says so', () => {
  const upstream = 'Either probe is not executed or not evaluated';
  assert.equal(
    plainWords(`${upstream}; what it found last: 503`),
    'it was not asked, or not judged; what it found last: 503',
  );
});

test('a message of a step has the words of its error in place of JSON, and not twice', () => {
  const json = error({
    errorCode: 'NOT_STEADY',
    phase: 'PreChaos',
    reason: 'probe web: answered 200 to {"a":1}',
  });
  const words = 'did not begin: probe web: answered 200 to {"a":1}';
  const rows = [
    [`pod-delete has ended: Error (${json})`, `pod-delete has ended: Error (${words})`],
    [
      `ended with verdict Error: ${json}; probe web: answered 200 to {"a":1}`,
      `ended with verdict Error: ${words}`,
    ],
    [
      `ended with verdict Error: ${json}; deployment/web had 1 of 2`,
      `ended with verdict Error: ${words}; deployment/web had 1 of 2`,
    ],
    ['web answered 200: {"pod":"web-1"}', 'web answered 200: {"pod":"web-1"}'],
  ];
  for (const [message = '', said] of rows) assert.equal(messageWords(message), said);
});
