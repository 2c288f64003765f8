/** A whole run with a collector: workflow, engine, runner, experiments, helper, probes and injections are one trace. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startOtlpReceiver } from '../../src/process/traces/testing/otlp-receiver.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { chaosAccount, documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { eventsOf, linesOf, pathsOf, workflowAround } from '../support/traces.ts';
import { type CommandOutcome, temporaryFolder, turnsole } from '../support/turnsole.ts';

const ACCOUNT = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: flow }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: flow }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: flow, namespace: default }]
`;

interface Outcome extends CommandOutcome {
  readonly report: RunReport;
}

async function run(texts: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
  await using folder = await temporaryFolder();
  const [file, json] = [join(folder.path, 'chaos.yaml'), join(folder.path, 'report.json')];
  await writeFile(file, documents(...texts));
  const outcome = await turnsole(['run', file, '--json', json], env);
  return { ...outcome, report: JSON.parse(await readFile(json, 'utf8')) as RunReport };
}

test('a workflow with an engine is one trace that holds every step of the timeline', async (t: TestContext) => {
  const receiver = await startOtlpReceiver(t);
  const experiments = [{ name: 'pod-delete', probes: webProbe('Edge') }, { name: 'container-kill' }];
  const outcome = await run(
    [
      webApp(),
      chaosAccount(),
      ACCOUNT,
      experiment('pod-delete'),
      experiment('container-kill'),
      workflowAround({
        manifest: engine({ experiments }),
        name: 'flow',
        namespace: 'default',
        account: 'flow',
      }),
    ],
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.grpc, OTEL_RESOURCE_ATTRIBUTES: 'team=shop' },
  );
  assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
  assert.doesNotMatch(outcome.stderr, /trace/);
  const { spans } = receiver;
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1, 'one trace');
  const [workflow] = outcome.report.workflows ?? [];
  assert.deepEqual(eventsOf(spans), linesOf(workflow?.timeline ?? []));

  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length, 'no span twice');
  const paths = pathsOf(spans);
  assert.ok(!paths.some((path) => path.startsWith('?')), `each parent is there:\n${paths.join('\n')}`);
  const ofEngine = 'workflow / node flow / node chaos / run / runner';
  for (const path of [
    'workflow',
    ofEngine,
    `${ofEngine} / experiment pod-delete / probe web`,
    `${ofEngine} / experiment pod-delete / chaos / inject pod-delete`,
    `${ofEngine} / experiment container-kill / helper / inject container-kill`,
  ])
    assert.ok(paths.includes(path), `${path} among:\n${paths.join('\n')}`);
  const injection = spans.find(({ name }) => name === 'inject pod-delete');
  const injectionTimes = workflow?.timeline
    .filter(({ step }) => step === 'Injected')
    .map(({ time }) => Date.parse(time));
  assert.ok(injectionTimes?.includes(injection?.startMs ?? 0), 'an injection begins with its line');
});

test('a collector that refuses changes neither verdict nor exit code, and stderr shows its answer', async (t: TestContext) => {
  const receiver = await startOtlpReceiver(t, () => ({ status: 403 }));
  const texts = [webApp(1), chaosAccount(), experiment('pod-delete'), engine()];
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.http, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' };
  const { code, stderr, report } = await run(texts, env);
  assert.equal(code, 0, stderr);
  assert.equal(report.engines[0]?.experiments[0]?.verdict, 'Pass');
  assert.match(stderr, /^turnsole: a trace could not be sent: the collector answered 403$/m);
});

test('programs that start for every run load nothing of it', async () => {
  const mains = [
    '../../src/components/runner/run-runner.ts',
    '../../src/experiment/run/main/experiment-main.ts',
    '../../src/experiment/run/chaos/run-node-fault.ts',
    '../../src/experiment/helper/main/helper-main.ts',
  ].map((path) => JSON.stringify(import.meta.resolve(path)));
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    ${mains.map((main) => `await import(${main});`).join('\n')}
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  const loaded = JSON.parse(stdout) as string[];
  assert.ok(loaded.some((url) => url.endsWith('/run-runner.ts')));
  assert.deepEqual(
    loaded.filter((url) => /@opentelemetry|process\/traces\/|chaos\/spans\//.test(url)),
    [],
  );
});
