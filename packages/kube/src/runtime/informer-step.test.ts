import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '../client/errors.ts';
import { decideNextStep, type StepOutcome } from './informer-step.ts';

const failed = (during: 'list' | 'watch', error: unknown, lived: boolean): StepOutcome => ({
  type: 'failed',
  during,
  error,
  resourceVersion: '7',
  lived,
});
const api = (code: number): ApiError => new ApiError('GET', code, {});
const broken = new ConnectionError('GET', 'reset');

const table: readonly { name: string; outcome: StepOutcome; next: string }[] = [
  { name: 'listed', outcome: { type: 'listed', resourceVersion: '7' }, next: 'watch from 7' },
  {
    name: 'the server ended the watch',
    outcome: { type: 'ended', resourceVersion: '7', lived: true },
    next: 'watch from 7',
  },
  {
    name: 'it ended it at once',
    outcome: { type: 'ended', resourceVersion: '7', lived: false },
    next: 'failure: watch',
  },
  { name: 'silence', outcome: { type: 'stalled', resourceVersion: '7' }, next: 'watch from 7' },
  { name: 'list failed', outcome: failed('list', api(500), false), next: 'failure: list' },
  { name: 'list forbidden', outcome: failed('list', api(403), false), next: 'failure: list' },
  { name: 'connection lost', outcome: failed('watch', broken, true), next: 'failure: watch' },
  { name: 'position lost after some time', outcome: failed('watch', api(410), true), next: 'list' },
  { name: 'position lost at once', outcome: failed('watch', api(410), false), next: 'failure: list' },
  { name: 'watch forbidden', outcome: failed('watch', api(403), false), next: 'failure: list' },
  { name: 'kind no longer served', outcome: failed('watch', api(404), true), next: 'failure: list' },
  { name: 'overload', outcome: failed('watch', api(429), false), next: 'failure: watch' },
  { name: 'server failure', outcome: failed('watch', api(503), false), next: 'failure: watch' },
];

for (const { name, outcome, next } of table) {
  test(`${name} → ${next}`, () => {
    const { step, isFailure } = decideNextStep(outcome);
    const target =
      step.name === 'wait'
        ? step.next
        : step.name === 'watch'
          ? `watch from ${step.resourceVersion}`
          : step.name;
    assert.equal(isFailure ? `failure: ${target}` : target, next);
    assert.equal(isFailure, step.name === 'wait');
  });
}
