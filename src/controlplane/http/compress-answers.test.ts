import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { compressAnswers } from './compress-answers.ts';

const LONG = { runs: Array.from({ length: 200 }, (_, index) => ({ name: 'checkout', index })) };

const ROWS: readonly {
  readonly what: string;
  readonly answer: unknown;
  readonly type?: string;
  readonly accepts?: string;
  readonly isCompressed: boolean;
}[] = [
  { what: 'a long answer', answer: LONG, accepts: 'gzip, deflate, br', isCompressed: true },
  {
    what: 'a long answer in a form of GraphQL',
    answer: JSON.stringify(LONG),
    type: 'application/graphql-response+json',
    accepts: 'gzip',
    isCompressed: true,
  },
  { what: 'a long answer for those who take nothing', answer: LONG, isCompressed: false },
  { what: 'a short answer', answer: { runs: [] }, accepts: 'gzip', isCompressed: false },
  {
    what: 'a long text',
    answer: JSON.stringify(LONG),
    type: 'text/plain',
    accepts: 'gzip',
    isCompressed: false,
  },
];

for (const { what, answer, type = 'application/json', accepts, isCompressed } of ROWS) {
  test(`${what} is ${isCompressed ? '' : 'not '}compressed, and says the same`, async () => {
    const app = fastify();
    compressAnswers(app as never);
    app.get('/', async (_request, reply) => reply.header('vary', 'origin').type(type).send(answer));
    const headers = accepts === undefined ? {} : { 'accept-encoding': accepts };
    const { headers: got, rawPayload, body } = await app.inject({ url: '/', headers });
    assert.equal(got['content-encoding'], isCompressed ? 'gzip' : undefined);
    assert.equal(got['content-length'], String(rawPayload.length));
    const text = isCompressed ? gunzipSync(rawPayload).toString() : body;
    assert.deepEqual(JSON.parse(text), typeof answer === 'string' ? JSON.parse(answer) : answer);
    if (isCompressed) assert.equal(got.vary, 'origin, accept-encoding');
    await app.close();
  });
}
