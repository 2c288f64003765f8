import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { EVENT_TRACKER_POLICIES, type EventTrackerPolicy } from '../../../src/api/index.ts';
import { NotifiedServer } from '../../../src/components/event-tracker/testing/notified-server.ts';
import {
  createPolicy,
  createShop,
  createWorkload,
  setImage,
} from '../../../src/components/event-tracker/testing/tracked-shop.ts';
import { Choices } from '../durability/random.ts';
import { TrackerProcess } from './tracker-process.ts';

/** A start takes about a third of it; the rest is work. */
const LONGEST_LIFE_MS = 1_500;

/**
 * Changes a workload while the tracker is killed as a process, at any moment of its start or its work. A change is made whether a tracker runs
 * or not, and waited for before the next.
 */
export async function surviveKills(
  api: TestApi,
  seed: number,
  kills: number,
): Promise<{ readonly changes: number; readonly kills: number; readonly repeated: number }> {
  const choices = new Choices(seed);
  const namespace = `kills-${seed}`;
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await NotifiedServer.start());
  await createShop(api.client, namespace, server.url);
  await createPolicy(api.client, namespace, 'told');
  await createWorkload(api.client, namespace, 'web');
  const tracker = new TrackerProcess(api.server.kubeconfigPath, namespace);
  stack.defer(() => tracker.kill());
  tracker.start();
  const until = async (isSo: (policy: EventTrackerPolicy) => boolean): Promise<void> => {
    const holds = (policy: EventTrackerPolicy | undefined): boolean => policy !== undefined && isSo(policy);
    const options = { namespace, timeoutMs: PATIENCE_MS };
    await waitForObject<EventTrackerPolicy>(api.client, EVENT_TRACKER_POLICIES, 'told', holds, options);
  };
  await until(({ status }) => Object.keys(status?.tracked ?? {}).length === 1);
  for (let change = 1; change <= kills; change++) {
    await setImage(api.client, namespace, 'web', `nginx:${change}`);
    // When it is met is what is tried here.
    await delay(choices.between(0, choices.chance(0.5) ? 30 : LONGEST_LIFE_MS));
    await tracker.kill();
    tracker.start();
    await until(({ status }) => (status?.count ?? 0) >= change);
  }
  await until(({ status }) => (status?.triggers ?? []).every(({ state }) => state !== 'Pending'));
  assert.equal(server.actedOn.length, kills, `the tracker says: ${tracker.said}`);
  return { changes: kills, kills, repeated: server.received.length - kills };
}
