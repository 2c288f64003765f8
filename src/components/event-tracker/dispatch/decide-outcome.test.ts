import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../agent-link/answer.ts';
import { decideOutcome } from './decide-outcome.ts';

const said = (gitopsNotifier: unknown): Answer => ({ type: 'delivered', data: { gitopsNotifier } });
const refused = (message: string): Answer => ({ type: 'refused', messages: [message] });

const TABLE: readonly (readonly [name: string, answer: Answer, type: string, says: RegExp])[] = [
  ['an acknowledgement', said('Request Acknowledged for experimentID: e'), 'ended', /^Sent: Request Ack/],
  ['GitOps is off', said('GitOps Disabled'), 'held', /GitOps is disabled for the project/],
  [
    'GitOps is off, in the spelling upstream looks for',
    said('Gitops Disabled'),
    'held',
    /GitOps is disabled/,
  ],
  ['a wrong key, as data', said('Validation failed'), 'held', /ACCESS_KEY/],
  ['null', said(null), 'held', /has no gitopsNotifier/],
  ['an object', said({}), 'held', /has no gitopsNotifier/],
  ['another field', { type: 'delivered', data: { other: 'x' } }, 'held', /has no gitopsNotifier/],
  ['an unknown experiment', refused('no such experiment found'), 'ended', /^Refused: no such experiment/],
  ['another error', refused('Cannot get Git Config from DB : x'), 'held', /Git Config/],
  ['no server', { type: 'again', why: 'cannot reach it' }, 'unreachable', /cannot reach it/],
];

for (const [name, answer, type, says] of TABLE) {
  test(`an answer with ${name}: ${type}`, () => {
    const outcome = decideOutcome(answer);
    assert.equal(outcome.type, type);
    assert.match(
      outcome.type === 'ended' ? `${outcome.end.state}: ${outcome.end.message}` : outcome.why,
      says,
    );
  });
}
