import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES } from '@turnsole/kube/kinds/resources';
import {
  LeaderElection,
  type LeaderElectionOptions,
  LeadershipLostError,
} from '@turnsole/kube/runtime/leader-election';
import { startApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';

const LEASE = { namespace: 'default', name: 'test.lock' };

/** A candidate with a clock of its own: candidates live on different machines. */
function candidate(client: KubeClient, identity: string, options: Partial<LeaderElectionOptions> = {}) {
  const clock = new FakeClock();
  const leading = Promise.withResolvers<AbortSignal>();
  const leaders: string[] = [];
  const stop = new AbortController();
  const election = new LeaderElection({
    client,
    ...LEASE,
    identity,
    clock,
    random: () => 0.5,
    onNewLeader: (holder) => leaders.push(holder),
    lead: (signal) => {
      leading.resolve(signal);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        if (signal.aborted) resolve();
      });
    },
    ...options,
  });
  return { clock, election, leading: leading.promise, leaders, stop, run: election.run(stop.signal) };
}

async function holderOf(client: KubeClient): Promise<string | undefined> {
  return (await client.get<Lease>(LEASES, LEASE.name, LEASE)).spec?.holderIdentity;
}

test('a standby takes over as soon as the leader steps down, without waiting', async () => {
  await using api = await startApi(createApiServer);
  const first = candidate(api.client, 'first');
  await first.leading;
  assert.equal(first.election.isLeader, true);
  assert.equal(await holderOf(api.client), 'first');
  const second = candidate(api.client, 'second');
  await second.clock.untilPending(1);
  assert.equal(second.election.isLeader, false);
  first.stop.abort();
  await first.run;
  // No clock is moved: the watch brings the news.
  await second.leading;
  assert.equal(await holderOf(api.client), 'second');
  assert.deepEqual([first.leaders, second.leaders], [[], ['first']]);
  second.stop.abort();
  await second.run;
  const lease = await api.client.get<Lease>(LEASES, LEASE.name, LEASE);
  assert.deepEqual([lease.spec?.holderIdentity, lease.spec?.leaseTransitions], ['', 1]);
});

test('a leader that has fallen silent is replaced when its lease has run out, and stops when it wakes up', async () => {
  await using api = await startApi(createApiServer);
  const first = candidate(api.client, 'first');
  const work = await first.leading;
  const second = candidate(api.client, 'second');
  await second.clock.untilPending(1);
  second.clock.advanceSync(14_999);
  assert.equal(second.election.isLeader, false);
  second.clock.advanceSync(1);
  await second.leading;
  first.clock.advanceSync(2_000);
  await assert.rejects(first.run, (error: Error) => {
    assert.ok(error instanceof LeadershipLostError);
    assert.equal(error.message, 'leadership of default/test.lock lost: the lease is held by "second"');
    return true;
  });
  assert.equal(work.aborted, true);
  assert.equal(first.election.isLeader, false);
  assert.equal(await holderOf(api.client), 'second', 'the loser must not release what is not its own');
  second.stop.abort();
  await second.run;
});

test('a leader renews its lease', async () => {
  await using api = await startApi(createApiServer);
  const first = candidate(api.client, 'first');
  await first.leading;
  const renewTime = async (): Promise<string | undefined> =>
    (await api.client.get<Lease>(LEASES, LEASE.name, LEASE)).spec?.renewTime;
  const before = await renewTime();
  const renewed = (async () => {
    for await (const event of api.client.watch<Lease>(LEASES, LEASE)) {
      if (event.type !== 'BOOKMARK' && event.object.spec?.renewTime !== before) return event.object;
    }
    throw new Error('the watch ended');
  })();
  await first.clock.untilPending(1);
  first.clock.advanceSync(2_000);
  assert.equal((await renewed).spec?.holderIdentity, 'first');
  first.stop.abort();
  await first.run;
});

test('a leader that cannot renew stops before its lease runs out', async () => {
  await using api = await startApi(createApiServer);
  let isCut = false;
  const cut: KubeClient = Object.create(api.client, {
    create: { value: api.client.create.bind(api.client) },
    find: { value: api.client.find.bind(api.client) },
    update: {
      value: (...call: Parameters<KubeClient['update']>) =>
        isCut ? Promise.reject(new Error('no way')) : api.client.update(...call),
    },
  });
  const first = candidate(cut, 'first');
  const work = await first.leading;
  isCut = true;
  const lost = assert.rejects(
    first.run,
    /lost: the lease could not be renewed for 10000 ms; check the connection/,
  );
  await first.clock.advance(9_999);
  assert.equal(work.aborted, false);
  await first.clock.advance(1);
  await lost;
  assert.ok(work.reason instanceof LeadershipLostError);
});

test('the lease stays ours until the work has ended', async () => {
  await using api = await startApi(createApiServer);
  const windUp = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const first = candidate(api.client, 'first', {
    lead: () => {
      started.resolve();
      return windUp.promise;
    },
  });
  await started.promise;
  first.stop.abort();
  assert.equal(await holderOf(api.client), 'first');
  windUp.resolve();
  await first.run;
  assert.equal(await holderOf(api.client), '');
});

test('without the right to watch a standby looks at intervals', async () => {
  await using api = await startApi(createApiServer);
  const first = candidate(api.client, 'first');
  await first.leading;
  const blind: KubeClient = Object.create(api.client, {
    create: { value: api.client.create.bind(api.client) },
    find: { value: api.client.find.bind(api.client) },
    update: { value: api.client.update.bind(api.client) },
    watch: {
      // oxlint-disable-next-line require-yield -- it is refused before it begins
      value: async function* () {
        throw new ApiError('GET watch', 403, { reason: 'Forbidden' });
      },
    },
  });
  const second = candidate(blind, 'second');
  await second.clock.untilPending(2);
  assert.equal(second.clock.nextInMs, 2_200);
  first.stop.abort();
  await first.run;
  second.clock.advanceSync(2_200);
  await second.leading;
  second.stop.abort();
  await second.run;
});

test('a deleted lease is made again by its holder', async () => {
  await using api = await startApi(createApiServer);
  const first = candidate(api.client, 'first');
  await first.leading;
  await first.clock.untilPending(1);
  await api.client.delete(LEASES, LEASE.name, LEASE);
  const again = (async () => {
    for await (const event of api.client.watch<Lease>(LEASES, LEASE)) {
      if (event.type === 'ADDED') return event.object;
    }
    throw new Error('the watch ended');
  })();
  first.clock.advanceSync(2_000);
  assert.equal((await again).spec?.holderIdentity, 'first');
  first.stop.abort();
  await first.run;
});

test('a candidate may be stopped while it waits, and times that cannot work are refused', async () => {
  await using api = await startApi(createApiServer);
  const first = candidate(api.client, 'first');
  await first.leading;
  const second = candidate(api.client, 'second');
  await second.clock.untilPending(1);
  second.stop.abort();
  await second.run;
  assert.equal(second.election.isLeader, false);
  assert.equal(second.clock.pending, 0);
  first.stop.abort();
  await first.run;
  assert.throws(() => candidate(api.client, 'x', { renewDeadlineMs: 20_000 }), {
    name: 'RangeError',
    message:
      'leader election of test.lock: leaseDurationMs (15000) > renewDeadlineMs (20000) > retryPeriodMs (2000) is expected; correct the three',
  });
});
