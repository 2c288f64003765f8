/** NetworkPolicies on isolated pods: what programs in pods reach, and when. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@turnsole/kube/client/index';
import type { ExecSession, KubeClient } from '@turnsole/kube/client/types';
import type { NetworkPolicy, Pod, PodSpec, Service } from '@turnsole/kube/kinds/core';
import {
  NAMESPACES,
  NETWORK_POLICIES,
  PODS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startEmbeddedCluster } from './cluster/start.ts';
import type { EmbeddedCluster } from './cluster/types.ts';
import { isolationMissing } from './node/testing/isolation-missing.ts';

const missing = await isolationMissing();
const skip = missing === undefined ? false : `pods cannot be isolated here: ${missing}`;

/** What is dropped does not answer within it; what may answer has far longer where an answer is expected. */
const ANSWER_MS = 1_000;
/** How much longer than the slowest permitted answer a forbidden one is waited for. */
const SLOWER = 3;

/** Answers HTTP on 8080 and 8081, and on 9000 says every line back. */
const SERVER = `
  for (const port of [8080, 8081]) require('node:http').createServer((_, answer) => answer.end('hello')).listen(port);
  require('node:net').createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(9000);`;

describe('NetworkPolicies', { skip }, () => {
  let cluster: EmbeddedCluster;
  let client: KubeClient;
  before(async () => {
    cluster = await startEmbeddedCluster({ isolation: 'full' });
    client = createClient(cluster.adminConfig);
  });
  after(async () => {
    client?.close();
    await cluster?.close({ graceMs: 0 });
  });

  async function namespace(name: string, labels: Record<string, string> = {}): Promise<string> {
    await client.create(NAMESPACES, { metadata: { name, labels } });
    await waitForObject(client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
      namespace: name,
      timeoutMs: PATIENCE_MS,
    });
    return name;
  }

  async function pod(home: string, name: string, spec: Partial<PodSpec> = {}): Promise<Pod> {
    return startPod(client, home, name, spec);
  }

  async function service(home: string, name: string, app: string): Promise<void> {
    const ports = [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'echo', port: 9000 },
    ];
    await client.create<Service>(
      SERVICES,
      { metadata: { name }, spec: { selector: { app }, ports } },
      { namespace: home },
    );
  }

  async function policy(home: string, name: string, spec: NetworkPolicy['spec']): Promise<void> {
    await client.create<NetworkPolicy>(
      NETWORK_POLICIES,
      { metadata: { name }, ...(spec && { spec }) },
      { namespace: home },
    );
  }

  const answers = (home: string, name: string, url: string): Promise<boolean> =>
    answersIn(client, home, name, url);

  /** What may answer does, however slow this machine is; what may not does not in a multiple of that time. */
  async function assertReaches(rows: readonly (readonly [string, string, string, boolean])[]): Promise<void> {
    const ask = async (isWanted: boolean, limitMs: number): Promise<void> => {
      const asked = rows.filter(([, , , wanted]) => wanted === isWanted);
      const got = await Promise.all(
        asked.map(([home, name, url]) => answersIn(client, home, name, url, limitMs)),
      );
      assert.deepEqual(
        asked.map(([home, name, url], index) => [home, name, url, got[index]]),
        asked,
      );
    };
    const startedAt = performance.now();
    await ask(true, PATIENCE_MS);
    await ask(false, Math.max(ANSWER_MS, Math.min(SLOWER * (performance.now() - startedAt), PATIENCE_MS)));
  }

  /** Rules follow their policy within moments, but not in its answer. */
  async function eventually(home: string, name: string, url: string, wanted: boolean): Promise<void> {
    for (const until = performance.now() + PATIENCE_MS; (await answers(home, name, url)) !== wanted; ) {
      assert.ok(performance.now() < until, `${name} ${wanted ? 'never' : 'still'} reaches ${url}`);
    }
  }

  test('everything is cut off, what is under way too, and goes on afterwards', async () => {
    const home = await namespace('cut');
    const [web] = await Promise.all([pod(home, 'web'), pod(home, 'client'), service(home, 'web', 'web')]);
    const direct = `http://${web.status?.podIP}:8080/`;
    const urls = [direct, 'http://web/'];
    for (const url of urls) await eventually(home, 'client', url, true);
    const open = [
      await Line.open(client, home, 'client', web.status?.podIP ?? ''),
      await Line.open(client, home, 'client', 'web'),
    ];
    for (const line of open) {
      line.say('before');
      assert.equal(await line.hears('before'), true);
    }

    await policy(home, 'all', {
      podSelector: { matchLabels: { app: 'web' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    for (const url of urls) await eventually(home, 'client', url, false);
    await assertReaches([
      // Others are not concerned, a pod reaches itself, and the API server is elsewhere.
      [home, 'client', 'https://kubernetes.default/', true],
      [home, 'web', direct, true],
      [home, 'web', 'https://kubernetes.default/', false],
    ]);
    for (const line of open) {
      line.say('meanwhile');
      assert.equal(await line.hears('meanwhile', ANSWER_MS), false);
    }
    // Probes come from the node, which may always talk with its pods.
    const found = await client.get<Pod>(PODS, 'web', { namespace: home });
    assert.equal(found.status?.containerStatuses?.[0]?.ready, true);

    await client.delete(NETWORK_POLICIES, 'all', { namespace: home });
    for (const url of urls) await eventually(home, 'client', url, true);
    for (const line of open)
      assert.equal(await line.hears('meanwhile'), true, 'what was sent meanwhile is sent again');
    for (const line of open) line.close();
  });

  test('peers and ports: by labels, of other namespaces, by name, by address', async () => {
    const home = await namespace('peers');
    const other = await namespace('peers-other', { team: 'b' });
    const ports = [{ name: 'web', containerPort: 8081 }];
    const [web, near] = await Promise.all([
      pod(home, 'web', { containers: [container({ ports })] }),
      pod(home, 'near'),
      pod(home, 'mate'),
      pod(other, 'far'),
      service(home, 'web', 'web'),
    ]);
    const at = (port: number): string => `http://${web.status?.podIP}:${port}/`;
    await policy(home, 'web', {
      podSelector: { matchLabels: { app: 'web' } },
      ingress: [
        { from: [{ podSelector: { matchLabels: { app: 'mate' } } }] },
        { from: [{ namespaceSelector: { matchLabels: { team: 'b' } } }], ports: [{ port: 'web' }] },
        { from: [{ ipBlock: { cidr: `${near.status?.podIP}/32` } }], ports: [{ port: 8081, endPort: 8090 }] },
      ],
    });
    await eventually(home, 'near', at(8080), false);
    await assertReaches([
      [home, 'mate', at(8080), true],
      [home, 'mate', 'http://web/', true],
      [home, 'near', at(8081), true],
      [home, 'near', 'http://web/', false],
      [other, 'far', at(8081), true],
      [other, 'far', at(8080), false],
      [other, 'far', 'http://web.peers/', false],
      [home, 'web', `http://${near.status?.podIP}:8080/`, true],
    ]);
    // Labels change who is meant, on both sides.
    await client.patch(NAMESPACES, other, 'merge', { metadata: { labels: { team: 'c' } } });
    await eventually(other, 'far', at(8081), false);
    await client.patch(PODS, 'near', 'merge', { metadata: { labels: { app: 'mate' } } }, { namespace: home });
    await eventually(home, 'near', 'http://web/', true);
    await client.patch(PODS, 'web', 'merge', { metadata: { labels: { app: 'free' } } }, { namespace: home });
    await eventually(other, 'far', at(8080), true);
  });

  test('egress: cluster DNS by the labels of its pods, and services by those behind them', async () => {
    const home = await namespace('egress');
    await Promise.all([
      pod(home, 'client'),
      pod(home, 'db'),
      pod(home, 'web'),
      service(home, 'db', 'db'),
      service(home, 'web', 'web'),
    ]);
    const [db] = await Promise.all(
      ['db', 'web'].map((name) => client.get<Service>(SERVICES, name, { namespace: home })),
    );
    const dbUrl = `http://${db?.spec?.clusterIP}/`;
    await eventually(home, 'client', 'http://db/', true);
    await eventually(home, 'client', 'http://web/', true);
    const toDb = { to: [{ podSelector: { matchLabels: { app: 'db' } } }] };
    const selectClient = { podSelector: { matchLabels: { app: 'client' } } };
    await policy(home, 'client', { ...selectClient, egress: [toDb] });
    await eventually(home, 'client', 'http://web/', false);
    // Without names.
    await assertReaches([
      [home, 'client', dbUrl, true],
      [home, 'client', 'http://db/', false],
    ]);
    const toNames = {
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    };
    await client.patch(
      NETWORK_POLICIES,
      'client',
      'merge',
      { spec: { egress: [toDb, toNames] } },
      { namespace: home },
    );
    await eventually(home, 'client', 'http://db/', true);
    assert.equal(await answers(home, 'client', 'http://web/'), false);
    // A service with several backends answers with those that may.
    await client.patch(SERVICES, 'web', 'merge', { spec: { selector: { app: 'db' } } }, { namespace: home });
    await eventually(home, 'client', 'http://web/', true);
  });

  test('a pod that comes later is cut off before its containers start', async () => {
    const home = await namespace('later');
    const web = await pod(home, 'web');
    await policy(home, 'all', { podSelector: {}, policyTypes: ['Egress'] });
    const ask = `
      const socket = require('node:net').connect(8080, '${web.status?.podIP}');
      const say = (text) => { require('node:fs').writeFileSync('/dev/termination-log', text); process.exit(); };
      socket.on('connect', () => say('connected')).setTimeout(${ANSWER_MS}, () => say('cut off'));`;
    await client.create<Pod>(
      PODS,
      {
        metadata: { name: 'late' },
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'node', command: ['node', '-e', ask] }],
        },
      },
      { namespace: home },
    );
    let said: string | undefined;
    await waitForObject<Pod>(
      client,
      PODS,
      'late',
      (found) => {
        said = found?.status?.containerStatuses?.[0]?.state?.terminated?.message;
        return said !== undefined;
      },
      { namespace: home, timeoutMs: PATIENCE_MS },
    );
    assert.equal(said, 'cut off');
  });

  test('a cluster with a data folder enforces earlier policies', async (t) => {
    const place = mkdtempSync(join(tmpdir(), 'turnsole-policies-'));
    t.after(() => rmSync(place, { recursive: true, force: true }));
    const dataDir = join(place, 'data');
    const start = async (): Promise<readonly [EmbeddedCluster, KubeClient]> => {
      const kept = await startEmbeddedCluster({ isolation: 'full', dataDir });
      return [kept, createClient(kept.adminConfig)];
    };
    const [first, before] = await start();
    try {
      await startPod(before, 'default', 'web');
      await startPod(before, 'default', 'client');
      await before.create<NetworkPolicy>(
        NETWORK_POLICIES,
        { metadata: { name: 'all' }, spec: { podSelector: { matchLabels: { app: 'web' } } } },
        { namespace: 'default' },
      );
    } finally {
      before.close();
      await first.close({ graceMs: 0 });
    }
    const [second, again] = await start();
    try {
      const [web] = await Promise.all(['web', 'client'].map((name) => readyPod(again, 'default', name, 1)));
      assert.equal(await answersIn(again, 'default', 'client', `http://${web?.status?.podIP}:8080/`), false);
      assert.equal(
        await answersIn(again, 'default', 'web', `http://${web?.status?.podIP}:8080/`, PATIENCE_MS),
        true,
      );
    } finally {
      again.close();
      await second.close({ graceMs: 0 });
    }
  });
});

