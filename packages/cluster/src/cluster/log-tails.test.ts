/** The ends of logs that outlive their pods, from pods of an embedded cluster. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { type KeptLog, LogTails } from '@turnsole/kube/runtime/log-tails';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { startEmbeddedCluster } from './start.ts';
import type { EmbeddedCluster } from './types.ts';

const namespace = 'default';
let cluster: EmbeddedCluster;
let client: KubeClient;

before(async () => {
  cluster = await startEmbeddedCluster({ isolation: 'none' });
  client = createClient(cluster.adminConfig);
});
after(async () => {
  client.close();
  await cluster.close();
});

/** Tails of the pods with a label, and what came of them. */
function follow(label: string, limitBytes = 10_000) {
  const logs: KeptLog[] = [];
  const tails = new LogTails({
    ...{ client, namespace, limitBytes },
    labelSelector: `of=${label}`,
    onLog: (log) => logs.push(log),
  });
  tails.start();
  return { tails, logs };
}

async function run(label: string, script: string, spec: Partial<PodSpec> = {}): Promise<void> {
  const containers = [{ name: 'main', image: 'busybox', command: ['/bin/sh', '-c', script] }];
  const pod = { metadata: { name: label, labels: { of: label } }, spec: { containers, ...spec } };
  await client.create<Pod>(PODS, pod, { namespace });
}

/** Without the times, which each line must have. */
function linesOf({ text }: KeptLog): string[] {
  const lines = text.split('\n').slice(0, -1);
  for (const line of lines) assert.match(line, /^\d{4}-\d\d-\d\dT\S+Z /);
  return lines.map((line) => line.slice(line.indexOf(' ') + 1));
}

test('the log of a pod that has ended is given away once, also when it is deleted at once', async () => {
  const { tails, logs } = follow('short');
  await run('short', 'echo one; echo two; exit 3', { restartPolicy: 'Never' });
  await until(
    () => logs.length > 0,
    () => 'no log',
    PATIENCE_MS,
  );
  await client.delete(PODS, 'short', { namespace });
  await tails.stop();
  assert.deepEqual(logs.map(linesOf), [['one', 'two']]);
  assert.deepEqual(
    logs.map(({ name, container, isOver, leftOutBytes }) => ({ name, container, isOver, leftOutBytes })),
    [{ name: 'short', container: 'main', isOver: true, leftOutBytes: 0 }],
  );
});

test('the log of a pod that is deleted while it runs is kept', async () => {
  const { tails, logs } = follow('deleted');
  await run('deleted', 'echo up; exec sleep 1000');
  for await (const line of lines('deleted')) if (line === 'up') break;
  await client.delete(PODS, 'deleted', { namespace, gracePeriodSeconds: 0 });
  await until(
    () => logs.length > 0,
    () => 'no log',
    PATIENCE_MS,
  );
  await tails.stop();
  assert.deepEqual(logs.map(linesOf), [['up']]);
});

test('a container that starts again is read on, and nothing of it comes twice', async () => {
  const { tails, logs } = follow('again');
  const script =
    'f=$TURNSOLE_POD_ROOT/v/f; if [ -e $f ]; then echo second; else echo first; touch $f; exit 1; fi';
  const mounted = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
  const containers = [{ name: 'main', image: 'busybox', command: ['/bin/sh', '-c', script], ...mounted }];
  await run('again', '', { restartPolicy: 'OnFailure', containers, volumes: [{ name: 'v', emptyDir: {} }] });
  await until(
    () => logs.length > 0,
    () => 'no log',
    PATIENCE_MS,
  );
  await tails.stop();
  assert.deepEqual(logs.map(linesOf), [['first', 'second']]);
});

test('of a long log the end is kept, and of one that goes on what there is when the tails are stopped', async () => {
  const { tails, logs } = follow('long', 1_000);
  await run(
    'long',
    'i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i + 1)); done; echo end; exec sleep 1000',
  );
  for await (const line of lines('long')) if (line === 'end') break;
  // What another reader has may still be on its way to the tails.
  await until(
    async () => (await client.find<Pod>(PODS, 'long', { namespace }))?.status?.phase === 'Running',
    () => 'it does not run',
    PATIENCE_MS,
  );
  await client.delete(PODS, 'long', { namespace, gracePeriodSeconds: 0 });
  await until(
    () => logs.length > 0,
    () => 'no log',
    PATIENCE_MS,
  );
  await tails.stop();
  const [log] = logs;
  assert.ok(log !== undefined && log.text.length <= 1_000 && log.leftOutBytes > 10_000, log?.text);
  assert.deepEqual(linesOf(log).slice(-2), ['line 499', 'end']);
});

async function* lines(pod: string): AsyncGenerator<string> {
  await until(
    async () => (await client.find<Pod>(PODS, pod, { namespace }))?.status?.phase === 'Running',
    () => `pod ${pod} does not run`,
    PATIENCE_MS,
  );
  yield* client.logLines(pod, { namespace, follow: true });
}
