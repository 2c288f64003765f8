import assert from 'node:assert/strict';
import type { KubeClient } from '@turnsole/kube/client/types';
import { silentLogger, systemClock } from '@turnsole/kube/runtime/index';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  CHAOS_ENGINES,
  EVENT_TRACKER_POLICIES,
  type EventTrackerPolicy,
  LABEL_TRIGGER,
} from '../../../src/api/index.ts';
import { EventTracker } from '../../../src/components/event-tracker/event-tracker.ts';
import type { EventTrackerMetrics } from '../../../src/components/event-tracker/metrics.ts';
import {
  acknowledged,
  NotifiedServer,
} from '../../../src/components/event-tracker/testing/notified-server.ts';
import {
  createPolicy,
  createShop,
  createWorkload,
  setImage,
} from '../../../src/components/event-tracker/testing/tracked-shop.ts';
import { Choices } from '../durability/random.ts';
import { MortalClient } from './mortal-client.ts';

const CHANGES = 3;
const MOST_DEATHS = 6;
/** A life without a death takes about so many calls. */
const CALLS = 24;
/** Share of notifications that kill their sender before it has the answer. */
const DEADLY_NOTIFICATION = 0.2;

/** Nobody looks at them here. */
const NO_METRICS: EventTrackerMetrics = {
  apiCalls: () => {},
  controller: () => ({
    added() {},
    depth() {},
    waited() {},
    worked() {},
    retried() {},
    reconciled() {},
    opened() {},
  }),
  triggered: () => {},
  outcome: () => {},
  page: () => Promise.resolve({ contentType: '', body: '' }),
};

/**
 * One seed: a workload changes while trackers die, each at a call of its own: before it is carried out, or before its answer comes, or
 * when the control plane has a notification and has not answered. Each change is made when the one before is stored. Then every trigger must
 * have arrived, and a receiver that heeds ids must have acted once for each change; what policies start in the cluster is there once.
 */
export async function liveThrough(
  client: KubeClient,
  seed: number,
): Promise<{ readonly deaths: number; readonly repeated: number }> {
  const choices = new Choices(seed);
  const namespace = `seed-${seed}`;
  await using server = await NotifiedServer.start();
  await setUp(client, namespace, server.url);
  const lives = new Lives(client, namespace, choices, server);
  const living = lives.run();
  try {
    await untilPolicies(client, namespace, isTracking(namespace));
    for (let change = 1; change <= CHANGES; change++) {
      await setImage(client, namespace, 'web', `nginx:${change}`);
      await untilPolicies(client, namespace, ({ status }) => (status?.count ?? 0) >= change);
    }
    const policies = await untilPolicies(client, namespace, ({ status }) =>
      (status?.triggers ?? []).every(({ state }) => state !== 'Pending'),
    );
    await check(client, namespace, policies, server);
  } catch (cause) {
    const { items } = await client.list<EventTrackerPolicy>(EVENT_TRACKER_POLICIES, { namespace });
    const found = JSON.stringify(items.map(({ metadata, status }) => [metadata.resourceVersion, status]));
    throw new Error(`seed ${seed}, ${lives.state}, ${server.received.length} notifications: ${found}`, {
      cause,
    });
  } finally {
    lives.end();
    await living;
  }
  return { deaths: lives.deaths, repeated: server.received.length - server.actedOn.length };
}

async function setUp(client: KubeClient, namespace: string, url: string): Promise<void> {
  await createShop(client, namespace, url);
  const engine = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'template' },
    spec: { engineState: 'stop', experiments: [{ name: 'pod-delete' }] },
  };
  await client.create(CHAOS_ENGINES, engine, { namespace });
  await createPolicy(client, namespace, 'told');
  await createPolicy(client, namespace, 'started', { start: { kind: 'ChaosEngine', name: 'template' } });
  await createWorkload(client, namespace, 'web');
}

function isTracking(namespace: string): (policy: EventTrackerPolicy) => boolean {
  return ({ status }) => `Deployment/${namespace}/web` in (status?.tracked ?? {});
}

async function untilPolicies(
  client: KubeClient,
  namespace: string,
  isSo: (policy: EventTrackerPolicy) => boolean,
): Promise<readonly EventTrackerPolicy[]> {
  return Promise.all(
    ['told', 'started'].map(async (name) => {
      const holds = (policy: EventTrackerPolicy | undefined): boolean => policy !== undefined && isSo(policy);
      const options = { namespace, timeoutMs: PATIENCE_MS };
      const found = await waitForObject<EventTrackerPolicy>(
        client,
        EVENT_TRACKER_POLICIES,
        name,
        holds,
        options,
      );
      assert.ok(found !== undefined);
      return found;
    }),
  );
}

async function check(
  client: KubeClient,
  namespace: string,
  [notifying, starting]: readonly EventTrackerPolicy[],
  server: NotifiedServer,
): Promise<void> {
  const idsOf = (policy: EventTrackerPolicy | undefined): string[] =>
    (policy?.status?.triggers ?? []).map(({ id }) => id).sort();
  assert.equal(idsOf(notifying).length, CHANGES, 'a change has triggered once');
  assert.deepEqual([...server.actedOn].sort(), idsOf(notifying), 'what has arrived is what was stored');
  const { items } = await client.list(CHAOS_ENGINES, { namespace, labelSelector: LABEL_TRIGGER });
  assert.equal(idsOf(starting).length, CHANGES);
  assert.deepEqual(items.map(({ metadata }) => metadata.labels?.[LABEL_TRIGGER]).sort(), idsOf(starting));
}

/** One tracker after the other, until the end. */
class Lives {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #choices: Choices;
  readonly #ending = new AbortController();
  #current: MortalClient | undefined;
  deaths = 0;
  /** For a report. */
  state = 'before the first life';

  constructor(client: KubeClient, namespace: string, choices: Choices, server: NotifiedServer) {
    this.#client = client;
    this.#namespace = namespace;
    this.#choices = choices;
    server.reply = (notification) => {
      if (this.deaths >= MOST_DEATHS || !choices.chance(DEADLY_NOTIFICATION))
        return acknowledged(notification);
      this.#current?.die();
      return 'cut';
    };
  }

  async run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const isMortal = this.deaths < MOST_DEATHS;
      const mortal = new MortalClient(this.#client, {
        atCall: isMortal ? this.#choices.between(1, CALLS) : undefined,
        isAfter: this.#choices.chance(0.5),
      });
      this.#current = mortal;
      const life = new AbortController();
      const tracker = new EventTracker({
        client: mortal.client,
        clock: systemClock,
        logger: silentLogger,
        metrics: NO_METRICS,
        settings: {
          ...{ leaderElect: false, metricsAddress: undefined, healthAddress: undefined, env: {} },
          ...{ namespace: this.#namespace, watchNamespace: this.#namespace },
        },
      });
      this.state = `in a life after ${this.deaths} deaths`;
      const ended = tracker.run(life.signal);
      const over = new Promise<void>((resolve) => {
        this.#ending.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([mortal.died, over]);
      if (!this.#ending.signal.aborted) this.deaths += 1;
      mortal.die();
      life.abort(new Error('this life is over'));
      this.state = `at the end of a life, ${this.deaths} deaths`;
      await ended;
    }
  }

  end(): void {
    this.#ending.abort();
  }
}
