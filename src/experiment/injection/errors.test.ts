import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import { describeError, errorOutputOf, InjectError, TargetSelectionError } from './errors.ts';

test('one error as errorOutput, members in the known order, empty ones left out', () => {
  const cause = new Error('refused');
  const error = new InjectError('cannot delete', { cause, target: '{podName: x}', source: 'helper-1' });
  assert.deepEqual(errorOutputOf(error, 'ChaosInject'), {
    errorCode: 'CHAOS_INJECT_ERROR',
    reason:
      '{"source":"helper-1","errorCode":"CHAOS_INJECT_ERROR","phase":"ChaosInject","reason":"cannot delete: refused","target":"{podName: x}"}',
  });
  assert.equal(
    errorOutputOf(new TargetSelectionError('none', { phase: 'PreChaos' }), 'PostChaos').reason,
    '{"errorCode":"TARGET_SELECTION_ERROR","phase":"PreChaos","reason":"none"}',
  );
});

test('several errors are a list, with the code of the first that has one', () => {
  const several = new AggregateError([new Error('plain'), new InjectError('one')]);
  const { errorCode, reason } = errorOutputOf(several, 'ChaosInject');
  assert.equal(errorCode, 'CHAOS_INJECT_ERROR');
  assert.deepEqual(JSON.parse(reason), [
    { errorCode: 'NON_USER_FRIENDLY_ERROR', phase: 'ChaosInject', reason: 'plain' },
    { errorCode: 'CHAOS_INJECT_ERROR', phase: 'ChaosInject', reason: 'one' },
  ]);
});

test('an error without a code is plain text without a stack', () => {
  const output = errorOutputOf(new TypeError('x is undefined'), 'PreChaos');
  assert.deepEqual(output, { errorCode: 'NON_USER_FRIENDLY_ERROR', reason: 'x is undefined' });
});

test('each cause appears once', () => {
  const inner = new Error('socket closed');
  assert.equal(describeError(new Error('cannot read', { cause: inner })), 'cannot read: socket closed');
  assert.equal(
    describeError(new Error('cannot read: socket closed', { cause: inner })),
    'cannot read: socket closed',
  );
  assert.equal(describeError('text'), 'text');
});

test('a request that the API server refuses is no defect of the program, and says what to grant', () => {
  const message = 'user may not get deployments';
  const refused = new ApiError('GET /x', 403, { code: 403, reason: 'Forbidden', message });
  const { errorCode, reason } = errorOutputOf(refused, 'PostChaos');
  assert.equal(errorCode, 'GENERIC_ERROR');
  assert.deepEqual(JSON.parse(reason), {
    errorCode: 'GENERIC_ERROR',
    phase: 'PostChaos',
    reason: `GET /x: 403 Forbidden: ${message}; grant this to the service account of the engine`,
  });
});
