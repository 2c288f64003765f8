import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, Job, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../src/api/index.ts';
import { chartManifests, chartsMissing } from '../support/charts.ts';
import { webApp } from '../support/manifests.ts';
import { turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const NAMESPACE = 'default';
/** The engine of both charts. */
const ENGINE = 'nginx-chaos';

/** Uids of the target's pods and IDs of their containers: what changes when a pod or a container is replaced. */
async function incarnations(client: KubeClient): Promise<{ uids: Set<string>; containers: Set<string> }> {
  const { items } = await client.list<Pod>(PODS, { namespace: NAMESPACE, labelSelector: 'app=web' });
  return {
    uids: new Set(items.map(({ metadata }) => metadata.uid ?? '')),
    containers: new Set(items.map(({ status }) => status?.containerStatuses?.[0]?.containerID ?? '')),
  };
}

/** Waits until the reasons of the Events on an object are these: Events are written behind the states that they report. */
async function checkReasons(
  client: KubeClient,
  kind: string,
  name: string,
  expected: readonly string[],
): Promise<void> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  let reasons: readonly string[] = [];
  const areThere = (events: readonly CoreEvent[]): boolean => {
    reasons = [...new Set(events.map(({ reason }) => reason ?? ''))].sort();
    return expected.every((reason) => reasons.includes(reason));
  };
  const limits = { namespace: NAMESPACE, fieldSelector, timeoutMs: PATIENCE_MS };
  await waitForList<CoreEvent>(client, EVENTS, areThere, limits).catch(() => {});
  assert.deepEqual(reasons, expected);
}

/** Runs a chart's own files, as `turnsole run fault.yaml rbac.yaml engine.yaml --kubeconfig …`. */
async function runChart(cluster: DetachedCluster, fault: string): Promise<void> {
  const chart = await chartManifests(fault);
  const files: string[] = [];
  for (const [name, text] of Object.entries(chart)) {
    const file = join(cluster.folder, `${name}.yaml`);
    await writeFile(file, text);
    files.push(file);
  }
  const outcome = await turnsole(['run', ...files, '--kubeconfig', cluster.kubeconfig]);
  assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
}

async function checkResult(client: KubeClient, fault: string): Promise<void> {
  const result = await client.get<ChaosResult>(CHAOS_RESULTS, `${ENGINE}-${fault}`, { namespace: NAMESPACE });
  const { experimentStatus, history } = result.status ?? {};
  assert.equal(experimentStatus?.phase, 'Completed');
  assert.equal(experimentStatus?.verdict, 'Pass');
  assert.equal(experimentStatus?.probeSuccessPercentage, '100');
  assert.deepEqual([history?.passedRuns, history?.failedRuns, history?.stoppedRuns], [1, 0, 0]);
  assert.equal((history?.targets ?? []).length > 0, true);
  await checkReasons(client, 'ChaosResult', result.metadata.name, ['Awaited', 'Pass']);
}

/** The engine's end state, and the names, labels and events that dashboards and scripts of upstream rely on. */
async function checkEngine(client: KubeClient, fault: string): Promise<string> {
  const engine = await client.get<ChaosEngine>(CHAOS_ENGINES, ENGINE, { namespace: NAMESPACE });
  const uid = engine.metadata.uid ?? '';
  assert.equal(engine.status?.engineStatus, 'completed');
  assert.equal(engine.spec.engineState, 'stop');
  const [entry] = engine.status?.experiments ?? [];
  assert.deepEqual(
    [entry?.name, entry?.status, entry?.verdict, entry?.runner],
    [fault, 'Completed', 'Pass', `${ENGINE}-runner`],
  );
  const labelSelector = `chaosUID=${uid}`;
  const { items: jobs } = await client.list<Job>(JOBS, { namespace: NAMESPACE, labelSelector });
  assert.equal(jobs.length, 1);
  assert.match(jobs[0]?.metadata.name ?? '', new RegExp(`^${fault}-[a-z0-9]{6}$`));
  assert.equal(jobs[0]?.metadata.labels?.name, fault);
  const runner = await client.get<Pod>(PODS, `${ENGINE}-runner`, { namespace: NAMESPACE });
  assert.equal(runner.metadata.labels?.chaosUID, uid);
  assert.equal(runner.metadata.labels?.['app.kubernetes.io/component'], 'chaos-runner');
  await checkReasons(client, 'ChaosEngine', ENGINE, [
    'ChaosEngineCompleted',
    'ChaosEngineInitialized',
    'ChaosInject',
    'ExperimentDependencyCheck',
    'ExperimentJobCleanUp',
    'ExperimentJobCreate',
    'PostChaosCheck',
    'PreChaosCheck',
    'Summary',
  ]);
  return uid;
}

/** One delete removes everything the run created; the result stays as the record of it. */
async function checkDelete(client: KubeClient, uid: string): Promise<void> {
  await client.delete(CHAOS_ENGINES, ENGINE, { namespace: NAMESPACE });
  const limits = { namespace: NAMESPACE, timeoutMs: PATIENCE_MS, labelSelector: `chaosUID=${uid}` };
  await waitForList<Job>(client, JOBS, (left) => left.length === 0, limits);
  await waitForList<Pod>(client, PODS, (left) => left.length === 0, limits);
  await waitForList<ChaosEngine>(client, CHAOS_ENGINES, (left) => left.length === 0, {
    ...limits,
    labelSelector: '',
  });
}

describe("upstream's charts run unmodified", { skip: chartsMissing, concurrency: 2 }, () => {
  it('pod-delete replaces pods of a deployment of three', async () => {
    await using cluster = await detachedCluster();
    const { client } = cluster;
    await applyText(client, webApp());
    const before = await incarnations(client);
    await runChart(cluster, 'pod-delete');
    const after = await incarnations(client);
    assert.equal(after.uids.size, 3);
    assert.equal(
      [...before.uids].some((uid) => !after.uids.has(uid)),
      true,
      'no pod was replaced',
    );
    await checkResult(client, 'pod-delete');
    await checkDelete(client, await checkEngine(client, 'pod-delete'));
  });

  it('container-kill replaces containers and keeps the pods', async () => {
    await using cluster = await detachedCluster();
    const { client } = cluster;
    await applyText(client, webApp());
    const before = await incarnations(client);
    await runChart(cluster, 'container-kill');
    const after = await incarnations(client);
    assert.deepEqual(after.uids, before.uids);
    assert.notDeepEqual(after.containers, before.containers);
    await checkResult(client, 'container-kill');
    await checkDelete(client, await checkEngine(client, 'container-kill'));
  });
});
