/** A real Prometheus scrapes the exporter and evaluates every expression of the dashboard and of the alerts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { CONFIG_MAPS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { parse } from 'yaml';
import { HALT_NAME } from '../../chaos/halt.ts';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import { defineRunKinds } from '../subscriber/testing/infrastructure.ts';
import { lackOfPrometheus, promtool, RunningPrometheus } from './testing/prometheus.ts';
import { engineOf, resultOf, store, storeEngine } from './testing/results.ts';
import { type RunningExporter, startExporter } from './testing/running-exporter.ts';

const FOLDER = join(PACKAGE_ROOT, 'deploy', 'monitoring');
const RULES = join(FOLDER, 'alerts.yaml');
const NAMESPACE = 'shop';

const skip = await lackOfPrometheus();

let api: TestApi;
let exporter: RunningExporter;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
  await api.client.create(NAMESPACES, { metadata: { name: NAMESPACE } });
  await storeEngine(api.client, NAMESPACE, engineOf());
  // The exporter sees it begin, and the test lets it end.
  const probe = { name: 'a', type: 'httpProbe', mode: 'SOT', status: { verdict: 'Awaited' } };
  await store(api.client, NAMESPACE, resultOf({ status: { probeStatuses: [probe] } }));
  await store(api.client, NAMESPACE, resultOf({ name: 'goes-on', experiment: 'node-drain' }));
  const lever = {
    metadata: { name: HALT_NAME, namespace: NAMESPACE },
    data: { since: '2020-01-01T00:00:00Z' },
  };
  await api.client.create(CONFIG_MAPS, lever, { namespace: NAMESPACE });
  exporter = await startExporter(api.server.adminConfig, '', { env: { TSDB_SCRAPE_INTERVAL: '600' } });
});
after(async () => {
  await exporter[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

/** What a panel, an annotation or a rule asks. */
interface Expression {
  readonly title: string;
  readonly expr: string;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
}

/** The dashboard's expressions as Grafana would send them. */
function dashboardExpressions(): Expression[] {
  // Its form is checked by what is found in it.
  const { panels, annotations } = JSON.parse(
    readFileSync(join(FOLDER, 'dashboard.json'), 'utf8'),
  ) as Dashboard;
  const asked = [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr }))),
    ...annotations.list.map(({ name: title, expr }) => ({ title, expr })),
  ];
  return asked.map(({ title, expr }) => {
    const sent = expr
      .replaceAll('$namespace', '.*')
      .replaceAll('$fault', '.*')
      .replaceAll('$__rate_interval', '1m');
    assert.doesNotMatch(sent, /\$/, `${title}: a variable that this test does not know`);
    return { title, expr: sent };
  });
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

function alertExpressions(): Expression[] {
  // Written by us.
  const { groups } = parse(readFileSync(RULES, 'utf8')) as Rules;
  return groups.flatMap(({ rules }) => rules.map(({ alert: title, expr }) => ({ title, expr })));
}

/** Ends the run: it fails, and leaves one of two injections in force. */
async function endRun(): Promise<void> {
  const at = (seconds: number): string => new Date(Date.now() - 60_000 + seconds * 1000).toISOString();
  const entry = { plannedAt: at(0), injectedAt: at(0.2), leaseExpiresAt: at(40) };
  const ledger = {
    'run-1.r0.a': { ...entry, state: 'reverted', revertedAt: at(45) },
    'run-1.r0.b': { ...entry, state: 'injected' },
  };
  const probe = { name: 'a', type: 'httpProbe', mode: 'SOT', status: { verdict: 'Failed' } };
  const status = { ledger, probeStatuses: [probe] };
  const result = resultOf({ verdict: 'Fail', percentage: '0', runs: [0, 1, 0], status });
  await store(api.client, NAMESPACE, result);
}

test('promtool has nothing against our rules, nor against the page but names that are not ours', {
  skip,
}, async () => {
  const rules = await promtool(['check', 'rules', RULES]);
  assert.equal(rules.code, 0, rules.said);
  await exporter.scrape();
  const { text } = await exporter.scrape();
  const page = await promtool(['check', 'metrics'], text);
  const ours = page.said
    .split('\n')
    .filter((line) => line !== '' && !/^(litmuschaos|nodejs|process)_/.test(line));
  assert.deepEqual(ours, []);
});

test('every expression of the dashboard has an answer, and every one of the alerts is understood', {
  skip,
}, async (t) => {
  await using prometheus = await RunningPrometheus.start(exporter.port, RULES);
  await prometheus.untilAnswered('turnsole_runs_total{verdict="Fail"} == 0');
  await endRun();
  await prometheus.untilAnswered('increase(turnsole_runs_total{verdict="Fail"}[1m]) > 0');
  await prometheus.untilAnswered('increase(turnsole_revert_latency_seconds_count[1m]) > 0');
  await prometheus.untilAnswered('increase(turnsole_probes_total{verdict="Failed"}[1m]) > 0');
  for (const { title, expr } of dashboardExpressions()) {
    await t.test(`dashboard, ${title}: ${expr}`, async () => {
      await prometheus.untilAnswered(expr);
    });
  }
  const silent = new Set(['ChaosExporterIsBlind', 'ChaosExporterIsGone']);
  for (const { title, expr } of alertExpressions()) {
    await t.test(`alert ${title}: ${expr}`, async () => {
      await prometheus.until(expr, (answers) => answers.length > 0 === !silent.has(title));
    });
  }
  await t.test('alerts without a delay fire', async () => {
    const found = await prometheus.untilAnswered('ALERTS{alertname="ChaosRunFailed",alertstate="firing"}');
    assert.equal(found[0]?.metric.fault_name, 'pod-delete');
  });
});
