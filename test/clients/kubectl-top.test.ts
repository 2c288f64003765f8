/** `kubectl top`, unmodified. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientCluster, Kubectl, kubectlMissing, PATIENT, startClientCluster } from './harness.ts';

const skip = kubectlMissing || (process.platform !== 'linux' && 'what processes use is read from /proc');
const LIMIT_MS = 60_000;

let cluster: ClientCluster;
let kubectl: Kubectl;

before(async () => {
  if (skip !== false) return;
  cluster = await startClientCluster();
  kubectl = new Kubectl(cluster, await cluster.namespace());
});

after(() => cluster?.close());

/** A pod that was started just after a sample has figures one or two samples later. */
async function topPods(args: string, isComplete: (text: string) => boolean): Promise<string> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  for (;;) {
    const { stdout, stderr } = await kubectl.run(`top pods ${args}`);
    if (isComplete(stdout)) return stdout;
    await delay(200, undefined, { signal }).catch((cause: unknown) => {
      throw new Error(`kubectl top pods ${args} still says:\n${stdout}${stderr}`, { cause });
    });
  }
}

test('kubectl top shows what pods, containers and nodes use', { skip }, async () => {
  const container = (name: string, script: string): string =>
    `{name: ${name}, image: busybox, command: [sh, -c, '${script}']}`;
  const pod = (name: string, containers: readonly string[]): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}}}
spec: {terminationGracePeriodSeconds: 0, containers: [${containers.join(', ')}]}
`;
  const hog = container('hog', 'while :; do :; done');
  await kubectl.ok('apply -f -', [], {
    input: `${pod('busy', [hog, container('side', 'sleep 1000')])}---\n${pod('calm', [container('main', 'sleep 1000')])}`,
  });
  await kubectl.ok(`wait --for=condition=Ready pod/busy pod/calm ${PATIENT}`);
  const both = await topPods('', (text) => text.includes('busy') && text.includes('calm'));
  assert.match(both, /^NAME\s+CPU\(cores\)\s+MEMORY\(bytes\)\s*$/m);
  assert.match(both, /^busy\s+[1-9]\d+m\s+\d+Mi\s*$/m);
  assert.match(both, /^calm\s+\d+m\s+\d+Mi\s*$/m);
  const chosen = await kubectl.ok('top pods -l app=calm --no-headers');
  assert.match(chosen, /^calm\s/);
  assert.doesNotMatch(chosen, /busy/);
  const containers = await kubectl.ok('top pod busy --containers');
  assert.match(containers, /^busy\s+hog\s+[1-9]\d+m\s/m);
  assert.match(containers, /^busy\s+side\s+\d+m\s/m);
  assert.match(await kubectl.ok('top pods -A'), new RegExp(`^${kubectl.namespace}\\s+busy\\s`, 'm'));
  assert.match(await kubectl.ok('top nodes'), /^turnsole-1\s+[1-9]\d+m\s+\d+%\s+\d+Mi\s+\d+%\s*$/m);
  assert.match(await kubectl.fails('top pod none'), /"none" not found|NotFound/);
  assert.match(await kubectl.ok('get podmetrics calm'), /^NAME\s+CPU\s+MEMORY\s+WINDOW\s*\ncalm\s/);
  assert.match(
    await kubectl.ok('get apiservice v1beta1.metrics.k8s.io'),
    /^v1beta1\.metrics\.k8s\.io\s+Local\s+True\s/m,
  );
});
