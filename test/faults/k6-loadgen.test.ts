/** Load by k6: a stand-in for it really asks a service, whose own count says what came. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Pod, Secret } from '@turnsole/kube/kinds/core';
import { PODS, SECRETS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import type { ChaosResult } from '../../src/api/index.ts';
import { ask } from '../../src/faults/remote/ask.ts';
import { clusterSettings } from '../cluster/support/settings.ts';
import { eventually } from './support/cgroup-meter.ts';
import {
  FaultCluster,
  type FaultRun,
  type FaultRunOptions,
  LIMIT_MS,
  standInsImpossible,
} from './support/fault-cluster.ts';
import { STAND_INS, standInSetting } from './support/stand-ins.ts';

/** Counts what it is asked; `/count` tells, `/broken` fails. */
const SERVER = `
  let count = 0;
  require('http').createServer((request, response) => {
    if (request.url === '/count') return response.end(String(count));
    count += 1;
    response.statusCode = request.url === '/broken' ? 500 : 200;
    response.end('hello');
  }).listen(8080)`;
/** An embedded node says how images are made known, a kubelet what the registry said. */
const MISSING_IMAGE = /waiting with (ErrImagePull|ImagePullBackOff).*registry\.example\/load\/k6/;
const WEB = {
  image: 'node',
  command: ['node', '-e', SERVER],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
};

describe('k6-loadgen', { skip: standInsImpossible, concurrency: 2 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start(1, STAND_INS);
  });
  after(() => cluster?.close());

  /** A service, a script that asks `path` of it, and how often it was asked. */
  async function scene(path: string, more = '') {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const place = `http://${pod.status?.podIP}:8080`;
    const script = `import http from 'k6/http';\n${more}\nexport default () => http.get('${place}${path}');`;
    await cluster.client.create<Secret>(
      SECRETS,
      {
        metadata: { name: 'k6-script' },
        data: { 'script.js': Buffer.from(path === '' ? '' : script).toString('base64') },
      },
      { namespace },
    );
    const count = async (): Promise<number> => {
      const { signal } = new AbortController();
      return Number((await ask({ url: `${place}/count`, signal })).text);
    };
    const k6Pods = async (): Promise<readonly Pod[]> => {
      const { items } = await cluster.client.list<Pod>(PODS, { namespace });
      return items.filter(({ metadata }) => metadata.name.startsWith('k6-loadgen-helper-'));
    };
    /** Resolves when there is none any more; one that was deleted takes a moment to end. */
    const noK6Pods = async (): Promise<void> => {
      const isK6 = ({ metadata }: Pod): boolean => metadata.name.startsWith('k6-loadgen-helper-');
      const limit = { namespace, timeoutMs: 2 * LIMIT_MS };
      await waitForList<Pod>(cluster.client, PODS, (pods) => !pods.some(isK6), limit);
    };
    return { namespace, count, k6Pods, noK6Pods };
  }

  /** An engine whose load is made by the stand-in, unless it says another image. */
  const start = (
    namespace: string,
    env: Readonly<Record<string, string>>,
    more: Partial<FaultRunOptions> = {},
  ): Promise<FaultRun> =>
    cluster.run('k6-loadgen', { namespace, env: { ...standInSetting('LIB_IMAGE'), ...env }, ...more });

  function verdictOf({ status }: ChaosResult): string {
    const { verdict, errorOutput } = status?.experimentStatus ?? {};
    return `${verdict} ${errorOutput?.errorCode ?? ''}`.trim();
  }

  test('the service is asked while it lasts, and not afterwards; the pod stays for its log', async () => {
    const { namespace, count, k6Pods } = await scene('/');
    const run = await start(namespace, { TOTAL_CHAOS_DURATION: '3' });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    const after = await count();
    assert.ok(after > 0, 'nobody asked');
    assert.equal(await count(), after);
    const [pod] = await k6Pods();
    assert.equal(pod?.status?.phase, 'Succeeded');
    const ended = result.status?.timeline?.find(({ step }) => step === 'LoadEnded');
    assert.match(ended?.message ?? '', new RegExp(`http_reqs: ${after}, http_req_failed: 0`));
    assert.equal(result.status?.history?.targets?.length ?? 0, 0, 'it has no targets');
  });

  test('an abort ends the load, and leaves no pod', async () => {
    const { namespace, count, noK6Pods } = await scene('/');
    const run = await start(namespace, { TOTAL_CHAOS_DURATION: '60' });
    await run.injected();
    await eventually('a request', async () => (await count()) > 0);
    await run.abort();
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Stopped');
    await noK6Pods();
    const after = await count();
    assert.equal(await count(), after);
  });

  test('an experiment that is killed leaves no load: a recovery removes it', async () => {
    const { namespace, k6Pods, noK6Pods } = await scene('/');
    const run = await start(namespace, { TOTAL_CHAOS_DURATION: '120' });
    await run.injected();
    assert.equal((await k6Pods()).length, 1);
    await cluster.killExperiment(namespace);
    await noK6Pods();
    assert.match(verdictOf(await run.ended()), /^Error/);
  });

  test('a threshold that is crossed is an error with exit code and log; delete leaves no pod', async () => {
    const { namespace, noK6Pods } = await scene('/broken', 'export const options = { thresholds: {} };');
    const run = await start(
      namespace,
      { TOTAL_CHAOS_DURATION: '1' },
      { engine: { jobCleanUpPolicy: 'delete' } },
    );
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Error HELPER_POD_FAILED_ERROR');
    const { reason = '' } = result.status?.experimentStatus?.errorOutput ?? {};
    assert.match(reason, /exit code 99: a threshold of the script was crossed.*http_req_failed: \d+/);
    await noK6Pods();
  });

  test('a script that cannot run ends the run at once', async () => {
    const { namespace } = await scene('');
    const run = await start(namespace, { TOTAL_CHAOS_DURATION: '60' });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Error HELPER_POD_FAILED_ERROR');
    assert.match(
      result.status?.experimentStatus?.errorOutput?.reason ?? '',
      /exit code 107: the script threw an exception.*Uncaught script exception/,
    );
  });

  test('an image that cannot be pulled is an error that names it and what to do', async () => {
    const { namespace, noK6Pods } = await scene('/');
    // A kubelet says that an image cannot be pulled when the registry's name could not be resolved, which takes its time.
    const statusCheckSeconds = clusterSettings() === undefined ? 3 : 45;
    const run = await start(namespace, { LIB_IMAGE: 'registry.example/load/k6:1' }, { statusCheckSeconds });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Error STATUS_CHECKS_ERROR');
    assert.match(result.status?.experimentStatus?.errorOutput?.reason ?? '', MISSING_IMAGE);
    assert.ok(result.status?.timeline?.some(({ step }) => step === 'HelperWaits'));
    await noK6Pods();
  });
});
