import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { accountOutcome } from '../../services/report/outcome/of-account.ts';
import { furtherReasons } from './run-reasons.ts';

const probe = (name: string, verdict: string, description?: string) => ({
  ...{ name, type: 'httpProbe', mode: 'EOT', status: { verdict, description } },
});
const engine = (chaosData: object, phase = 'Completed'): object => ({
  message: 'completed',
  nodes: { a: { name: 'a' }, b: { name: 'b', phase, type: 'ChaosEngine', chaosData } },
});
const failed = (...probeStatuses: readonly object[]) => ({
  ...{ experimentName: 'pod-delete', experimentVerdict: 'Fail', failStep: '' },
  chaosResult: { status: { experimentStatus: { verdict: 'Fail' }, probeStatuses } },
});
const DENIED = 'webhook "x" denied the request.';
const SLOW = 'GET http://web/ answered\n503; 3 of 40 requests failed.';
const JSON_REASON = JSON.stringify({ errorCode: 'CHAOS_INJECT_ERROR', reason: 'no tc', target: 'pod a' });

/** Leaves out the reasons that the outcome line has printed already. */
const ROWS: readonly (readonly [name: string, account: object, said: string, further: readonly string[]])[] =
  [
    ['a run that never began', { message: DENIED, nodes: {} }, DENIED.slice(0, -1), []],
    [
      'a workflow that was refused',
      { phase: 'Completed', message: 'invalid spec: failed to resolve {{x}}', nodes: {} },
      'the workflow was refused: failed to resolve {{x}}',
      [],
    ],
    [
      'one probe that failed, whose words end with a full stop and have two lines',
      engine(failed(probe('users', 'Failed', SLOW), probe('held', 'Passed', 'fine'))),
      'pod-delete: probe users: GET http://web/ answered\n503; 3 of 40 requests failed',
      [],
    ],
    [
      'two probes that failed',
      engine(failed(probe('users', 'Failed', SLOW), probe('bare', 'Failed'))),
      'pod-delete: probe users: GET http://web/ answered\n503; 3 of 40 requests failed (and 1 more)',
      ['pod-delete: probe bare: failed'],
    ],
    [
      'an error in the form of upstream',
      engine({
        ...{ experimentName: 'pod-delete', experimentVerdict: 'Error' },
        failStep: `CHAOS_INJECT_ERROR : ${JSON_REASON}`,
        chaosResult: { status: { experimentStatus: { verdict: 'Error' }, probeStatuses: [] } },
      }),
      'pod-delete: could not inject its fault: no tc (pod a)',
      [],
    ],
    [
      'an experiment that is missing',
      engine({ experimentName: 'a', experimentVerdict: 'Fail', failStep: 'Not Found.' }, 'Error'),
      'a: Not Found',
      [],
    ],
    [
      'an engine that passed',
      engine({ experimentName: 'a', experimentVerdict: 'Pass', failStep: '' }),
      '',
      [],
    ],
  ];

for (const [name, account, said, further] of ROWS) {
  test(`why beside the outcome: ${name}`, () => {
    const text = JSON.stringify({ name: 'w', phase: 'Completed', ...account });
    const read = readExecutionData(text) ?? assert.fail('not read');
    const isUnbegun =
      read.nodes.length === 0 && read.phase === 'Completed' && !read.message.startsWith('invalid');
    const about = {
      isStopped: false,
      isOver: true,
      problem: isUnbegun ? DENIED.slice(0, -1) : null,
      faults: [],
    };
    const { reason = '' } = accountOutcome(read, about);
    assert.equal(reason, said);
    assert.deepEqual(furtherReasons(text, reason), further);
  });
}

test('why of an outcome without a reason', () => {
  const words = JSON.stringify({ message: '\u001b[2J\r\nno\u0000 ', nodes: {} });
  assert.deepEqual(furtherReasons(words, ''), ['[2J no']);
  const stopped = JSON.stringify(engine(failed(probe('users', 'Failed', SLOW))));
  assert.deepEqual(furtherReasons(stopped, ''), [
    'pod-delete: probe users: GET http://web/ answered 503; 3 of 40 requests failed',
  ]);
});

for (const text of ['{', '[]', '{}', '{"message":7,"nodes":[null],"chaosData":""}'])
  test(`why: another form, ${text}`, () => assert.deepEqual(furtherReasons(text, ''), []));
