import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ContainerStatus, Job, Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startEmbeddedCluster } from '../../cluster/start.ts';
import type { EmbeddedCluster } from '../../cluster/types.ts';

const namespace = 'default';
let cluster: EmbeddedCluster;
let client: KubeClient;

before(async () => {
  cluster = await startEmbeddedCluster({
    nodes: 3,
    runtime: {
      kind: 'simulated',
      rules: [
        ({ spec }) =>
          spec?.containers[0]?.image === 'acting'
            ? {
                act: async ({ client: kube, pod }) => {
                  const metadata = { labels: { acted: 'yes' } };
                  await kube.patch<Pod>(PODS, pod.metadata.name, 'merge', { metadata }, { namespace });
                  return 4;
                },
              }
            : undefined,
      ],
    },
  });
  client = createClient(cluster.adminConfig);
});
after(async () => {
  client.close();
  await cluster.close();
});

function create(
  name: string,
  annotations: Record<string, string>,
  spec: Partial<PodSpec> = {},
): Promise<Pod> {
  const prefixed = Object.entries(annotations).map(([key, value]) => [`simulated.turnsole.io/${key}`, value]);
  return client.create<Pod>(
    PODS,
    {
      metadata: { name, annotations: Object.fromEntries(prefixed) },
      spec: { containers: [{ name: 'c', image: 'whatever' }], ...spec },
    },
    { namespace },
  );
}

async function until(name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
  const found = await waitForObject<Pod>(client, PODS, name, (pod) => pod !== undefined && holds(pod), {
    namespace,
    timeoutMs: PATIENCE_MS,
  });
  assert.ok(found);
  return found;
}

const gone = (name: string): Promise<Pod | undefined> =>
  waitForObject<Pod>(client, PODS, name, (pod) => pod === undefined, { namespace, timeoutMs: PATIENCE_MS });
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
const containerOf = ({ status }: Pod): ContainerStatus | undefined => status?.containerStatuses?.[0];

test('a pod is ready at once, has an address of its own, an empty log, and goes at once', async () => {
  await Promise.all([create('one', {}), create('two', {}, { initContainers: [{ name: 'i', image: 'x' }] })]);
  const [one, two] = await Promise.all([until('one', isReady), until('two', isReady)]);
  assert.equal(one.status?.phase, 'Running');
  assert.notEqual(one.status?.podIP, two.status?.podIP);
  assert.equal(two.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 0);
  assert.equal(await client.log('one', { namespace }), '');
  await client.delete(PODS, 'one', { namespace });
  await gone('one');
});

test('pods of a job end well by themselves', async () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } };
  await client.create<Job>(
    JOBS,
    { metadata: { name: 'job' }, spec: { completions: 2, parallelism: 2, template } },
    { namespace },
  );
  const job = await waitForObject<Job>(client, JOBS, 'job', (found) => found?.status?.succeeded === 2, {
    namespace,
    timeoutMs: PATIENCE_MS,
  });
  assert.equal(job?.status?.conditions?.find(({ type }) => type === 'Complete')?.status, 'True');
});

test('annotations say how a pod fails', async () => {
  const annotations = { 'run-seconds': '0.05', 'exit-code': '3' };
  await create('crash', annotations);
  const waiting = await until(
    'crash',
    (pod) => containerOf(pod)?.state?.waiting?.reason === 'CrashLoopBackOff',
  );
  assert.equal(containerOf(waiting)?.restartCount, 1, 'the first restart is immediate');
  assert.equal(containerOf(waiting)?.lastState?.terminated?.exitCode, 3);
  await create('broken', { 'fail-start': 'no such file' }, { restartPolicy: 'Never' });
  const broken = await until('broken', ({ status }) => status?.phase === 'Failed');
  assert.partialDeepStrictEqual(containerOf(broken)?.state?.terminated, {
    exitCode: 128,
    reason: 'StartError',
    message: 'no such file',
  });
});

test('a pod that stops slowly is killed at its deadline', async () => {
  await create('slow', { 'stop-seconds': 'never' }, { terminationGracePeriodSeconds: 1 });
  await until('slow', isReady);
  const watching = new AbortController();
  const codes: (number | undefined)[] = [];
  const seen = (async () => {
    for await (const event of client.watch<Pod>(PODS, {
      namespace,
      fieldSelector: 'metadata.name=slow',
      signal: watching.signal,
    })) {
      if (event.type === 'DELETED') return codes.push(containerOf(event.object)?.state?.terminated?.exitCode);
    }
    return 0;
  })();
  await client.delete(PODS, 'slow', { namespace });
  await seen;
  assert.deepEqual(codes, [137]);
});

test('a rule can act through the API in place of the container', async () => {
  await create('acting', {}, { restartPolicy: 'Never', containers: [{ name: 'c', image: 'acting' }] });
  const pod = await until('acting', ({ status }) => status?.phase === 'Failed');
  assert.equal(pod.metadata.labels?.acted, 'yes');
  assert.equal(containerOf(pod)?.state?.terminated?.exitCode, 4);
});

test('a pod may ask to really run', async () => {
  await create(
    'real',
    { run: 'process' },
    {
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'busybox', command: ['echo', 'here'] }],
    },
  );
  await until('real', ({ status }) => status?.phase === 'Succeeded');
  assert.equal(await client.log('real', { namespace }), 'here\n');
});
