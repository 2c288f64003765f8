import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Lease } from '../../api/core.ts';
import { LEASES } from '../../api/resources.ts';
import { createApiServer } from '../../local/apiserver/index.ts';
import { startApi } from '../testing/api.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { until } from '../testing/until.ts';
import { startYielding } from './yielding.ts';

const NAME = 'peers';
const place = { namespace: 'default' };

/** A component that stands aside for a peer, and whose first start fails when the peer releases its lease. */
async function afterFailedStart(context: TestContext) {
  const api = await startApi(createApiServer);
  context.after(() => api[Symbol.asyncDispose]());
  const { client } = api;
  const clock = new FakeClock();
  const renewTime = new Date(clock.now()).toISOString();
  const spec = { holderIdentity: 'them', renewTime, leaseDurationSeconds: 3600 };
  await client.create<Lease>(LEASES, { metadata: { name: NAME }, spec }, place);
  const failed = Promise.withResolvers<void>();
  let starts = 0;
  let stops = 0;
  const component = await startYielding({
    client,
    clock,
    leaseName: NAME,
    start: async () => {
      starts += 1;
      if (starts === 1) {
        failed.resolve();
        throw new Error('it cannot start yet');
      }
      return { stop: async () => void (stops += 1) };
    },
  });
  await client.patch(LEASES, NAME, 'merge', { spec: { holderIdentity: '' } }, place);
  await failed.promise;
  return { clock, component, starts: () => starts, stops: () => stops };
}

test('work that could not be taken up when the peer had gone is tried again', async (context) => {
  const { clock, component, starts, stops } = await afterFailedStart(context);
  const isStartedAgain = async (): Promise<boolean> => {
    await clock.advance(1_000);
    return starts() > 1;
  };
  await until(isStartedAgain, 'the work is taken up');
  await component.stop();
  assert.deepEqual([starts(), stops()], [2, 1]);
});

test('a component whose work could not be taken up can be stopped', async (context) => {
  const { clock, component, starts } = await afterFailedStart(context);
  await component.stop();
  await clock.advance(60_000);
  assert.equal(starts(), 1);
});
