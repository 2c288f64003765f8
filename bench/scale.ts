/**
 * The embedded cluster at scale: how long thousands of simulated pods on many nodes take to become ready, to be updated,
 * moved and removed, how much memory they need, and how well the API answers meanwhile.
 *
 * Everything runs in this process, as in `turnsole up`; the measuring client watches deployments only, so that it costs
 * next to nothing.
 *
 *   npm run bench:scale [-- --nodes 1000 --deployments 50 --replicas 1000 --json FILE]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient, KubeList } from '@turnsole/kube/client/types';
import type { Deployment, Node, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, NODES, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { startChaosCluster } from '../src/embedded/index.ts';
import { formatColumns, summarize, writeJson } from './report.ts';

const NAMESPACE = 'default';
/** Pause between two requests that feel how the API answers under load. */
const PULSE_MS = 100;
const IDLE_MS = 10_000;
const MAX_POD_PAGES = 500;

/** One line of the result. */
interface Step {
  readonly title: string;
  readonly seconds: number;
  /** CPU time of the process in the step, as a share of its time. */
  readonly cpuShare: number;
  readonly rssMb: number;
  /** Milliseconds of a `get` of one pod meanwhile. */
  readonly getP50: number;
  readonly getP99: number;
  readonly note: string;
}

/** The latest state of all deployments, by a watch; `until` resolves when it is as wanted. */
class Deployments {
  readonly #present = new Map<string, Deployment>();
  readonly #stop = new AbortController();
  #changed = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;

  start(client: KubeClient): void {
    this.#running = this.#follow(client);
  }

  async until(holds: (all: ReadonlyMap<string, Deployment>) => boolean): Promise<void> {
    while (!holds(this.#present)) await this.#changed.promise;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(client: KubeClient): Promise<void> {
    const { signal } = this.#stop;
    try {
      while (!signal.aborted) {
        this.#present.clear();
        const list = await client.list<Deployment>(DEPLOYMENTS, { namespace: NAMESPACE });
        for (const item of list.items) this.#present.set(item.metadata.name, item);
        const { resourceVersion } = list.metadata;
        for await (const event of client.watch<Deployment>(DEPLOYMENTS, {
          namespace: NAMESPACE,
          resourceVersion,
          signal,
        })) {
          if (event.type === 'BOOKMARK') continue;
          if (event.type === 'DELETED') this.#present.delete(event.object.metadata.name);
          else this.#present.set(event.object.metadata.name, event.object);
          this.#changed.resolve();
          this.#changed = Promise.withResolvers<void>();
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Asks for one object again and again, and notes how long each answer took. */
async function pulse(client: KubeClient, times: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    await client.find<Node>(NODES, 'turnsole-1');
    times.push(performance.now() - startedAt);
    await delay(PULSE_MS);
  }
}

async function measure(
  steps: Step[],
  client: KubeClient,
  title: string,
  work: () => Promise<string | undefined>,
): Promise<void> {
  const times: number[] = [];
  const stop = new AbortController();
  const pulsing = pulse(client, times, stop.signal);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const note = (await work()) ?? '';
  const seconds = (performance.now() - startedAt) / 1000;
  const used = process.cpuUsage(cpu);
  stop.abort();
  await pulsing;
  const { p50, p99 } = summarize(times);
  const step: Step = {
    title,
    seconds,
    cpuShare: (used.user + used.system) / 1e6 / seconds,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    getP50: p50,
    getP99: p99,
    note,
  };
  steps.push(step);
  console.error(`${title}: ${seconds.toFixed(1)} s ${note}`);
}

function deployment(index: number, replicas: number): Deployment {
  const name = `app-${index}`;
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'shop/web:1',
              ports: [{ containerPort: 8080 }],
              resources: { requests: { cpu: '10m', memory: '16Mi' } },
              readinessProbe: { httpGet: { path: '/', port: 8080 } },
            },
          ],
        },
      },
    },
  };
}

function isRolledOut({ metadata, spec, status }: Deployment): boolean {
  const wanted = spec?.replicas ?? 0;
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.readyReplicas ?? 0) === wanted
  );
}

const podsOn = async (client: KubeClient, node: string): Promise<Pod[]> =>
  (await client.list<Pod>(PODS, { fieldSelector: `spec.nodeName=${node}` })).items;

