import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { type DetachedCluster, detachedCluster, output } from '../support/up.ts';

const kubectlMissing = isMissing() && 'kubectl is not on PATH';

function isMissing(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

/** A kubectl that goes on printing. */
function following(kubeconfig: string, args: readonly string[]) {
  const child = spawn('kubectl', ['--kubeconfig', kubeconfig, ...args]);
  const reader = createInterface({ input: child.stdout });
  const lines: string[] = [];
  reader.on('line', (line) => lines.push(line));
  const ended = once(child, 'close').then(() => undefined);
  return {
    ended,
    stop: () => child.kill(),
    /** Resolves with the first line that matches, rejects when the command ends without one. */
    line: async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        const next = await Promise.race([once(reader, 'line'), ended]);
        if (next === undefined && !lines.some((line) => pattern.test(line))) {
          throw new Error(
            `kubectl ${args.join(' ')} ended without a line that matches ${pattern}: ${lines.join('; ')}`,
          );
        }
      }
    },
  };
}

/** What people type against the embedded cluster; one cluster for all, in order, as in a working session. */
describe('kubectl against turnsole up', { skip: kubectlMissing }, () => {
  let cluster: DetachedCluster;
  let manifest: string;
  const kubectl = (...args: string[]): Promise<string> =>
    output('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]);

  const follow = (...args: string[]) => following(cluster.kubeconfig, args);

  before(async () => {
    cluster = await detachedCluster();
    manifest = join(cluster.folder, 'app.yaml');
    await writeFile(manifest, documents(webApp(2), chaosAccount(), experiment('pod-delete')));
  });
  after(() => cluster[Symbol.asyncDispose]());

  it('sees a ready node', async () => {
    assert.match(await kubectl('get', 'nodes'), /^NAME\s+STATUS\s+ROLES\s+AGE\s+VERSION\n\S+\s+Ready/);
  });

  it('applies a file with several kinds, and applies it again without a change', async () => {
    assert.match(
      await kubectl('apply', '-f', manifest),
      /deployment\.apps\/web created[\s\S]*chaosexperiment\S* created/,
    );
    assert.match(await kubectl('apply', '-f', manifest), /deployment\.apps\/web unchanged/);
  });

  it('waits for a rollout and a condition', async () => {
    assert.match(
      await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s'),
      /successfully rolled out/,
    );
    const waited = await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=60s');
    assert.match(waited, /condition met/);
  });

  it('prints the columns people know', async () => {
    assert.match(
      await kubectl('get', 'pods'),
      /^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\nweb-\S+\s+1\/1\s+Running\s+0/,
    );
    assert.match(await kubectl('get', 'deploy,svc,rs', '-o', 'wide'), /web\s+2\/2\s+2\s+2/);
  });

  it('describes a pod with its events', async () => {
    assert.match(await kubectl('describe', 'pods', '-l', 'app=web'), /Events:[\s\S]*Scheduled[\s\S]*Started/);
  });

  it('scales, labels, annotates and patches', async () => {
    await kubectl('scale', 'deployment/web', '--replicas=3');
    await kubectl('label', 'deployment/web', 'tier=front');
    await kubectl('annotate', 'deployment/web', 'note=x');
    await kubectl(
      'patch',
      'deployment',
      'web',
      '-p',
      '{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"A","value":"1"}]}]}}}}',
    );
    await kubectl(
      'patch',
      'deployment',
      'web',
      '--type=json',
      '-p',
      '[{"op":"add","path":"/metadata/labels/b","value":"2"}]',
    );
    const patched = JSON.parse(await kubectl('get', 'deployment', 'web', '-o', 'json'));
    assert.equal(patched.spec.replicas, 3);
    assert.deepEqual([patched.metadata.labels.tier, patched.metadata.labels.b], ['front', '2']);
    const [container] = patched.spec.template.spec.containers;
    assert.equal(container.image, 'turnsole/sample-web');
    assert.deepEqual(container.env.map(({ name }: { name: string }) => name).sort(), ['A', 'DRAIN_MS']);
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  });

  it('follows logs until the container ends', async () => {
    const { items } = JSON.parse(await kubectl('get', 'pods', '-l', 'app=web', '-o', 'json'));
    const pod = items.find(
      ({ metadata }: { metadata: Pod['metadata'] }) => metadata.deletionTimestamp === undefined,
    );
    const { name } = pod.metadata;
    const logs = follow('logs', '-f', name);
    await logs.line(/listening on port 8080/);
    await kubectl('delete', 'pod', name);
    await logs.line(/draining/);
    await logs.ended;
  });

  it('watches changes', async () => {
    const watch = follow('get', 'configmaps', '-w', '--no-headers');
    await watch.line(/kube-root-ca/);
    await kubectl('create', 'configmap', 'watched', '--from-literal=a=1');
    await watch.line(/^watched/);
    watch.stop();
    await watch.ended;
  });

  it('runs an engine, and deleting it removes everything it caused', async () => {
    const file = join(cluster.folder, 'engine.yaml');
    await writeFile(file, engine());
    await kubectl('apply', '-f', file);
    // Waited for without kubectl, whose older versions only wait for conditions and for what is there.
    const isCompleted = (found: ChaosEngine | undefined): boolean =>
      found?.status?.engineStatus === 'completed';
    const limits = { namespace: 'default', timeoutMs: PATIENCE_MS };
    await waitForObject(cluster.client, CHAOS_ENGINES, 'web-chaos', isCompleted, limits);
    assert.match(await kubectl('get', 'chaosresults'), /web-chaos-pod-delete/);
    assert.match(await kubectl('get', 'pods,jobs'), /web-chaos-runner[\s\S]*pod-delete-/);
    await kubectl('delete', 'chaosengine', 'web-chaos', '--timeout=60s');
    for (const resource of [PODS, JOBS]) {
      const isEmpty = (left: readonly KubeObject[]): boolean => left.length === 0;
      await waitForList(cluster.client, resource, isEmpty, { ...limits, labelSelector: 'chaosUID' });
    }
    assert.doesNotMatch(await kubectl('get', 'pods,jobs'), /web-chaos-runner|pod-delete-/);
  });

  it('says what a user may do', async () => {
    assert.equal((await kubectl('auth', 'can-i', 'delete', 'pods')).trim(), 'yes');
    const asAccount = ['--as=system:serviceaccount:default:chaos-sa'];
    await assert.rejects(
      kubectl('get', 'secrets', ...asAccount),
      /Forbidden.*cannot list resource "secrets"/,
    );
  });
});
