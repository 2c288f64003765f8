import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, unless } from '../client/errors.ts';
import { type StepOutcome, untilSettled } from './controller.ts';
import { isOutdated } from './errors.ts';

test('steps are taken until one changes nothing, but not for ever', async () => {
  const run = async (outcomes: readonly (StepOutcome | undefined)[]): Promise<[unknown, number]> => {
    let steps = 0;
    const result = await untilSettled(async () => outcomes[Math.min(steps++, outcomes.length - 1)]);
    return [result, steps];
  };
  assert.deepEqual(await run([undefined]), [undefined, 1]);
  assert.deepEqual(await run([{ changed: true }, undefined]), [undefined, 2]);
  assert.deepEqual(
    await run([
      { changed: true, requeueAfterMs: 5 },
      { changed: false, requeueAfterMs: 7 },
    ]),
    [{ requeueAfterMs: 7 }, 2],
  );
  assert.deepEqual(await run([{ changed: true }]), [{ requeueAfterMs: 0 }, 8]);
});

test('an expected failure is none, any other is thrown', async () => {
  const failing = async (code: number, reason: string): Promise<string> => {
    throw new ApiError('PUT /x', code, { reason });
  };
  assert.equal(await unless(isOutdated, Promise.resolve('done')), 'done');
  assert.equal(await unless(isOutdated, failing(409, 'Conflict')), undefined);
  assert.equal(await unless(isOutdated, failing(404, 'NotFound')), undefined);
  await assert.rejects(unless(isOutdated, failing(403, 'Forbidden')), /Forbidden/);
});
