import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runReasons } from './run-reasons.ts';

const engine = (chaosData: object): object => ({ message: 'completed', nodes: { a: {}, b: { chaosData } } });
const DENIED = 'webhook "x" denied the request';

const ROWS: readonly [name: string, account: unknown, reasons: readonly string[]][] = [
  ['a run that never began', { message: DENIED, nodes: {} }, [DENIED]],
  ['words that would move the cursor', { message: '\u001b[2J\r\nno\u0000 ' }, ['[2J no']],
  ['an experiment that is missing', engine({ experimentName: 'a', failStep: 'Not Found' }), ['a: Not Found']],
  ['one of upstream by its other name', engine({ faultName: 'f', failStep: 'A : b' }), ['f: A : b']],
  ['an engine that passed', engine({ experimentName: 'pod-delete', failStep: '' }), []],
  [
    'an engine whose probe failed',
    engine({
      experimentName: 'pod-delete',
      failStep: '',
      chaosResult: {
        status: {
          probeStatuses: [
            {
              name: 'users',
              status: {
                verdict: 'Failed',
                description: 'GET http://web/ answered\n503; 3 of 40 requests failed',
              },
            },
            { name: 'held', status: { verdict: 'Passed', description: 'fine' } },
            { name: 'bare', status: { verdict: 'Failed' } },
            null,
          ],
        },
      },
    }),
    ['probe users: GET http://web/ answered 503; 3 of 40 requests failed', 'probe bare: failed'],
  ],
  ['nothing at all', {}, []],
  ['another form', { message: 7, nodes: [null], chaosData: '' }, []],
  ['a list', [], []],
];

for (const [name, account, reasons] of ROWS) {
  test(`why: ${name}`, () => assert.deepEqual(runReasons(JSON.stringify(account)), reasons));
}

test('why: a text that is no JSON', () => assert.deepEqual(runReasons('{'), []));
