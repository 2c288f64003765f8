/** A run on a cluster with a collector: one trace, which holds every step of the timeline with the same time. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { type TimelineEntry } from '../../src/api/index.ts';
import type { ReceivedSpan } from '../../src/process/traces/testing/received.ts';
import { STEPS_ACCOUNT } from '../../src/services/install/workflow-objects.ts';
import { workflowOver } from '../support/litmus-run.ts';
import { eventsOf, linesOf, pathsOf, workflowAround } from '../support/traces.ts';
import { applyText } from '../support/up.ts';
import { installArguments } from './support/installation.ts';
import { clusterSettings, connect, isNodeHere, noCluster } from './support/settings.ts';
import { type App, LIMIT_MS, Shop } from './support/shop.ts';
import { startTraceCollector, type TraceCollector } from './support/trace-collector.ts';

const ROUND = { TOTAL_CHAOS_DURATION: '5', CPU_CORES: '1', CPU_LOAD: '5' } as const;

/** Pods must reach the collector, which is a process here. */
async function isElsewhere(): Promise<string | false> {
  const settings = clusterSettings();
  if (settings === undefined) return noCluster;
  const client = await connect(settings);
  try {
    return (await isNodeHere(client)) ? false : 'takes a cluster whose node is this machine';
  } finally {
    client.close();
  }
}

describe('traces on a cluster', { skip: await isElsewhere() }, () => {
  let shop: Shop;
  let app: App;
  let collector: TraceCollector | undefined;
  before(async () => {
    shop = await Shop.open();
    collector = await startTraceCollector(shop.client, shop.settings);
    await install('--otlp-endpoint', collector.endpoint);
    app = await shop.app(1);
  });
  after(async () => {
    if (app !== undefined) await shop.removeApp(app);
    if (collector !== undefined) await install();
    await collector?.[Symbol.asyncDispose]();
    shop?.close();
  });

  /** The installation of the suite, with more; the Deployments are as they should be afterwards. */
  async function install(...more: string[]): Promise<void> {
    const { code, stdout, stderr } = await shop.turnsole(...installArguments(shop.settings), ...more);
    assert.equal(code, 0, stdout + stderr);
    await shop.operatorReady();
  }

  async function timelineOf(name: string): Promise<TimelineEntry[]> {
    const { code, stdout, stderr } = await shop.turnsole(
      'timeline',
      name,
      '-n',
      shop.namespace,
      '-o',
      'json',
    );
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as TimelineEntry[];
  }

  /** Resolves with the spans of a trace when it holds so many events as the timeline has steps, and compares them. */
  async function traceLike(timeline: readonly TimelineEntry[], traceId: string): Promise<ReceivedSpan[]> {
    let spans: ReceivedSpan[] = [];
    const isWhole = async (): Promise<boolean> => {
      spans = ((await collector?.spans()) ?? []).filter((span) => span.traceId === traceId);
      return eventsOf(spans).length >= timeline.length;
    };
    await until(
      isWhole,
      () => `of ${linesOf(timeline).join('\n')}\nthere is ${eventsOf(spans).join('\n')}`,
      LIMIT_MS,
    );
    assert.deepEqual(eventsOf(spans), linesOf(timeline));
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length, 'no span twice');
    return spans;
  }

  function assertPaths(spans: readonly ReceivedSpan[], expected: readonly string[]): void {
    const paths = pathsOf(spans);
    for (const path of expected) assert.ok(paths.includes(path), `${path} among:\n${paths.join('\n')}`);
    assert.ok(!paths.some((path) => path.startsWith('?')), `each parent is there:\n${paths.join('\n')}`);
  }

  it('an engine with a probe, a helper and an injection', async () => {
    const [pod] = await shop.podsOf(app);
    const probe = {
      name: 'web',
      type: 'httpProbe',
      mode: 'Edge',
      'httpProbe/inputs': {
        url: `http://${pod?.status?.podIP}:8080`,
        method: { get: { criteria: '==', responseCode: '200' } },
      },
      runProperties: { probeTimeout: '5s', interval: '1s', attempt: 3 },
    };
    const run = await shop.run({ app, fault: 'pod-cpu-hog', env: ROUND, experiment: { probe: [probe] } });
    const { status } = await run.ended();
    assert.equal(status?.experiments?.[0]?.verdict, 'Pass');
    const spans = await traceLike(await timelineOf(run.name), status?.runId?.replaceAll('-', '') ?? '');
    const experiment = 'run / runner / experiment pod-cpu-hog';
    assertPaths(spans, [
      'run',
      'run / runner',
      `${experiment} / probe web`,
      `${experiment} / chaos`,
      `${experiment} / helper / inject pod-cpu-hog`,
    ]);
    const injectionLines = linesOf((await timelineOf(run.name)).filter(({ step }) => step === 'Injected'));
    const injected = spans.find(({ name }) => name === 'inject pod-cpu-hog');
    assert.ok(
      injectionLines.some((line) => line.startsWith(`${injected?.startMs} `)),
      'it begins with its line',
    );
  });

  it('a workflow that makes an engine', async () => {
    const name = `traced-${app.name}`;
    const { namespace } = shop;
    const manifest = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  engineState: active
  appinfo: { appns: ${namespace}, applabel: ${app.label}, appkind: deployment }
  chaosServiceAccount: pod-delete-sa
  experiments:
    - name: pod-delete
      spec: { components: { env: [{ name: TOTAL_CHAOS_DURATION, value: "3" }, { name: CHAOS_INTERVAL, value: "3" }] } }
`;
    await applyText(shop.client, workflowAround({ manifest, name, namespace, account: STEPS_ACCOUNT }));
    const { metadata, status } = await workflowOver(shop.client, name, shop.limited);
    assert.equal(status?.phase, 'Succeeded', JSON.stringify(status));
    const spans = await traceLike(
      await timelineOf(`workflow/${name}`),
      metadata.uid?.replaceAll('-', '') ?? '',
    );
    const runner = `workflow / node ${name} / node chaos / run / runner`;
    assertPaths(spans, ['workflow', `${runner} / experiment pod-delete / chaos / inject pod-delete`]);
    await shop.client.delete(WORKFLOWS, name, shop);
  });
});
