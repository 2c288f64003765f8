import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, judgeAnswer, withoutSecrets } from './answer.ts';

const TABLE: readonly (readonly [
  name: string,
  status: number,
  body: string,
  type: Answer['type'],
  says?: RegExp,
])[] = [
  ['data', 200, '{"data":{"a":1}}', 'delivered'],
  ['errors with 200', 200, '{"errors":[{"message":"no"}],"data":null}', 'refused', /no/],
  ['errors with 422', 422, '{"errors":[{"message":"unknown field"}]}', 'refused', /unknown field/],
  ['errors of odd shapes', 200, '{"errors":[null,"x"]}', 'refused', /without a message/],
  ['too large', 413, '<html>', 'refused', /too large/],
  ['errors with 500', 500, '{"errors":[{"message":"panic"}]}', 'again', /HTTP 500/],
  ['a page with 200', 200, '<html><body>Welcome', 'again', /no JSON.*Welcome/],
  ['a page with 404', 404, 'not found', 'again', /HTTP 404.*SERVER_ADDR/],
  ['nothing', 200, '', 'again', /no JSON/],
  ['half', 200, '{"data":{"a"', 'again', /no JSON/],
  ['a list', 200, '[]', 'again', /no JSON/],
  ['neither', 200, '{"data":null}', 'again', /neither data nor errors/],
  ['overload', 429, '{}', 'again', /could not answer/],
];

for (const [name, status, body, type, says] of TABLE) {
  test(`${name}: ${type}`, () => {
    const answer = judgeAnswer({ status, body, retryAfter: undefined });
    assert.equal(answer.type, type);
    const text =
      answer.type === 'refused' ? answer.messages.join() : answer.type === 'again' ? answer.why : '';
    if (says !== undefined) assert.match(text, says);
  });
}

for (const [header, afterMs] of [
  ['3', 3_000],
  ['999999', 300_000],
  ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ['-1', undefined],
] as const) {
  test(`retry-after ${header}: ${afterMs} ms`, () => {
    const answer = judgeAnswer({ status: 503, body: '{}', retryAfter: header });
    assert.equal(answer.type === 'again' ? answer.afterMs : Number.NaN, afterMs);
  });
}

test('JSON that was cut is not shown: it may hold a key', () => {
  const body = '{"data":{"confirmInfraRegistration":{"newAccessKey":"c2VjcmV0LXNlY3JldA==';
  const answer = judgeAnswer({ status: 200, body, retryAfter: undefined });
  assert.equal(answer.type, 'again');
  assert.doesNotMatch(JSON.stringify(answer), /c2Vj/);
});

test('a key that a server repeats is concealed', () => {
  const refused: Answer = { type: 'refused', messages: ['got key "k-1"', 'k-1k-1'] };
  assert.deepEqual(withoutSecrets(refused, ['k-1', '']), {
    type: 'refused',
    messages: ['got key "***"', '******'],
  });
  const again: Answer = { type: 'again', why: '<p>k-1' };
  assert.deepEqual(withoutSecrets(again, ['k-1']), { type: 'again', why: '<p>***' });
});
