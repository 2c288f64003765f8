/**
 * An API server that is there for half a second and away for half a second, all the time that an operator and its experiments run: every
 * connection breaks, watches as well, and every second request is refused. Runs end with the verdict that the application deserves.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { type CuttableProxy, startTcpProxy } from '@turnsole/kube/testing/tcp-proxy';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  isOpen,
} from '../../src/api/index.ts';
import { chaosAccount, documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { TurnsoleProcess } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

/** Half of the time away: shorter than any client waits, longer than it takes to connect. */
const HALF_MS = 500;
/** Every wait of a run may be a second longer at each of its requests. */
const RUN_LIMIT_MS = 180_000;

const ROUNDS = { TOTAL_CHAOS_DURATION: '6', CHAOS_INTERVAL: '2', FORCE: 'true' };

/** What runs meanwhile, one at a time on the same pods, and what it deserves. */
const RUNS = [
  { name: 'answers', fault: 'pod-delete', probes: webProbe('Continuous'), verdict: 'Pass' },
  { name: 'does-not', fault: 'pod-delete', probes: webProbe('EOT', '503'), verdict: 'Fail' },
  { name: 'killed', fault: 'container-kill', probes: webProbe('EOT'), verdict: 'Pass' },
] as const;

/** Goes up and down until it is stopped; up afterwards. */
async function flap(proxy: CuttableProxy, signal: AbortSignal): Promise<number> {
  let outages = 0;
  while (!signal.aborted) {
    proxy.refuse(true);
    proxy.cut();
    outages += 1;
    await delay(HALF_MS, undefined, { signal }).catch(() => {});
    proxy.refuse(false);
    await delay(HALF_MS, undefined, { signal }).catch(() => {});
  }
  return outages;
}

describe('an API server that goes up and down', () => {
  const stop = new AbortController();
  const stack = new AsyncDisposableStack();
  let cluster: DetachedCluster;
  let proxy: CuttableProxy;
  let outages: Promise<number>;

  before(async () => {
    // Pods without networks of their own reach the proxy on the loopback.
    cluster = stack.use(await detachedCluster(['--no-operator', '--isolation', 'none']));
    const faults = [...new Set(RUNS.map(({ fault }) => fault))].map(experiment);
    await applyText(cluster.client, documents(webApp(), chaosAccount(), ...faults));
    const direct = await readFile(cluster.kubeconfig, 'utf8');
    const [address = '', port = ''] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(direct) ?? [];
    proxy = stack.use(await startTcpProxy({ port: Number(port) }));
    const kubeconfig = join(cluster.folder, 'flapping');
    await writeFile(kubeconfig, direct.replace(address, `https://127.0.0.1:${proxy.port}`), { mode: 0o600 });
    outages = flap(proxy, stop.signal);
    const operator = stack.use(
      new TurnsoleProcess(
        [
          'operator',
          '-kubeconfig',
          kubeconfig,
          '-metrics-bind-address',
          '0',
          '-health-probe-bind-address',
          '0',
        ],
        { WATCH_NAMESPACE: 'default' },
      ),
    );
    await operator.line(/"operator started"/);
  });
  after(async () => {
    stop.abort();
    await stack.disposeAsync();
  });

  for (const { name, fault, probes, verdict } of RUNS) {
    it(`${fault}: ${name}: ${verdict}`, async () => {
      const { client } = cluster;
      const env = {
        ...ROUNDS,
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: String(proxy.port),
      };
      await applyText(client, engine({ name, experiments: [{ name: fault, env, probes }] }));
      const place = { namespace: 'default', timeoutMs: RUN_LIMIT_MS };
      await waitForObject<ChaosEngine>(
        client,
        CHAOS_ENGINES,
        name,
        (found) => found?.status?.engineStatus === 'completed',
        place,
      );
      const result = await client.get<ChaosResult>(CHAOS_RESULTS, `${name}-${fault}`, place);
      assert.equal(result.status?.experimentStatus?.verdict, verdict, JSON.stringify(result.status, null, 1));
      const ledger = Object.values(result.status?.ledger ?? {});
      assert.ok(ledger.length > 0, 'nothing was injected');
      assert.deepEqual(ledger.filter(isOpen), []);
    });
  }

  it('was away again and again', async () => {
    stop.abort();
    assert.ok((await outages) >= 10, `${await outages} times`);
  });
});
