import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from './error-message.ts';

const refused = (address: string): Error => new Error(`connect ECONNREFUSED ${address}`);

const CASES: readonly [thrown: unknown, text: string][] = [
  [new Error('too late'), 'too late'],
  ['too late', 'too late'],
  [Object.assign(new Error(''), { code: 'ECONNRESET' }), 'ECONNRESET'],
  [new Error(''), ''],
  [
    new AggregateError([refused('::1:80'), refused('127.0.0.1:80')]),
    'connect ECONNREFUSED ::1:80; connect ECONNREFUSED 127.0.0.1:80',
  ],
  [new AggregateError([refused('::1:80')], 'nobody answers'), 'nobody answers'],
];

test('what is said of an error: its message, else those of its errors, else its code', () => {
  for (const [thrown, text] of CASES) assert.equal(messageOf(thrown), text);
});
