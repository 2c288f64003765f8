/** Chaos as code on a cluster in this process: verdicts, aborts, what is left behind. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { PODS, ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, CHAOS_EXPERIMENTS, CHAOS_RESULTS } from '../../src/api/index.ts';
import {
  type ChaosCluster,
  ChaosError,
  cmdProbe,
  experiment,
  fromManifest,
  httpProbe,
  planChaos,
  podDelete,
  runChaos,
  startCluster,
} from '../../src/runs/as-code/index.ts';

const APP = readFileSync(new URL('../../examples/as-code/app.yaml', import.meta.url), 'utf8');
const URL_OF_WEB = 'http://web.default.svc.cluster.local:8080/';
const WEB = { target: 'deployment/web', interval: '2s', podsAffected: '34%' } as const;

let cluster: ChaosCluster;
let client: KubeClient;
before(async () => {
  cluster = await startCluster({ isolation: 'none' });
  client = createClient(await loadKubeconfig({ path: cluster.kubeconfig }));
  await cluster.apply(APP);
});
after(async () => {
  client?.close();
  await cluster?.close();
});

/** A probe that a service with three replicas keeps while one of them goes. */
function webAnswers() {
  return httpProbe({
    name: 'web-answers',
    url: URL_OF_WEB,
    method: { get: { criteria: '==', responseCode: '200' } },
    every: '200ms',
    attempts: 3,
    pause: '100ms',
    timeout: '10s',
  });
}

/** Everything of chaos that a namespace has. */
async function remains(): Promise<string[]> {
  const kinds = [CHAOS_ENGINES, CHAOS_EXPERIMENTS, CHAOS_RESULTS, SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS];
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, { namespace: 'default' })));
  return lists
    .flatMap(({ items }, index) => items.map(({ metadata }) => `${kinds[index]?.kind} ${metadata.name}`))
    .filter((name) => name !== 'ServiceAccount default');
}

test('a run gives verdict, probes with measurements, injections and timeline, and leaves nothing', async () => {
  const steps: string[] = [];
  const result = await runChaos(cluster, podDelete({ ...WEB, duration: '4s', probes: [webAnswers()] }), {
    onStep: (sentence) => steps.push(sentence),
  });
  assert.equal(result.verdict, 'Pass', result.reason);
  const [probe] = result.probes;
  assert.deepEqual(
    [probe?.name, probe?.type, probe?.mode, probe?.verdict],
    ['web-answers', 'httpProbe', 'Continuous', 'Passed'],
  );
  assert.ok((probe?.summary?.during.measurements ?? 0) > 0);
  assert.equal(probe?.summary?.during.failed, 0);
  assert.ok(result.injections.length >= 1);
  for (const { fault, target, state } of result.injections) {
    assert.deepEqual([fault, target.kind, target.namespace, state], ['pod-delete', 'pod', 'default', 'done']);
    assert.match(target.name, /^web-/);
  }
  const words = result.timeline.map(({ step }) => step);
  for (const step of ['RunnerCreated', 'ChaosStarted', 'Injected', 'Verdict'])
    assert.ok(words.includes(step), step);
  assert.ok(steps.some((sentence) => sentence.startsWith('pod-delete hit pod default/web-')));
  assert.deepEqual(
    result.experiments.map(({ engine, name, verdict, probeSuccessPercentage }) => [
      engine,
      name,
      verdict,
      probeSuccessPercentage,
    ]),
    [['pod-delete', 'pod-delete', 'Pass', 100]],
  );
  assert.deepEqual(await remains(), []);
});