/** Milliseconds until something holds that no watch of this client reports; asked for often. */
async function poll(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(PULSE_MS);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '1000' },
      deployments: { type: 'string', default: '50' },
      replicas: { type: 'string', default: '1000' },
      'only-start': { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const [nodes, count, replicas] = [values.nodes, values.deployments, values.replicas].map(Number);
  if (nodes === undefined || count === undefined || replicas === undefined) return;
  const steps: Step[] = [];
  const startedAt = performance.now();
  const cluster = await startChaosCluster({ nodes, runtime: 'simulated' });
  const startSeconds = (performance.now() - startedAt) / 1000;
  console.error(`start with ${nodes} nodes: ${startSeconds.toFixed(1)} s`);
  const client = createClient(cluster.adminConfig);
  const deployments = new Deployments();
  deployments.start(client);
  try {
    await measure(steps, client, 'idle, heartbeats only', async () => void (await delay(IDLE_MS)));
    await runSteps({ steps, client, deployments, count, replicas, onlyStart: values['only-start'] });
  } finally {
    await deployments.stop();
    client.close();
    await cluster.close();
  }
  console.log(`\n${nodes} simulated nodes, ${count} deployments of ${replicas} pods, each with a service`);
  console.log(`start to ready: ${startSeconds.toFixed(1)} s\n`);
  console.log(
    formatColumns(
      ['step', 'seconds', 'CPU %', 'RSS MB', 'get p50', 'get p99', ''],
      steps.map((step) => [
        step.title,
        step.seconds.toFixed(1),
        (100 * step.cpuShare).toFixed(0),
        step.rssMb.toFixed(0),
        step.getP50.toFixed(1),
        step.getP99.toFixed(0),
        step.note,
      ]),
    ),
  );
  await writeJson(values.json, { benchmark: 'scale', nodes, count, replicas, startSeconds, steps });
}

interface Bench {
  readonly steps: Step[];
  readonly client: KubeClient;
  readonly deployments: Deployments;
  readonly count: number;
  readonly replicas: number;
  /** Ends when all pods are ready: for a profile of that part. */
  readonly onlyStart: boolean;
}

async function runSteps({ steps, client, deployments, count, replicas, onlyStart }: Bench): Promise<void> {
  const step = (title: string, work: () => Promise<string | undefined>): Promise<void> =>
    measure(steps, client, title, work);
  const allReady = (): Promise<void> =>
    deployments.until((all) => all.size === count && [...all.values()].every(isRolledOut));
  const total = count * replicas;

  await step(`${total} pods to ready`, async () => {
    const begin = performance.now();
    for (let index = 0; index < count; index++) {
      const { metadata } = await client.create<Deployment>(DEPLOYMENTS, deployment(index, replicas), {
        namespace: NAMESPACE,
      });
      const service = { metadata, spec: { selector: { app: metadata.name }, ports: [{ port: 80 }] } };
      await client.create(
        SERVICES,
        { ...service, metadata: { name: metadata.name } },
        { namespace: NAMESPACE },
      );
    }
    await allReady();
    return `${Math.round(total / ((performance.now() - begin) / 1000))} pods/s`;
  });
  if (onlyStart) return;
  await step('list of all pods', async () => {
    const { items } = await client.list<Pod>(PODS, {});
    return `${items.length} pods`;
  });
  await step(`list of all pods in pages of ${MAX_POD_PAGES}`, async () => {
    const { items } = await client.list<Pod>(PODS, { limit: MAX_POD_PAGES });
    return `${items.length} pods`;
  });
  await step('list of the pods of a node', async () => `${(await podsOn(client, 'turnsole-1')).length} pods`);
  await step(`rolling update of ${replicas} pods`, async () => {
    const template = { spec: { containers: [{ name: 'web', image: 'shop/web:2' }] } };
    await client.patch<Deployment>(
      DEPLOYMENTS,
      'app-0',
      'strategic',
      { spec: { template } },
      { namespace: NAMESPACE },
    );
    await deployments.until((all) => (all.get('app-0')?.status?.updatedReplicas ?? 0) !== replicas);
    await allReady();
    return undefined;
  });
  await step('drain of a node, all replaced', async () => {
    const name = 'turnsole-1';
    await client.patch<Node>(NODES, name, 'merge', { spec: { unschedulable: true } });
    const pods = await podsOn(client, name);
    for (const { metadata } of pods) {
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: metadata.name } };
      await client.create(PODS, eviction, { namespace: metadata.namespace ?? '', subresource: 'eviction' });
    }
    await poll(async () => (await podsOn(client, name)).length === 0);
    await allReady();
    return `${pods.length} pods`;
  });
  await step('delete of a node, all replaced', async () => {
    const name = 'turnsole-2';
    const pods = await podsOn(client, name);
    await client.delete(NODES, name);
    await poll(async () => (await podsOn(client, name)).length === 0);
    await allReady();
    return `${pods.length} pods`;
  });
  await step('idle, heartbeats only', async () => void (await delay(IDLE_MS)));
  await step(`delete of ${total} pods`, async () => {
    for (let index = 0; index < count; index++) {
      await client.delete(DEPLOYMENTS, `app-${index}`, { namespace: NAMESPACE });
    }
    await poll(async () => {
      const page = await client.raw<KubeList<Pod>>('GET', '/api/v1/pods?limit=1');
      return page.items.length === 0;
    });
    return undefined;
  });
}

await main();
