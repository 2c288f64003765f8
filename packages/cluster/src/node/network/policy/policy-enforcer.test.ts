import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Endpoints, Namespace, NetworkPolicy, Pod, Service } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { EndpointSlice } from '../../../controllers/shared/types.ts';
import { Objects } from '../../testing/objects.ts';
import { PolicyEnforcer } from './policy-enforcer.ts';
import { NO_RULES } from './policy-table.ts';

const closed: NetworkPolicy = {
  metadata: { name: 'closed', namespace: 'shop' },
  spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
};

function pod(name: string, labels: Record<string, string> = { app: name }): Pod {
  return { metadata: { name, namespace: 'shop', uid: `uid-${name}`, labels } };
}

/** An enforcer with what it has put in force: `<pid> on` or `<pid> off`. */
function start(apply: () => Promise<void> = async () => {}) {
  const policies = new Objects<NetworkPolicy>();
  const pods = new Objects<Pod>();
  const services = new Objects<Service>();
  const slices = new Objects<EndpointSlice>();
  const clock = new FakeClock();
  const applied: string[] = [];
  const problems: string[] = [];
  const enforcer = new PolicyEnforcer({
    ...{ policies, pods, services, slices, clock },
    namespaces: new Objects<Namespace>(),
    endpoints: new Objects<Endpoints>(),
    serviceCidr: '10.5.0.0/18',
    gateway: '10.5.128.1',
    dns: '10.5.0.10',
    apply: async (table, pid) => {
      applied.push(`${pid} ${table === NO_RULES ? 'off' : 'on'}`);
      await apply();
    },
    onProblem: ({ metadata }, message) => problems.push(`${metadata.name}: ${message}`),
    onChange: () => {},
  });
  const add = (one: Pod, pid: number): Promise<void> => {
    pods.add(one);
    return enforcer.add({ pod: one, pid, address: `10.5.128.${pid}`, nodeAddress: '10.5.64.1' });
  };
  return { enforcer, policies, pods, services, slices, clock, applied, problems, add };
}

describe('enforcing policies', () => {
  test('nothing is done without policies; with one, for the pods it selects, until it goes', async () => {
    const { enforcer, policies, applied, add } = start();
    await add(pod('web'), 11);
    await add(pod('db'), 12);
    await enforcer.settled();
    assert.deepEqual(applied, []);
    policies.add(closed);
    await enforcer.settled();
    assert.deepEqual(applied, ['11 on']);
    policies.delete(closed);
    await enforcer.settled();
    assert.deepEqual(applied, ['11 on', '11 off']);
    await enforcer.close();
  });

  test('a pod that is added waits until the rules are in force; labels that change later count', async () => {
    const { enforcer, policies, pods, applied, add } = start();
    policies.add(closed);
    await add(pod('web'), 11);
    assert.deepEqual(applied, ['11 on']);
    pods.add(pod('web', { app: 'free' }));
    await enforcer.settled();
    assert.deepEqual(applied, ['11 on', '11 off']);
    // Another pod of the same name has labels of its own.
    pods.add({ metadata: { ...pod('web').metadata, uid: 'later' } });
    await enforcer.settled();
    assert.deepEqual(applied, ['11 on', '11 off', '11 on'], 'what it was started with counts again');
    await enforcer.close();
  });

  test('a pod that no policy selects is kept from services that may not talk with it', async () => {
    const { enforcer, policies, services, slices, applied, add } = start();
    await add(pod('web'), 11);
    await add(pod('db'), 12);
    services.add({
      metadata: { name: 'web', namespace: 'shop' },
      spec: { clusterIP: '10.5.0.20', ports: [{ name: 'http', port: 80 }] },
    });
    slices.add({
      metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.5.128.11'] }],
      ports: [{ name: 'http', port: 8080 }],
    });
    policies.add(closed);
    await enforcer.settled();
    assert.deepEqual(applied.sort(), ['11 on', '12 on']);
    const service = { service: 'shop/web', clusterIP: '10.5.0.20', port: 80, backends: [], affinityMs: 0 };
    const backend = { ip: '10.5.128.11', port: 8080 };
    assert.equal(enforcer.mayTalk('10.5.128.12', service, backend), false);
    assert.equal(enforcer.mayTalk('10.5.128.1', service, backend), true, 'the node may');
    await enforcer.close();
  });

  test('a failure is reported once, and the rules are tried again until they hold', async () => {
    let refusal: string | undefined = 'no nft';
    const { enforcer, policies, clock, applied, problems, add } = start(async () => {
      if (refusal !== undefined) throw new Error(refusal);
    });
    policies.add(closed);
    await add(pod('web'), 11);
    for (let time = 0; time < 2; time += 1) {
      clock.advanceSync(1_000);
      await enforcer.settled();
    }
    assert.deepEqual([applied, problems], [['11 on', '11 on', '11 on'], ['web: no nft']]);
    // Also what is to be taken back, when there are no policies any more.
    refusal = undefined;
    clock.advanceSync(1_000);
    await enforcer.settled();
    refusal = 'busy';
    policies.delete(closed);
    await enforcer.settled();
    refusal = undefined;
    clock.advanceSync(1_000);
    await enforcer.settled();
    assert.deepEqual(applied.slice(3), ['11 on', '11 off', '11 off']);
    assert.deepEqual(problems, ['web: no nft', 'web: busy']);
    clock.advanceSync(10_000);
    await enforcer.settled();
    assert.equal(applied.length, 6, 'then nothing is tried any more');
    await enforcer.close();
  });

  test('a pod that is let go of is not touched afterwards', async () => {
    const under = Promise.withResolvers<void>();
    const { enforcer, policies, applied, add } = start(() => under.promise);
    await add(pod('web'), 11);
    policies.add(closed);
    while (applied.length === 0) await new Promise((resolve) => setImmediate(resolve));
    let isGone = false;
    const gone = enforcer.delete('uid-web').then(() => {
      isGone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isGone, false, 'its namespace is being worked on');
    under.resolve();
    await gone;
    policies.delete(closed);
    await enforcer.settled();
    assert.deepEqual(applied, ['11 on']);
    await enforcer.close();
  });
});
