import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient, WatchEvent } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { WorkloadSightings } from './workload-sightings.ts';

const OWNER = { kind: 'deployment', name: 'web' };

function pod(name: string, isReady = true): Pod {
  const ownerReferences = [{ kind: 'ReplicaSet', name: 'web-abc', uid: 'r', apiVersion: 'apps/v1' }];
  const status = {
    phase: 'Running',
    containerStatuses: [{ name: 'web', ready: isReady, restartCount: 0 }],
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  };
  // Test data: written as it is.
  return {
    ...{ metadata: { name, namespace: 'shop', uid: name, ownerReferences }, status },
    spec: { containers: [{ name: 'web' }] },
  } as unknown as Pod;
}

/** Time goes on while pods are looked at. */
class RunningClock extends FakeClock {
  override now(): number {
    this.set(1);
    return super.now();
  }
}

const ALL = ['a', 'b', 'c'].map((name) => pod(name));

test('pods that are seen at once are one number, by the choice of targets and by lists; none are no number', async () => {
  const stop = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const client = {
    list: async () => ({ items: [pod('a', false), pod('b', false), pod('c')], metadata: {} }),
    async *watch(): AsyncGenerator<WatchEvent<Pod>> {
      yield { type: 'DELETED', object: pod('c') };
      yield { type: 'ADDED', object: pod('d') };
      stop.abort();
      end();
    },
  };
  const clock = new RunningClock();
  const workloads = new WorkloadSightings({
    // Of the client only what is asked for.
    client: client as unknown as Pick<KubeClient, 'list' | 'watch'>,
    ...{ clock, signal: stop.signal, onChange: () => {} },
  });
  const target = (name: string) => ({
    ...{ kind: 'pod', name: 'a', namespace: 'shop' },
    owner: { ...OWNER, name },
  });
  workloads.follow([target('web'), target('other')], ALL);
  await ended;
  const found = workloads.readiness({ beginsMs: 0, fromMs: 0, toMs: clock.now() });
  assert.deepEqual(
    found.map(({ name, ready }) => [name, ready?.map(({ pods }) => pods)]),
    [['web', [3, 1, 0, 1]]],
  );
});
