/** Loads on the embedded cluster: as a probe of a run, and as a program beside the application. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { CHAOS_RESULTS, type ChaosResult, type EngineVerdict } from '../../src/api/index.ts';
import type { ProbeStatus } from '../../src/api/schema/result.ts';
import type { LoadStats } from '../../src/components/load/answers.ts';
import { despiteBusyMachine, isMachineBusy, TOO_BUSY } from '../support/busy-machine.ts';
import { chaosAccount, documents, engine, experiment } from '../support/manifests.ts';
import { type CommandOutcome, turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'load');

/** A service that drains where it has several pods, until it has not been asked for a while; a single one takes its time to start. */
function service(name: string, replicas: number, startMs: number): string {
  const code = `
const { createServer } = require('node:http');
let askedAt = 0;
setTimeout(() => {
  createServer((_, response) => { askedAt = performance.now(); response.end('ok'); }).listen(8080);
  process.once('SIGTERM', () => {
    if (${replicas === 1}) process.exit();
    askedAt = performance.now();
    setInterval(() => { if (performance.now() - askedAt > 1500) process.exit(); }, 100);
  });
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
      terminationGracePeriodSeconds: 30
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

const RATE = 50;

/** What is answered late on a busy machine is answered. */
function loadProbe(name: string): string {
  return `[{ name: users, type: loadProbe, mode: Continuous,
          tolerance: { failed: 1%, outage: 1s },
          loadProbe/inputs: { rate: ${RATE}, requests: [{ url: 'http://${name}.default.svc:8080/' }] },
          runProperties: { probeTimeout: 30s, interval: '' } }]`;
}

/** How many requests were due and not sent, as the probe says. */
function notSent({ status }: ProbeStatus): number {
  return Number(/; (\d+) (?:was|were) not sent/.exec(status.description ?? '')?.[1] ?? 0);
}

/** How a run ended, and what its load found. */
interface Outcome {
  readonly code: number | null;
  readonly verdict: EngineVerdict | undefined;
  readonly users: ProbeStatus;
  readonly output: string;
}

describe('a load on an application under chaos', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** Runs an engine for an application to its end; gives its exit code and what its load found. */
  function run(name: string, app: string, texts: readonly string[]): Promise<Outcome> {
    return despiteBusyMachine(
      (attempt) => runOnce(`${name}-${attempt}`, [...texts, engineOf(`${name}-${attempt}`, app)]),
      ({ verdict, output }) => (verdict === 'Error' && TOO_BUSY.test(output) ? output : undefined),
    );
  }

  async function runOnce(name: string, texts: readonly string[]): Promise<Outcome> {
    const file = join(cluster.folder, `${name}.yaml`);
    await writeFile(file, documents(...texts));
    const { code, stdout, stderr } = await turnsole(['run', file, '--kubeconfig', cluster.kubeconfig]);
    const result = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, `${name}-pod-delete`, {
      namespace: 'default',
    });
    const users = result.status?.probeStatuses?.find((probe) => probe.name === 'users');
    assert.ok(users !== undefined, stdout + stderr);
    return {
      ...{ code, users, output: stdout + stderr },
      verdict: result.status?.experimentStatus?.verdict,
    };
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
    const { code, users, output } = await run('resilient', 'web', [service('web', 3, 0), ...common]);
    assert.equal(code, 0, output);
    const { during, failed } = users.summary ?? {};
    assert.ok((failed ?? 0) <= 0.01 * (during?.measurements ?? 0), JSON.stringify(users.summary));
    // Of the five seconds of the fault.
    assert.ok((during?.measurements ?? 0) + notSent(users) >= 4 * RATE, JSON.stringify(users));
    // A busy machine may have lost all of them: they are left out where the load's own process was late.
    assert.ok(during?.p95Ms !== undefined || isMachineBusy(), JSON.stringify(users.summary));
  });

  it('fails for one that is not, and says how bad it was', async () => {
    const { code, users, output } = await run('fragile', 'one', [service('one', 1, 2000), ...common]);
    assert.equal(code, 1, output);
    assert.equal(users.status.verdict, 'Failed');
    const { before: early, failed = 0, outage, recovery } = users.summary ?? {};
    assert.equal(early?.failed, 0);
    const outageMs = outage?.ms ?? 0;
    // It takes two seconds to start.
    assert.ok(outageMs >= 2000 && outage?.ended === true && recovery !== undefined);
    // A request is sent when it is due, or up to a quarter of a second later.
    const due = (RATE * outageMs) / 1000;
    const late = RATE / 4;
    assert.ok(failed <= 1.05 * due + late, JSON.stringify(users));
    assert.ok(failed + notSent(users) >= 0.95 * due - late, JSON.stringify(users));
  });

  it('a second run on the same cluster begins at zero', async () => {
    const { code, users, output } = await run('again', 'web', []);
    assert.equal(code, 0, output);
    // The fragile one lost two seconds of them before.
    assert.ok((users.summary?.failed ?? 0) <= 5, JSON.stringify(users.summary));
  });

  it('beside an application it counts what users see, and begins anew on request', async () => {
    const app = await readFile(join(EXAMPLE, 'load-beside.yaml'), 'utf8');
    // This service has one path, and the machine may be busy.
    const patient = app.replaceAll('8080/healthz', '8080/').replace('timeout: 2s', 'timeout: 30s');
    await applyText(cluster.client, patient);
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

function isBusyError({ code, stdout }: CommandOutcome): boolean {
  return code === 1 && /\bError\b/.test(stdout) && TOO_BUSY.test(stdout);
}

describe('the example', () => {
  it('passes', async () => {
    const files = ['1-app.yaml', '2-pod-delete.yaml', '3-engine.yaml'].map((file) => join(EXAMPLE, file));
    const { code, stdout, stderr } = await despiteBusyMachine(
      () => turnsole(['run', ...files]),
      (outcome) => (isBusyError(outcome) ? outcome.stdout : undefined),
    );
    assert.equal(code, 0, stdout + stderr);
  });
});