test('a failing probe is a result and no error, by a kubeconfig as text; what the cluster has stays', async () => {
  const text = await readFile(cluster.kubeconfig, 'utf8');
  const mine = {
    metadata: { name: 'pod-delete' },
    spec: { definition: { image: 'turnsole/turnsole', args: ['experiment', '-name', 'pod-delete'] } },
  };
  await client.create(CHAOS_EXPERIMENTS, mine, { namespace: 'default' });
  const never = cmdProbe({
    name: 'never',
    mode: 'EOT',
    command: 'echo 1',
    comparator: { type: 'int', criteria: '==', value: '2' },
  });
  try {
    const result = await runChaos(text, podDelete({ ...WEB, duration: '1s', probes: [never] }));
    assert.equal(result.verdict, 'Fail');
    assert.equal(result.probes[0]?.verdict, 'Failed');
    assert.match(result.probes[0]?.description ?? '', /1.*2|2.*1/);
    assert.ok(result.reason !== undefined);
    assert.deepEqual(await remains(), ['ChaosExperiment pod-delete']);
  } finally {
    await client.delete(CHAOS_EXPERIMENTS, 'pod-delete', { namespace: 'default' });
  }
});

test('an abort stops the experiment, reverts, removes, and rejects with the reason as its cause', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const running = runChaos(
    cluster,
    experiment({ name: 'long', faults: [podDelete({ ...WEB, duration: '10m' })] }),
    {
      signal: abort.signal,
      onStep: (sentence) => {
        if (sentence.startsWith('pod-delete hit')) abort.abort(reason);
      },
    },
  );
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof ChaosError);
    assert.deepEqual([error.code, error.cause], ['STOPPED', reason]);
    assert.equal(error.result?.verdict, 'Stopped');
    assert.ok((error.result?.injections.length ?? 0) >= 1);
    return true;
  });
  assert.deepEqual(await remains(), []);
  const { items } = await client.list(PODS, { namespace: 'default' });
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name).filter((name) => !name.startsWith('web-')),
    [],
  );
  const aborted = AbortSignal.abort(reason);
  await assert.rejects(runChaos(cluster, podDelete(WEB), { signal: aborted }), {
    code: 'STOPPED',
    cause: reason,
  });
});

test('a run that is not finished in time is reverted and rejected', async () => {
  await assert.rejects(runChaos(cluster, podDelete({ ...WEB, duration: '10m' }), { timeout: '3s' }), {
    code: 'RUN_TIMEOUT',
  });
  assert.deepEqual(await remains(), []);
});

test('what speaks against a run is in its plan, and refuses the run with every problem', async () => {
  const good = await planChaos(cluster, podDelete({ ...WEB, duration: '4s' }));
  assert.equal(good.wouldRun, true, JSON.stringify(good.problems));
  assert.deepEqual(
    good.faults.map(({ fault, durationSeconds, rounds, targets }) => [
      fault,
      durationSeconds,
      rounds,
      targets.length,
    ]),
    [['pod-delete', 4, 2, 1]],
  );
  const nowhere = podDelete({ target: 'deployment/nowhere' });
  const plan = await planChaos(cluster, nowhere);
  assert.equal(plan.wouldRun, false);
  assert.match(plan.problems.map(({ message }) => message).join(), /nowhere/);
  await assert.rejects(runChaos(cluster, nowhere), (error) => {
    assert.ok(error instanceof ChaosError);
    assert.equal(error.code, 'INPUT_REFUSED');
    assert.match(error.problems[0]?.message ?? '', /nowhere/);
    return true;
  });
  assert.deepEqual(await remains(), []);
});

test('a cluster of the own run is started with the application and closed; a manifest is run as it is', async () => {
  const built = podDelete({ ...WEB, duration: '1s' });
  const loaded = fromManifest(built.toManifest({ account: true, experiments: true }));
  const result = await runChaos(loaded, { manifests: APP });
  assert.equal(result.verdict, 'Pass', result.reason);
});

test('a cluster that cannot be used is an error with its code', async () => {
  await assert.rejects(runChaos('/nowhere/kubeconfig', podDelete(WEB)), { code: 'CLUSTER_UNUSABLE' });
  await assert.rejects(runChaos({ context: 7 } as never, podDelete(WEB)), { code: 'OPTION_INVALID' });
});