test('where policies are not enforced, their writer gets a warning', async () => {
  const cluster = await startEmbeddedCluster({ isolation: 'none' });
  const client = createClient(cluster.adminConfig);
  try {
    const warnings: string[] = [];
    await client.create<NetworkPolicy>(
      NETWORK_POLICIES,
      { metadata: { name: 'all' }, spec: { podSelector: {} } },
      { namespace: 'default', onWarning: (text) => warnings.push(text) },
    );
    const why = 'pods are not isolated: it was not asked for (--isolation none)';
    assert.deepEqual(warnings, [`this cluster stores NetworkPolicies and does not enforce them: ${why}`]);
    const capability = cluster.capabilities.find(({ name }) => name === 'network-policies');
    assert.deepEqual(capability, {
      name: 'network-policies',
      available: false,
      note: `NetworkPolicies are stored and not enforced: ${why}`,
    });
  } finally {
    client.close();
    await cluster.close({ graceMs: 0 });
  }
});

function container(more: Partial<PodSpec['containers'][number]> = {}): PodSpec['containers'][number] {
  return {
    name: 'main',
    image: 'node',
    command: ['node', '-e', SERVER],
    readinessProbe: { tcpSocket: { port: 9000 }, periodSeconds: 1 },
    ...more,
  };
}

