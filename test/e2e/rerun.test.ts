import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { EVENTS, JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  LABEL_CHAOS_UID,
} from '../../src/api/index.ts';
import { chaosAccount, documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { TurnsoleProcess, turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const NAMESPACE = { namespace: 'default' };

describe('the same engine again, on a cluster that stays', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    const app = [webApp(), chaosAccount(), experiment('pod-delete'), experiment('container-kill')];
    await applyText(cluster.client, documents(...app));
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** Writes an engine to a file and gives the command line that runs it. */
  async function commandFor(name: string, text: string): Promise<string[]> {
    const file = join(cluster.folder, `${name}.yaml`);
    await writeFile(file, text);
    return ['run', file, '--kubeconfig', cluster.kubeconfig];
  }

  const result = (name: string): Promise<ChaosResult> =>
    cluster.client.get<ChaosResult>(CHAOS_RESULTS, name, NAMESPACE);

  async function timeline(
    name: string,
    ...args: readonly string[]
  ): Promise<{ runId: string; step: string }[]> {
    const { kubeconfig } = cluster;
    const { code, stdout, stderr } = await turnsole([
      'timeline',
      name,
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
      ...args,
    ]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as { runId: string; step: string }[];
  }

  it('counts runs and Events up and keeps the timelines apart', async () => {
    const command = await commandFor('again', engine({ name: 'again' }));
    for (const round of [1, 2]) {
      const { code, stdout, stderr } = await turnsole(command);
      assert.equal(code, 0, `round ${round}: ${stdout}${stderr}`);
      assert.equal(stdout.split('ChaosStarted').length - 1, 1, 'only the run itself is told');
    }
    // As kubectl patch does.
    const before = await cluster.client.get<ChaosEngine>(CHAOS_ENGINES, 'again', NAMESPACE);
    await cluster.client.patch(
      CHAOS_ENGINES,
      'again',
      'merge',
      { spec: { engineState: 'active' } },
      NAMESPACE,
    );
    await waitForObject<ChaosEngine>(
      cluster.client,
      CHAOS_ENGINES,
      'again',
      (found) => found?.status?.engineStatus === 'completed' && found.status.runId !== before.status?.runId,
      { ...NAMESPACE, timeoutMs: PATIENCE_MS },
    );

    const { passedRuns, failedRuns, stoppedRuns } = (await result('again-pod-delete')).status?.history ?? {};
    assert.deepEqual(
      { passedRuns, failedRuns, stoppedRuns },
      { passedRuns: 3, failedRuns: 0, stoppedRuns: 0 },
    );
    let counts = new Map<string | undefined, number | undefined>();
    const reasons = ['ChaosEngineInitialized', 'ChaosInject', 'Summary', 'ChaosEngineCompleted'];
    // Events are written behind the states that they report.
    await waitForList<CoreEvent>(
      cluster.client,
      EVENTS,
      (events) => {
        counts = new Map(events.map(({ reason, count }) => [reason, count]));
        return reasons.every((reason) => counts.get(reason) === 3);
      },
      {
        ...NAMESPACE,
        fieldSelector: 'involvedObject.name=again,involvedObject.kind=ChaosEngine',
        timeoutMs: PATIENCE_MS,
      },
    ).catch((cause: unknown) => {
      throw new Error(`counts: ${JSON.stringify([...counts])}`, { cause });
    });
    const [last, all] = await Promise.all([timeline('again'), timeline('again', '--all-runs')]);
    assert.equal(new Set(last.map(({ runId }) => runId)).size, 1);
    assert.equal(new Set(all.map(({ runId }) => runId)).size, 3);
    assert.deepEqual(all.filter(({ step }) => step === 'ChaosStarted').length, 3, 'each run is told once');
    assert.equal(last[0]?.step, 'EngineRestarted');
    assert.equal(last.at(-1)?.step, 'EngineCompleted');
  });

  it('is refused while it runs; Ctrl-C, even twice, reverts and leaves nothing', async () => {
    const env = { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' };
    const command = await commandFor(
      'busy',
      engine({ name: 'busy', experiments: [{ name: 'pod-delete', env }] }),
    );
    await using first = new TurnsoleProcess(command);
    await first.line(/hit pod/);
    const second = await turnsole(command);
    assert.equal(second.code, 2, second.stdout + second.stderr);
    assert.match(second.stderr, /ChaosEngine busy: a run of this engine is under way/);
    first.child.kill('SIGINT');
    await first.line(/stopping engine default\/busy/);
    first.child.kill('SIGINT');
    const { code, stdout, stderr } = await first.ended;
    assert.equal(code, 130, stdout + stderr);

    const stopped = await cluster.client.get<ChaosEngine>(CHAOS_ENGINES, 'busy', NAMESPACE);
    assert.equal(stopped.status?.engineStatus, 'stopped');
    const labelSelector = `${LABEL_CHAOS_UID}=${stopped.metadata.uid}`;
    for (const kind of [JOBS, PODS]) {
      const { items } = await cluster.client.list(kind, { ...NAMESPACE, labelSelector });
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name),
        [],
      );
    }
    const { status } = await result('busy-pod-delete');
    assert.equal(status?.experimentStatus?.verdict, 'Stopped');
    const open = Object.values(status?.ledger ?? {}).filter(
      ({ state }) => !['done', 'reverted', 'failed'].includes(state),
    );
    assert.deepEqual(open, []);
  });

  it('a probe with stopOnFailure ends the run; the next experiment of the engine is not begun', async () => {
    const probes = webProbe('Continuous', '418').replace('attempt: 3', 'attempt: 1, stopOnFailure: true');
    const env = { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' };
    const experiments = [{ name: 'pod-delete', env, probes }, { name: 'container-kill' }];
    const command = await commandFor('probed', engine({ name: 'probed', experiments }));
    const { code, stdout, stderr } = await turnsole(command);
    assert.equal(code, 1, stdout + stderr);
    const { status } = await result('probed-pod-delete');
    assert.equal(status?.probeStatuses?.[0]?.status.verdict, 'Failed');
    assert.equal(status?.history?.passedRuns, 0);
    assert.doesNotMatch(stdout, /container-kill hit/);
    // The only pod of the service is the target: its answer is not 418, or breaks off.
    assert.match(stdout, /└ probe web: .*(?:418|GET http)/);
  });

  it('a namespace that does not exist is refused as bad input', async () => {
    const command = await commandFor(
      'elsewhere',
      documents(webApp(), chaosAccount(), experiment('pod-delete'), engine()),
    );
    const { code, stderr } = await turnsole([...command, '--namespace', 'nowhere']);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /elsewhere\.yaml:\d+: Deployment web: the cluster refused it: .*"nowhere" not found/,
    );
  });
});
