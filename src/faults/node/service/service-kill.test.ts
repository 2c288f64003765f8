import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { FaultContext } from '../../../experiment/injection/fault.ts';
import { compileSettings } from '../../../experiment/injection/settings/compile-settings.ts';
import { NodeError } from '../../../experiment/node/node-error.ts';
import { dockerServiceKill } from './docker-service-kill.ts';
import { kubeletServiceKill } from './kubelet-service-kill.ts';
import { silenceEffect } from './service-kill-fault.ts';

type ServiceKill = typeof kubeletServiceKill;

function plan(fault: ServiceKill, env: Record<string, string>, observed: Record<string, unknown>) {
  const { settings, problems } = compileSettings(fault, env, Math.random);
  assert.deepEqual(problems, []);
  // The table of the fault is part of what was compiled.
  const tunables = settings.tunables as unknown as Parameters<ServiceKill['plan']>[0]['tunables'];
  const targets = [{ kind: 'node', name: 'n', node: 'n', observed }];
  return fault.plan({ tunables, targets, round: 0, random: Math.random })[0]?.parameters;
}

const linux = (containerRuntimeVersion: string) => ({
  isEmbedded: false,
  operatingSystem: 'linux',
  containerRuntimeVersion,
});

describe('what is stopped', () => {
  const table = [
    {
      name: 'the kubelet, whatever the runtime is',
      fault: kubeletServiceKill,
      env: {},
      observed: linux('docker://20.10'),
      expected: { units: ['kubelet.service'], reviveSeconds: 30, isRenewed: true },
    },
    {
      name: 'a kubelet of another name, with another lease',
      fault: kubeletServiceKill,
      env: { SERVICE_NAME: 'k3s-agent', LEASE_SECONDS: '10' },
      observed: linux('containerd://1.7'),
      expected: { units: ['k3s-agent.service'], reviveSeconds: 10, isRenewed: true },
    },
    {
      name: 'containerd, which containers outlive',
      fault: dockerServiceKill,
      env: {},
      observed: linux('containerd://1.7'),
      expected: { units: ['containerd.service'], reviveSeconds: 30, isRenewed: true },
    },
    {
      name: 'Docker, which may take the helper with it: the node counts the whole time',
      fault: dockerServiceKill,
      env: { TOTAL_CHAOS_DURATION: '75' },
      observed: linux('docker://20.10'),
      expected: { units: ['docker.socket', 'docker.service'], reviveSeconds: 75, isRenewed: false },
    },
    {
      name: 'nothing of the machine under an embedded node, whatever is named',
      fault: dockerServiceKill,
      env: { SERVICE_NAME: 'docker' },
      observed: {
        isEmbedded: true,
        operatingSystem: 'linux',
        containerRuntimeVersion: 'turnsole-isolated://1',
      },
      expected: { units: [], reviveSeconds: 30, isRenewed: true },
    },
  ] as const;
  for (const { name, fault, env, observed, expected } of table) {
    test(name, () => {
      assert.deepEqual(plan(fault, env, observed), { isEmbedded: observed.isEmbedded, ...expected });
    });
  }
});

test('what cannot be stopped is refused before anything is touched', () => {
  assert.throws(
    () => plan(dockerServiceKill, {}, linux('')),
    /cannot tell the service of the container runtime of node n \(it says none\); name its unit in SERVICE_NAME/,
  );
  assert.throws(() => plan(dockerServiceKill, {}, linux('frakti://1')), /\(frakti:\/\/1\)/);
  const windows = { ...linux('containerd://1.7'), operatingSystem: 'windows' };
  assert.throws(
    () => plan(kubeletServiceKill, {}, windows),
    /cannot stop a service of node n: it runs no Linux/,
  );
});

test('settings that cannot be read are refused by name', () => {
  for (const [variable, value] of [
    ['SERVICE_NAME', 'a; reboot'],
    ['SERVICE_NAME', '$(x)'],
    ['LEASE_SECONDS', '2'],
    ['TOTAL_CHAOS_DURATION', '0'],
    ['TOTAL_CHAOS_DURATION', 'long'],
  ] as const) {
    const { problems } = compileSettings(kubeletServiceKill, { [variable]: value }, Math.random);
    assert.deepEqual(
      problems.map((problem) => [problem.variable, problem.found]),
      [[variable, value]],
    );
  }
});

test('a pod that cannot reach the machine of its embedded node says so, and leaves the revert to the node', async () => {
  const notes: string[] = [];
  const context: FaultContext = {
    // Nothing is asked of the API server.
    client: {} as KubeClient,
    clock: new FakeClock(0),
    random: () => 0,
    signal: new AbortController().signal,
    recoveryTimeoutMs: 1_000,
    note: (step) => notes.push(step),
  };
  const parameters = { isEmbedded: true, units: [], reviveSeconds: 30, isRenewed: true };
  const injection = { id: 'r.r0.n', target: { kind: 'node', name: 'n' }, parameters };
  await assert.rejects(kubeletServiceKill.inject(injection, context), (error: unknown) => {
    assert.ok(error instanceof NodeError);
    assert.match(error.message, /cannot reach the machine of node n: TURNSOLE_MACHINE_SOCKET is not set/);
    return true;
  });
  await kubeletServiceKill.revert(injection, context);
  assert.deepEqual(notes, ['LeftToNode']);
});

test('a node that is not ready is an effect; one that still is says nothing', () => {
  const node = (status: string, reason?: string) => ({
    metadata: { name: 'n' },
    status: { conditions: [{ type: 'Ready', status, ...(reason === undefined ? {} : { reason }) }] },
  });
  assert.equal(silenceEffect(node('True')), undefined);
  assert.equal(silenceEffect(undefined), undefined);
  assert.deepEqual(silenceEffect(node('Unknown', 'NodeStatusUnknown')), {
    seen: true,
    message: 'the node is not ready: NodeStatusUnknown',
  });
});
