import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStatus } from './response.ts';

const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure' };

const table: readonly { name: string; code: number; type: string | undefined; text: string; is: object }[] = [
  {
    name: 'a Status as it is',
    code: 409,
    type: 'application/json; charset=utf-8',
    text: JSON.stringify({ ...status, reason: 'AlreadyExists', message: 'm', code: 409 }),
    is: { ...status, reason: 'AlreadyExists', message: 'm', code: 409 },
  },
  {
    name: 'a Status without reason gets that of its code',
    code: 409,
    type: 'application/json',
    text: JSON.stringify({ ...status, message: 'm' }),
    is: { ...status, message: 'm', reason: 'Conflict' },
  },
  {
    name: 'the page of a proxy',
    code: 503,
    type: 'text/html',
    text: '<html>\n  <b>Bad</b>\n</html>\n',
    is: { ...status, code: 503, reason: 'ServiceUnavailable', message: '<html> <b>Bad</b> </html>' },
  },
  {
    name: 'JSON that is no Status',
    code: 401,
    type: 'application/json',
    text: '{"error":"x"}',
    is: { ...status, code: 401, reason: 'Unauthorized', message: '{"error":"x"}' },
  },
  {
    name: 'broken JSON',
    code: 500,
    type: 'application/json',
    text: '{"kind":',
    is: { ...status, code: 500, reason: 'InternalError', message: '{"kind":' },
  },
  {
    name: 'nothing at all',
    code: 418,
    type: undefined,
    text: '',
    is: { ...status, code: 418, reason: '', message: 'the server sent no explanation' },
  },
];

for (const { name, code, type, text, is } of table) {
  test(`reads ${name}`, () => assert.deepEqual(toStatus(code, type, text), is));
}

test('a long page is cut', () => {
  assert.equal(toStatus(500, 'text/html', 'x'.repeat(1_000)).message, `${'x'.repeat(300)}…`);
});
