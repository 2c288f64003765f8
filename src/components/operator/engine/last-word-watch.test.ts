/** Against the embedded API server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAOS_RESULTS, type ChaosEngine } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import { FakeClock } from '../../../kube/testing/fake-clock.ts';
import { LastWordWatch } from './last-word-watch.ts';

function engine(uid: string): ChaosEngine {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: uid, namespace: 'default', uid },
    spec: { experiments: [] },
  };
}

/** A client whose watches stay open until they are ended; it counts those that are open. */
function countingClient() {
  const counts = { open: 0 };
  const watch: KubeClient['watch'] = async function* (resource, { signal } = {}) {
    assert.equal(resource, CHAOS_RESULTS);
    counts.open += 1;
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    try {
      yield await promise;
    } finally {
      counts.open -= 1;
    }
  };
  // Nothing but watches is asked of it.
  return { counts, client: { watch } as KubeClient };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('watches end with the controller, and one that is asked for behind its end is not begun', async () => {
  const { counts, client } = countingClient();
  const clock = new FakeClock();
  const words = new LastWordWatch(client, clock);
  const unsubscribe = words.subscribe(() => {});
  words.follow(engine('a'));
  await turn();
  assert.equal(counts.open, 1);
  unsubscribe();
  words.follow(engine('b'));
  await turn();
  await clock.advance(10_000);
  assert.equal(counts.open, 0);
  assert.equal(clock.pending, 0);
});
