import assert from 'node:assert/strict';
import { webApp } from '../../support/manifests.ts';
import type { Client } from './client.ts';

/** Kubernetes' command line. Much more of it is in the everyday tests of `test/clients`. */
export const KUBECTL: Client = {
  name: 'kubectl',
  programs: ['kubectl'],
  covers:
    'api-resources, explain, apply (client and server side), diff, rollout, scale, wait, logs, exec, get in all forms, events, auth can-i, a refusal, delete',
  version: async ({ stage, program }) =>
    /Client Version: v([\d.]+)/.exec(await stage.ok(program('kubectl'), ['version', '--client']))?.[1] ??
    'unknown',
  async run({ stage, program, checks }) {
    await stage.cluster();
    const kubectl = (...args: string[]): Promise<string> => stage.ok(program('kubectl'), args);
    const prints = (name: string, args: string[], pattern: RegExp): Promise<void> =>
      checks.expected(name, async () => assert.match(await kubectl(...args), pattern));
    const app = await stage.file('app.yaml', webApp(2));
    await prints('api-resources', ['api-resources'], /chaosengines\s.*litmuschaos\.io\/v1alpha1/);
    await prints('explain', ['explain', 'deployment.spec.replicas'], /FIELD: replicas <integer>/);
    await prints('apply', ['apply', '-f', app], /deployment\.apps\/web created/);
    await prints(
      'rollout status',
      ['rollout', 'status', 'deployment/web', '--timeout=90s'],
      /successfully rolled out/,
    );
    await prints('apply again', ['apply', '-f', app], /deployment\.apps\/web unchanged/);
    await prints(
      'apply --server-side',
      ['apply', '--server-side', '--force-conflicts', '-f', app],
      /serverside-applied/,
    );
    await checks.expected('diff', async () => {
      const changed = await stage.file('changed.yaml', webApp(3));
      const { code, stdout } = await stage.run(program('kubectl'), ['diff', '-f', changed]);
      assert.equal(code, 1);
      assert.match(stdout, /\+ {2}replicas: 3/);
    });
    await prints('scale', ['scale', 'deployment/web', '--replicas=1'], /scaled/);
    await prints(
      'wait',
      ['wait', 'deployment/web', '--for=jsonpath={.status.readyReplicas}=1', '--timeout=90s'],
      /condition met/,
    );
    await prints('logs', ['logs', 'deployment/web'], /./);
    await prints('exec', ['exec', 'deployment/web', '--', 'sh', '-c', 'echo from $((40 + 2))'], /from 42/);
    await prints('get -o wide', ['get', 'pods', '-o', 'wide'], /web-\S+\s+1\/1\s+Running/);
    await prints('get -o jsonpath', ['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'], /^1$/);
    await prints('get --sort-by', ['get', 'pods', '-A', '--sort-by=.metadata.name'], /web-/);
    await prints(
      'describe',
      ['describe', 'deployment', 'web'],
      /Replicas:\s+1 desired[\s\S]*ScalingReplicaSet/,
    );
    await prints('events', ['events', '--for', 'deployment/web'], /ScalingReplicaSet/);
    await prints('auth can-i', ['auth', 'can-i', 'delete', 'pods'], /yes/);
    await checks.expected('a manifest that is refused', async () => {
      const wrong = await stage.file('wrong.yaml', webApp(1).replace('replicas: 1', 'replicas: many'));
      assert.match(await stage.fails(program('kubectl'), ['apply', '-f', wrong]), /replicas/);
    });
    await prints('delete', ['delete', '-f', app, '--timeout=90s'], /deployment\.apps "web" deleted/);
  },
};
