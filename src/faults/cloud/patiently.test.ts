import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { CloudError, type CloudErrorKind } from './cloud-error.ts';
import { patiently } from './patiently.ts';

const failing = (kind: CloudErrorKind) => new CloudError(kind, kind, kind);

function tries(errors: readonly CloudErrorKind[], limitMs: number, signal = new AbortController().signal) {
  let calls = 0;
  const attempt = (): Promise<number> => {
    const error = errors[calls++];
    return error === undefined ? Promise.resolve(calls) : Promise.reject(failing(error));
  };
  const patience = { clock: fastClock(2_000), random: () => 0.5, signal, limitMs };
  return patiently(attempt, patience).then(String, (error: Error) => `${error.message} after ${calls}`);
}

test('what was throttled for a minute, or had no answer, is tried again', async () => {
  assert.equal(await tries(['throttled', 'throttled', 'unavailable'], 60_000), '4');
  assert.equal(
    await tries(
      Array.from({ length: 9 }, () => 'throttled' as const),
      120_000,
    ),
    '10',
  );
});

test('not before the API wants to be asked again', async () => {
  const clock = fastClock(2_000);
  const busy = new CloudError('throttled', 'TooManyRequests', 'later', { pauseMs: 30_000 });
  const errors = [busy];
  const startedAt = clock.monotonic();
  await patiently(
    () => {
      const error = errors.pop();
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    },
    { clock, random: () => 0.5, signal: new AbortController().signal, limitMs: 60_000 },
  );
  assert.ok(clock.monotonic() - startedAt >= 30_000);
});

test('not for ever', async () => {
  assert.match(
    await tries(
      Array.from({ length: 99 }, () => 'throttled' as const),
      30_000,
    ),
    /^throttled after \d$/,
  );
});

test('what another try would not change is not tried again', async () => {
  for (const kind of ['denied', 'gone', 'refused', 'busy'] as const) {
    assert.equal(await tries([kind], 60_000), `${kind} after 1`);
  }
});

test('an abort ends it', async () => {
  await assert.rejects(
    patiently(() => Promise.reject(failing('throttled')), {
      clock: fastClock(),
      random: () => 0.5,
      signal: AbortSignal.abort(new Error('enough')),
      limitMs: 60_000,
    }),
    /enough/,
  );
});
