/** Loads on the embedded cluster: as a probe of a run, and as a program beside the application. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { CHAOS_RESULTS, type ChaosResult } from '../../src/api/index.ts';
import type { ProbeStatus } from '../../src/api/schema/result.ts';
import type { LoadStats } from '../../src/components/load/answers.ts';
import { chaosAccount, documents, engine, experiment } from '../support/manifests.ts';
import { turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'load');

/** A service that drains where it has several pods; a single one takes its time to start. */
function service(name: string, replicas: number, startMs: number): string {
  const code = `
const { createServer } = require('node:http');
setTimeout(() => {
  const server = createServer((_, response) => response.end('ok')).listen(8080);
  process.once('SIGTERM', () => setTimeout(() => process.exit(), ${replicas > 1 ? 1500 : 0}));
}, ${startMs});`;
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      terminationGracePeriodSeconds: 5
      containers:
        - name: web
          image: node
          args: [-e, ${JSON.stringify(code)}]
          ports: [{ name: http, containerPort: 8080 }]
          readinessProbe: { tcpSocket: { port: http }, periodSeconds: 1 }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec:
  selector: { app: ${name} }
  ports: [{ port: 8080, targetPort: http }]
`;
}

function loadProbe(name: string, rate = 50): string {
  return `[{ name: users, type: loadProbe, mode: Continuous,
          tolerance: { failed: 1%, outage: 1s },
          loadProbe/inputs: { rate: ${rate}, requests: [{ url: 'http://${name}.default.svc:8080/' }] },
          runProperties: { probeTimeout: 2s, interval: '' } }]`;
}

describe('a load on an application under chaos', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** Runs an engine to its end; gives its exit code and what its load found. */
  async function run(
    name: string,
    texts: readonly string[],
  ): Promise<{ code: number | null; users: ProbeStatus; output: string }> {
    const file = join(cluster.folder, `${name}.yaml`);
    await writeFile(file, documents(...texts));
    const { code, stdout, stderr } = await turnsole(['run', file, '--kubeconfig', cluster.kubeconfig]);
    const result = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, `${name}-pod-delete`, {
      namespace: 'default',
    });
    const users = result.status?.probeStatuses?.find((probe) => probe.name === 'users');
    assert.ok(users !== undefined, stdout + stderr);
    return { code, users, output: stdout + stderr };
  }

  function engineOf(name: string, app: string): string {
    const env = { TOTAL_CHAOS_DURATION: '5', CHAOS_INTERVAL: '5', FORCE: 'false', PODS_AFFECTED_PERC: '34' };
    return engine({
      name,
      label: `app=${app}`,
      experiments: [{ name: 'pod-delete', env, probes: loadProbe(app) }],
    });
  }
  const common = [chaosAccount(), experiment('pod-delete')];

  it('passes for one that is resilient', async () => {
    const { code, users, output } = await run('resilient', [
      service('web', 3, 0),
      ...common,
      engineOf('resilient', 'web'),
    ]);
    assert.equal(code, 0, output);
    const { during, failed } = users.summary ?? {};
    assert.ok((failed ?? 0) <= 0.01 * (during?.measurements ?? 0), JSON.stringify(users.summary));
    assert.ok((during?.measurements ?? 0) >= 200, JSON.stringify(users.summary));
    assert.ok(during?.p95Ms !== undefined);
  });

  it('fails for one that is not, and says how bad it was', async () => {
    const { code, users, output } = await run('fragile', [
      service('one', 1, 2000),
      ...common,
      engineOf('fragile', 'one'),
    ]);
    assert.equal(code, 1, output);
    assert.equal(users.status.verdict, 'Failed');
    const { before: early, failed = 0, outage, recovery } = users.summary ?? {};
    assert.equal(early?.failed, 0);
    // It takes two seconds to start: at 50 requests per second.
    assert.ok(failed >= 90, JSON.stringify(users.summary));
    const outageMs = outage?.ms ?? 0;
    assert.ok(outageMs >= 2000 && outage?.ended === true && recovery !== undefined);
    assert.ok(Math.abs(failed - (50 * outageMs) / 1000) <= 0.05 * failed, JSON.stringify(users.summary));
  });

  it('a second run on the same cluster begins at zero', async () => {
    const { code, users, output } = await run('again', [engineOf('again', 'web')]);
    assert.equal(code, 0, output);
    // The fragile one lost two seconds of them before.
    assert.ok((users.summary?.failed ?? 0) <= 5, JSON.stringify(users.summary));
  });

  it('beside an application it counts what users see, and begins anew on request', async () => {
    const app = await readFile(join(EXAMPLE, 'load-beside.yaml'), 'utf8');
    // This service has one path.
    await applyText(cluster.client, app.replaceAll('8080/healthz', '8080/'));
    const service = '/api/v1/namespaces/default/services/load:8080/proxy';
    const { client } = cluster;
    const answered = async (): Promise<number> =>
      (await client.raw<LoadStats>('GET', `${service}/stats`)).answered;
    await until(async () => (await answered()) >= 50, 'the load sends nothing');
    const slo = await client.raw<LoadStats>('GET', `${service}/slo?objective=99&since=10s`);
    assert.equal(slo.failed, 0, JSON.stringify(slo));
    await client.delete(DEPLOYMENTS, 'web', { namespace: 'default' });
    const failed = async (): Promise<number> =>
      (await client.raw<LoadStats>('GET', `${service}/stats`)).failed;
    await until(async () => (await failed()) > 0, 'it does not notice that the application is gone');
    await assert.rejects(client.raw('GET', `${service}/slo?objective=100`), /503|answeredPercent/);
    const anew = await client.raw<LoadStats>('POST', `${service}/reset`);
    assert.deepEqual([anew.sent, anew.failed], [0, 0]);
  });
});

describe('the example', () => {
  it('passes', async () => {
    const files = ['1-app.yaml', '2-pod-delete.yaml', '3-engine.yaml'].map((file) => join(EXAMPLE, file));
    const { code, stdout, stderr } = await turnsole(['run', ...files]);
    assert.equal(code, 0, stdout + stderr);
  });
});
