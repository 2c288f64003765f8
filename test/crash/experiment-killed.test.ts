import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { CHAOS_RESULTS, type ChaosResult } from '../../src/api/index.ts';
import { type ExperimentCluster, startExperimentCluster } from '../support/experiment-cluster.ts';

const program = fileURLToPath(new URL('../support/marker-process.ts', import.meta.url));

/** Starts the experiment as a process of its own. */
function start(cluster: ExperimentCluster, t: TestContext, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [program, '-name', 'marker', '-kubeconfig', cluster.kubeconfigPath], {
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: 'silent',
      CHAOSENGINE: 'eng',
      RUN_ID: 'run1',
      PODS_AFFECTED_PERC: '100',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function prepare(t: TestContext) {
  const cluster = await startExperimentCluster(t);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  await cluster.engine(namespace, 'marker');
  const env = {
    CHAOS_NAMESPACE: namespace,
    TARGETS: `deployment:${namespace}:[app=web]`,
    TOTAL_CHAOS_DURATION: '3600',
  };
  const marked = (isThere: boolean) =>
    cluster.until<KubeObject>(
      CONFIG_MAPS,
      namespace,
      (maps) =>
        maps.filter(({ metadata }) => metadata.name.startsWith('marked-')).length === (isThere ? 2 : 0),
    );
  const injected = () =>
    cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, ([result]) => {
      const entries = Object.values(result?.status?.ledger ?? {});
      return entries.length === 2 && entries.every(({ state }) => state === 'injected');
    });
  return { cluster, namespace, env, marked, injected };
}

test('an experiment that is killed leaves its ledger, and its next run reverts what is in force', async (t) => {
  const { cluster, namespace, env, marked, injected } = await prepare(t);
  const first = start(cluster, t, env);
  await injected();
  const killed = once(first, 'exit');
  first.kill('SIGKILL');
  assert.deepEqual(await killed, [null, 'SIGKILL']);
  await marked(true);

  // The next one finds no target and ends at once: what was left has to be reverted all the same.
  const second = start(cluster, t, {
    ...env,
    RUN_ID: 'run2',
    TARGETS: 'deployment:nowhere:[app=x]',
    DEFAULT_HEALTH_CHECK: 'false',
  });
  assert.deepEqual(await once(second, 'exit'), [0, null]);
  await marked(false);
  const { status } = await cluster.result(namespace, 'eng-marker');
  assert.deepEqual(
    Object.values(status?.ledger ?? {}).map(({ state }) => state),
    ['reverted', 'reverted'],
  );
});

test('SIGTERM, and SIGINT on top of it, leave nothing behind', async (t) => {
  const { cluster, namespace, env, marked, injected } = await prepare(t);
  const child = start(cluster, t, env);
  await injected();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  child.kill('SIGINT');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [1, null]);
  await marked(false);
  const { status } = await cluster.result(namespace, 'eng-marker');
  assert.equal(status?.experimentStatus?.verdict, 'Stopped');
});
