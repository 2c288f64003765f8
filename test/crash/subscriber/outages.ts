import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { until } from '@turnsole/kube/testing/until';
import {
  createInfrastructure,
  defineRunKinds,
  environment,
} from '../../../src/components/subscriber/testing/infrastructure.ts';
import { Choices } from '../durability/random.ts';
import { Arrivals } from './arrivals.ts';
import { STEPS, Stream } from './stream.ts';
import { SubscriberProcess } from './subscriber-process.ts';

/** What a run of the suite is made of. */
export interface OutageOptions {
  readonly seed: number;
  readonly events: number;
  readonly outages: number;
  readonly onProgress?: (line: string) => void;
}

const NAMESPACE = 'infra';
const KINDS = ['cut', 'server', 'subscriber'] as const;

/**
 * Makes changes of runs while the server is killed, connections are cut, and the subscriber is killed. Afterwards the last state of each
 * run must have arrived, and no state after a newer one; and every step of the engines' timelines.
 */
export async function surviveOutages(options: OutageOptions): Promise<Readonly<Record<string, number>>> {
  const choices = new Choices(options.seed);
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startApi(createApiServer));
  await defineRunKinds(api.client);
  await createInfrastructure(api.client, NAMESPACE);
  const arrivals = stack.use(await Arrivals.start());
  const spool = await mkdtemp(join(tmpdir(), 'turnsole-outages-'));
  stack.defer(() => rm(spool, { recursive: true, force: true }));
  const env = environment(NAMESPACE, arrivals.url, spool);
  const subscriber = new SubscriberProcess(api.server.kubeconfigPath, env);
  stack.defer(() => subscriber.kill());
  subscriber.start();

  const runs = Math.ceil(options.events / STEPS);
  const stream = new Stream(api.client, NAMESPACE, choices, runs);
  const counts = { cut: 0, server: 0, subscriber: 0 };
  let change = 0;
  for (let outage = 0; !stream.isOver; change += 1) {
    await stream.next();
    if (change < ((outage + 1) * options.events) / (options.outages + 1) || outage >= options.outages)
      continue;
    outage += 1;
    const kind = choices.one(KINDS);
    counts[kind] += 1;
    await strike(kind, arrivals, subscriber, choices);
    if (outage % 50 === 0) options.onProgress?.(`${outage} outages, ${arrivals.over} of ${runs} runs over`);
  }
  await until(
    () => arrivals.over === runs,
    () =>
      `only ${arrivals.over} of ${runs} last states have arrived; the subscriber says: ${subscriber.said}`,
  );
  const hasAllSteps = (engine: string): boolean => arrivals.stepsOf(engine) === STEPS;
  await until(
    () => stream.engines.every(hasAllSteps),
    () =>
      `steps of ${stream.engines.filter((engine) => !hasAllSteps(engine)).join()} have not arrived; the subscriber says: ${subscriber.said}`,
  );
  assert.deepEqual(arrivals.problems, []);
  for (let run = 0; run < runs; run++) assert.equal(arrivals.stepOf(`run-${run}`), STEPS);
  return { changes: change, runs, engines: stream.engines.length, delivered: arrivals.count, ...counts };
}

async function strike(
  kind: (typeof KINDS)[number],
  arrivals: Arrivals,
  subscriber: SubscriberProcess,
  choices: Choices,
): Promise<void> {
  switch (kind) {
    case 'cut':
      arrivals.cut();
      return;
    case 'server':
      await arrivals.kill();
      // How long it is away is what is tried here.
      await delay(choices.between(0, 100));
      await arrivals.restart();
      return;
    case 'subscriber':
      await subscriber.kill();
      subscriber.start();
      // It is met at any point of its start or of its work, to which it would never come on a busy machine if nobody waited for it.
      if (choices.between(0, 1) === 1) await arrivals.subscribed();
      await delay(choices.between(0, 1_500));
  }
}
