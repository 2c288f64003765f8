/** `turnsole plan` and dry runs, as users start them, on an embedded cluster. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CoreEvent, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../src/api/index.ts';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { type CommandOutcome, temporaryFolder, turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const APP = [webApp(), chaosAccount(), experiment('pod-delete'), experiment('container-kill')];
const BUDGET = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: keep }
spec: { minAvailable: 3, selector: { matchLabels: { app: web } } }
`;
const HALF = { PODS_AFFECTED_PERC: '67', TOTAL_CHAOS_DURATION: '10', CHAOS_INTERVAL: '5' };

async function plan(
  texts: readonly string[],
  ...options: readonly string[]
): Promise<CommandOutcome & { document: PlanDocument; text: string }> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  await writeFile(file, documents(...texts));
  const [json, text] = await Promise.all([
    turnsole(['plan', file, '-o', 'json', ...options]),
    turnsole(['plan', file, ...options]),
  ]);
  assert.equal(json.code, text.code, json.stderr + text.stderr);
  return { ...json, document: JSON.parse(json.stdout) as PlanDocument, text: text.stdout };
}

describe('turnsole plan', { concurrency: 2 }, () => {
  it('says what would be hit, in which order, by whom, and what to think of', async () => {
    const experiments = [
      { name: 'pod-delete', env: HALF },
      { name: 'container-kill', env: HALF },
    ];
    const { code, document, text } = await plan([...APP, BUDGET, engine({ experiments })]);
    assert.equal(code, 0, text);
    const [planned] = document.engines;
    assert.ok(planned);
    assert.equal(document.wouldRun, true);
    assert.deepEqual(
      planned.order.steps.map(({ experiment: name, startsAtSeconds }) => `${name} +${startsAtSeconds}`),
      ['pod-delete +0', 'container-kill +10'],
    );
    assert.equal(planned.order.expectedSeconds, 20);
    assert.equal(planned.serviceAccount.source, 'self-subject-access-review');
    assert.deepEqual(planned.serviceAccount.missing, []);
    assert.ok(planned.serviceAccount.checked >= 15);
    const [share] = planned.experiments[0]?.blastRadius.workloads ?? [];
    assert.deepEqual(share, {
      kind: 'deployment',
      namespace: 'default',
      name: 'web',
      hit: 2,
      of: 3,
      percent: 67,
    });
    assert.ok(
      planned.warnings.some((warning) => /default\/keep would be violated: 2 hit at once, 0/.test(warning)),
    );
    assert.match(text, /^ {2}order {9}sequential; at least 20 s/m);
    assert.match(text, /^ {4}blast radius {2}2 of 3 pods of deployment default\/web \(67 %\)$/m);
    assert.match(text, /it would run, with the warnings above; nothing was injected/);
  });

  it('ends with 2 and names everything that is missing', async () => {
    const broken = experiment('pod-delete').replace(
      '    labels:',
      '    configMaps: [{ name: nowhere, mountPath: /x }]\n    secrets: [{ name: hidden, mountPath: /y }]\n    labels:',
    );
    const rules =
      "  - { apiGroups: [''], resources: [pods, events, configmaps], verbs: [get, list, create, patch] }";
    const manifests = [
      webApp(),
      chaosAccount(rules),
      broken.replace('litmuschaos/go-runner:latest', 'example.com/unknown:1'),
      engine(),
    ];
    // Isolated pods have their images from registries.
    const { code, document } = await plan(manifests, '--isolation', 'none');
    assert.equal(code, 2);
    assert.equal(document.exitCode, 2);
    const problems = (document.engines[0]?.problems ?? []).map(({ message }) => message).join('\n');
    assert.match(problems, /config map default\/nowhere not found; create it/);
    assert.match(problems, /secret default\/hidden not found; create it/);
    assert.match(problems, /image example\.com\/unknown:1 is not in the catalogue/);
    assert.match(problems, /lacks permissions.*delete.* pods in namespace default/);
    // What the runner does under the same account.
    assert.match(problems, /create jobs\.batch in namespace default/);
  });
});

describe('spec.dryRun', { concurrency: 2 }, () => {
  const dry = (text: string): string =>
    text.replace('engineState: active', 'engineState: active\n  dryRun: true');

  async function run(
    texts: readonly string[],
  ): Promise<CommandOutcome & { report: RunReport; junit: string }> {
    await using folder = await temporaryFolder();
    const [file, json, junit] = ['chaos.yaml', 'report.json', 'junit.xml'].map((name) =>
      join(folder.path, name),
    );
    assert.ok(file && json && junit);
    await writeFile(file, documents(...texts));
    const outcome = await turnsole(['run', file, '--json', json, '--junit', junit]);
    const report = JSON.parse(await readFile(json, 'utf8')) as RunReport;
    return { ...outcome, report, junit: await readFile(junit, 'utf8') };
  }

  it('goes through the operator, injects nothing, and is no pass anywhere', async () => {
    const { code, stdout, report, junit } = await run([...APP, dry(engine())]);
    assert.equal(code, 4, stdout);
    const [only] = report.engines;
    assert.equal(only?.dryRun, true);
    assert.equal(only?.experiments[0]?.verdict, 'N/A');
    assert.match(only?.experiments[0]?.reason ?? '', /dry run, nothing was injected: would hit 1 of 3 pods/);
    const found = new Set(only?.timeline.map(({ step }) => step));
    for (const step of ['WouldInject', 'BlastRadius']) assert.ok(found.has(step), step);
    for (const step of ['Injected', 'ChaosStarted']) assert.ok(!found.has(step), step);
    assert.match(stdout, /dry run \(spec\.dryRun\); nothing was injected, and N\/A is no pass/);
    assert.match(junit, /<skipped message="dry run, nothing was injected/);
    assert.doesNotMatch(stdout, /\bPass\b/);
  });
});

describe('a dry run on a cluster that stays', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    const rules = "  - { apiGroups: ['*'], resources: ['*'], verbs: [get, list, create, patch, update] }";
    await applyText(
      cluster.client,
      documents(webApp(), chaosAccount(rules), experiment('pod-delete'), BUDGET),
    );
  });
  after(() => cluster[Symbol.asyncDispose]());

  it('finds by the operator what a plan finds, and says it in status, Event and timeline', async () => {
    const place = { namespace: 'default' };
    await applyText(
      cluster.client,
      engine({ experiments: [{ name: 'pod-delete', env: HALF }] }).replace(
        'engineState: active',
        'engineState: active\n  dryRun: true',
      ),
    );
    const found = await waitForObject<ChaosEngine>(
      cluster.client,
      CHAOS_ENGINES,
      'web-chaos',
      (now) => now?.status?.engineStatus === 'completed',
      { ...place, timeoutMs: PATIENCE_MS },
    );
    const [entry] = found?.status?.experiments ?? [];
    // The account may not delete pods: the run would fail, so the dry run does.
    assert.equal(entry?.verdict, 'Error');
    assert.match(entry?.reason ?? '', /may not delete pods in namespace default/);
    const dry = found?.status?.conditions?.find(({ type }) => type === 'DryRun');
    assert.equal(dry?.status, 'True');
    const result = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, 'web-chaos-pod-delete', place);
    assert.equal(result.status?.dryRun, true);
    assert.match(result.status?.plan?.summary ?? '', VIOLATED);
    assert.deepEqual(
      result.status?.plan?.permissions.missing
        .map(({ verb, resource }) => `${verb} ${resource}`)
        .filter((text) => text === 'delete pods'),
      ['delete pods'],
    );
    const steps = new Set(result.status?.timeline?.map(({ step }) => step));
    for (const step of ['WouldInject', 'BlastRadius', 'BudgetViolated', 'PermissionMissing'])
      assert.ok(steps.has(step), step);
    const { items } = await cluster.client.list<CoreEvent>(EVENTS, place);
    const event = items.find(
      ({ reason, involvedObject }) => reason === 'DryRun' && involvedObject.kind === 'ChaosEngine',
    );
    assert.equal(event?.type, 'Warning');
    assert.match(event?.message ?? '', VIOLATED);
    const pods = await cluster.client.list<Pod>(PODS, { ...place, labelSelector: 'app=web' });
    assert.ok(pods.items.every(({ metadata }) => metadata.deletionTimestamp === undefined));
    assert.equal(pods.items.length, 3);
  });
});

const VIOLATED =
  /2 of 3 pods of deployment default\/web \(67 %\).*PodDisruptionBudget default\/keep would be violated: 2 hit at once, 0/;
