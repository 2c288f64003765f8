import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answer, answerOfGrpc, answerOfHttp } from './answer.ts';

const HTTP: readonly (readonly [status: number, after: string | undefined, body: string, answer: Answer])[] =
  [
    [200, undefined, '{}', { kind: 'taken' }],
    [202, undefined, '', { kind: 'taken' }],
    [400, undefined, ' bad data\n', { kind: 'refused', why: 'the collector answered 400: bad data' }],
    [401, undefined, '', { kind: 'refused', why: 'the collector answered 401' }],
    [500, '5', '', { kind: 'refused', why: 'the collector answered 500' }],
    [503, '2', '', { kind: 'later', why: 'the collector answered 503', afterMs: 2000 }],
    [429, 'Wed, 21 Oct', '', { kind: 'later', why: 'the collector answered 429' }],
    [504, undefined, '', { kind: 'later', why: 'the collector answered 504' }],
  ];
for (const [status, after, body, answer] of HTTP)
  test(`HTTP ${status}`, () => assert.deepEqual(answerOfHttp(status, after, body), answer));

const GRPC: readonly (readonly [
  code: string | undefined,
  http: number | undefined,
  message: string | undefined,
  answer: Answer,
])[] = [
  ['0', 200, undefined, { kind: 'taken' }],
  ['14', 200, 'not%20now', { kind: 'later', why: 'the collector answered gRPC code 14: not now' }],
  ['8', 200, undefined, { kind: 'refused', why: 'the collector answered gRPC code 8' }],
  ['16', 200, '100%', { kind: 'refused', why: 'the collector answered gRPC code 16: 100%' }],
  [
    undefined,
    404,
    undefined,
    { kind: 'refused', why: 'the collector answered 404: this is no answer of gRPC' },
  ],
  [
    undefined,
    503,
    undefined,
    { kind: 'later', why: 'the collector answered 503: this is no answer of gRPC' },
  ],
  [undefined, 200, undefined, { kind: 'later', why: 'the collector ended the request without an answer' }],
];
for (const [code, http, message, answer] of GRPC)
  test(`gRPC ${code} with HTTP ${http}`, () => assert.deepEqual(answerOfGrpc(http, code, message), answer));