/** A server, ready, with a label `app` of its name. */
async function startPod(
  client: KubeClient,
  namespace: string,
  name: string,
  spec: Partial<PodSpec> = {},
): Promise<Pod> {
  const full = { terminationGracePeriodSeconds: 0, containers: [container()], ...spec };
  await client.create<Pod>(PODS, { metadata: { name, labels: { app: name } }, spec: full }, { namespace });
  return readyPod(client, namespace, name);
}

/** @param restarts how often its container has begun again: what is stored of a cluster that ended says ready too */
async function readyPod(client: KubeClient, namespace: string, name: string, restarts = 0): Promise<Pod> {
  let seen: Pod | undefined;
  await waitForObject<Pod>(
    client,
    PODS,
    name,
    (found) => {
      seen = found;
      const status = found?.status?.containerStatuses?.[0];
      return status?.ready === true && status.restartCount >= restarts;
    },
    { namespace, timeoutMs: PATIENCE_MS },
  );
  assert.ok(seen);
  return seen;
}

/** Whether a server answers a pod. */
async function answersIn(
  client: KubeClient,
  namespace: string,
  name: string,
  url: string,
  limitMs: number = ANSWER_MS,
): Promise<boolean> {
  const ask = `fetch('${url}', { signal: AbortSignal.timeout(${Math.ceil(limitMs)}) }).then(() => process.exit(0), () => process.exit(1))`;
  // Of the API server it only matters that it is there.
  const command = ['env', 'NODE_TLS_REJECT_UNAUTHORIZED=0', 'node', '-e', ask];
  const { exitCode } = await client.exec({ namespace, name, command, timeoutMs: 2 * PATIENCE_MS + limitMs });
  return exitCode === 0;
}

/** A connection from a pod to the port that says every line back. */
class Line {
  readonly #session: ExecSession;
  #received = '';

  private constructor(session: ExecSession) {
    this.#session = session;
    session.stderr.resume();
    session.exited.catch(() => {}); // it is closed in the end
    session.stdout.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString();
    });
  }

  static async open(client: KubeClient, namespace: string, name: string, host: string): Promise<Line> {
    const program = `const socket = require('node:net').connect(9000, '${host}'); process.stdin.pipe(socket).pipe(process.stdout);`;
    return new Line(
      await client.execStream({ namespace, name, stdin: true, command: ['node', '-e', program] }),
    );
  }

  say(line: string): void {
    this.#session.stdin.write(`${line}\n`);
  }

  /** Whether a line has come back or does so within a time. */
  async hears(line: string, limitMs = PATIENCE_MS): Promise<boolean> {
    for (const until = performance.now() + limitMs; !this.#received.includes(line); await delay(20)) {
      if (performance.now() > until) return false;
    }
    return true;
  }

  close(): void {
    this.#session.kill();
  }
}
