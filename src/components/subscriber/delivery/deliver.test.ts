import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { until } from '@turnsole/kube/testing/until';
import type { Answer } from '../../../agent-link/answer.ts';
import { openFolder } from '../../../spool/folder.ts';
import { Spool } from '../../../spool/spool.ts';
import type { RunEvent } from '../events/run-event.ts';
import { storedEvent } from '../events/stored-event.ts';
import { Delivery } from './deliver.ts';

const HOUR_MS = 3_600_000;
const TAKEN: Answer = { type: 'delivered', data: { chaosExperimentRun: 'received' } };
const AWAY: Answer = { type: 'again', why: 'away' };

interface Scene {
  readonly clock: FakeClock;
  readonly spool: Spool;
  readonly sent: string[];
  readonly delivery: Delivery;
}

async function scene(t: TestContext, answer: (run: string, tries: number) => Answer): Promise<Scene> {
  const path = await mkdtemp(join(tmpdir(), 'turnsole-delivery-'));
  const spool = await Spool.open({ folder: await openFolder(path), limitBytes: 64 * 1024 * 1024 });
  const clock = new FakeClock();
  const startedAt = clock.now();
  const sent: string[] = [];
  const tries = new Map<string, number>();
  const ending = new AbortController();
  const delivery = new Delivery({
    spool,
    client: {
      send: async ({ variables }) => {
        const { experimentRunID } = variables.request as { experimentRunID: string };
        const count = (tries.get(experimentRunID) ?? 0) + 1;
        tries.set(experimentRunID, count);
        sent.push(experimentRunID);
        return answer(experimentRunID, count);
      },
    },
    identity: () => ({ infraID: 'i', version: 'v', accessKey: 'k' }),
    clock,
    random: () => 0.5,
    monotonic: () => clock.now() - startedAt,
    logger: silentLogger,
  });
  const running = delivery.run(ending.signal);
  t.after(async () => {
    ending.abort();
    await running;
    await spool.close();
    await rm(path, { recursive: true });
  });
  return { clock, spool, sent, delivery };
}

function store(spool: Spool, run: string): Promise<unknown> {
  // All of an event that is looked at here.
  const event = { uid: run, finishedAt: '1', nodes: {} } as RunEvent;
  return spool.append(run, storedEvent(event, Buffer.from('{}')), true);
}

/** Lets time go by from rest to rest: what is done between two of them takes as long as the disk needs, and no time of the clock. */
async function pass({ clock }: Scene, ms: number): Promise<void> {
  for (const end = clock.now() + ms; clock.now() < end; clock.runNext()) await clock.untilPending(1);
  await clock.untilPending(1);
}

/** Moves time on, beside the reading and writing of the disk, until nothing waits. */
async function untilEmpty({ clock, spool }: Scene): Promise<void> {
  const isEmpty = async (): Promise<boolean> => {
    await clock.advance(60_000);
    return spool.size === 0;
  };
  await until(isEmpty, () => `${spool.size} events still wait`);
}

test('10,000 events wait for a server that is away for an hour; then all arrive, in order', async (t) => {
  let isAway = true;
  const world = await scene(t, () => (isAway ? AWAY : TAKEN));
  const runs = Array.from({ length: 10_000 }, (_, index) => `run-${index}`);
  await Promise.all(runs.map((run) => store(world.spool, run)));
  await pass(world, HOUR_MS);
  assert.equal(world.spool.size, 10_000);
  assert.ok(world.sent.length > 100 && world.sent.length < 250, `${world.sent.length} tries in an hour`);
  assert.equal(world.delivery.problem, 'away');
  isAway = false;
  world.sent.length = 0;
  const emptied = new Promise<void>((resolve) => {
    world.spool.onChange(() => {
      if (world.spool.size === 0) resolve();
    });
  });
  world.clock.runNext();
  await emptied;
  assert.deepEqual(world.sent, runs);
  assert.equal(world.delivery.problem, undefined);
});

test('a run whose event the server refuses holds up itself and no other', async (t) => {
  const refusal: Answer = { type: 'refused', messages: ['cannot decode'] };
  const world = await scene(t, (run, tries) => (run === 'bad' && tries < 4 ? refusal : TAKEN));
  for (const run of ['good-1', 'bad', 'good-2']) await store(world.spool, run);
  await untilEmpty(world);
  assert.deepEqual(world.sent, ['good-1', 'bad', 'good-2', 'bad', 'bad', 'bad']);
  assert.equal(world.spool.size, 0);
});

test('what the server does not want is not sent again', async (t) => {
  const duplicate: Answer = {
    type: 'refused',
    messages: ['experiment run has been discarded due the duplicate event, x'],
  };
  const world = await scene(t, () => duplicate);
  await store(world.spool, 'over');
  await untilEmpty(world);
  assert.deepEqual(world.sent, ['over']);
});

test('nothing is waited for at the end but what may go now', async (t) => {
  const refusal: Answer = { type: 'refused', messages: ['cannot decode'] };
  const world = await scene(t, (run) => (run === 'bad' ? refusal : AWAY));
  assert.equal(world.delivery.isBusy, false);
  await store(world.spool, 'bad');
  assert.equal(world.delivery.isBusy, true);
  await until(() => !world.delivery.isBusy, 'a run that is held keeps it busy');
  assert.deepEqual([world.sent, world.delivery.problem], [['bad'], undefined]);
  await store(world.spool, 'other');
  await until(() => world.delivery.problem !== undefined, 'the server is not away');
  assert.deepEqual([world.delivery.isBusy, world.spool.size], [false, 2]);
});
