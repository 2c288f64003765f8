import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { TestApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { until } from '@turnsole/kube/testing/until';
import type { CronWorkflow } from '@turnsole/workflows/kinds/cron-workflow';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CronWorld } from '../../../src/components/workflow-controller/testing/cron-world.ts';
import { Seeded } from '../../support/seeded.ts';
import type { Figures } from '../../support/seeds.ts';
import { type Moment, MortalClient } from './mortal-client.ts';

const MINUTE_MS = 60_000;
const STEPS = 8;
const POLICIES = ['Allow', 'Forbid', 'Replace'] as const;
const QUIET = { diagnostic: () => {} };

/** A controller and the client by which it dies. */
interface Process {
  readonly mortal: MortalClient;
  readonly stop: () => Promise<void>;
}

/**
 * A CronWorkflow for some minutes of a simulated clock, by one controller or two that know nothing of each other. They die at writes, and
 * others start some time later. Workflows end meanwhile, well or badly.
 *
 * No time is run twice; Forbid starts nothing beside what runs; Replace ends nothing before the time of the next; every end is counted
 * once; and at the end it goes on.
 */
export async function runSeed({ client }: TestApi, seed: number): Promise<Figures> {
  const draw = new Seeded(seed);
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:30Z'));
  const world = await CronWorld.create(client, clock, `seed-${seed}`);
  const policy = draw.pick(POLICIES);
  const isAlone = draw.chance(0.5);
  const limit = (): number => draw.between(0, 2);
  await world.schedule({
    concurrencyPolicy: policy,
    startingDeadlineSeconds: 3600,
    successfulJobsHistoryLimit: limit(),
    failedJobsHistoryLimit: limit(),
  });
  const created: string[] = [];
  const ended = new Map<string, 'Succeeded' | 'Failed'>();
  const onCreate = (name: string): void => {
    if (name === '') return;
    assert.ok(!created.includes(name), `${name} was created twice`);
    if (policy === 'Forbid' && isAlone)
      assert.deepEqual(
        created.filter((one) => !ended.has(one)),
        [],
        `${name} was created beside what runs`,
      );
    created.push(name);
  };
  const terminated = (name: string): void => {
    const followsAt = Number(name.replace('nightly-', '')) * 1000 + MINUTE_MS;
    assert.ok(clock.now() >= followsAt, `${name} was terminated before the time of the next`);
  };
  let deaths = 0;
  const begin = async (writes: number): Promise<Process> => {
    const moment: Moment = draw.chance(0.5) ? 'before' : 'after';
    const mortal = new MortalClient(client, writes, moment, { created: onCreate, terminated });
    return { mortal, stop: await world.start(QUIET, mortal.client) };
  };
  let processes: Process[] = [];
  const bury = async (): Promise<void> => {
    const dead = processes.filter(({ mortal }) => mortal.isDead);
    deaths += dead.length;
    await Promise.all(dead.map(({ stop }) => stop()));
    processes = processes.filter((process) => !dead.includes(process));
  };
  const endSome = async (share: number): Promise<void> => {
    for (const workflow of await present(world)) {
      const { name } = workflow.metadata;
      if (ended.has(name) || !draw.chance(share)) continue;
      const phase = draw.chance(0.5) ? 'Succeeded' : 'Failed';
      ended.set(name, phase);
      await world.end(workflow, phase);
    }
  };
  for (let step = 0; step < STEPS; step += 1) {
    // The first status is written: an end that comes before it is not counted, as after a client has erased the status.
    const fewest = step === 0 ? 4 : 0;
    while (processes.length < (isAlone ? 1 : 2)) processes.push(await begin(draw.between(fewest, 5)));
    await clock.advance(draw.between(10_000, 90_000));
    for (let turns = draw.between(0, 20); turns > 0; turns -= 1) await clock.advance(10);
    await endSome(0.4);
    await bury();
  }
  await Promise.all(processes.map(({ stop }) => stop()));
  processes = [];
  await endSome(1);
  const last = await begin(Number.POSITIVE_INFINITY);
  const due = Math.ceil((clock.now() + 1) / MINUTE_MS) * MINUTE_MS;
  await until(
    async () => {
      await endSome(1);
      await clock.advance(1_000);
      return created.some((name) => name >= `nightly-${due / 1000}`);
    },
    () => `${new Date(due).toISOString()} and what follows was not run; there are ${created.join(', ')}`,
  );
  await endSome(1);
  const count = (phase: string): number => [...ended.values()].filter((one) => one === phase).length;
  const wanted = (): object => ({ succeeded: count('Succeeded'), failed: count('Failed') });
  let counted: object = {};
  await until(
    async () => {
      await clock.advance(100);
      await endSome(1);
      const place = { namespace: world.namespace };
      const { status = {} } = await client.get<CronWorkflow>(CRON_WORKFLOWS, 'nightly', place);
      counted = { succeeded: status.succeeded, failed: status.failed };
      return isDeepStrictEqual(counted, wanted());
    },
    () => `ends are counted as ${JSON.stringify(counted)}, there were ${JSON.stringify(wanted())}`,
    5_000,
  );
  await last.stop();
  return { workflows: created.length, deaths };
}

async function present({ client, namespace }: CronWorld): Promise<readonly Workflow[]> {
  const { items } = await client.list<Workflow>(WORKFLOWS, { namespace });
  return items;
}
