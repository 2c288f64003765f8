/** redfish-node-restart against a controller in a pod, which says which resets it was sent. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import type { ChaosResult } from '../../src/api/index.ts';
import { ask } from '../../src/faults/remote/ask.ts';
import { eventually } from './support/cgroup-meter.ts';
import { FaultCluster, observingImpossible } from './support/fault-cluster.ts';

const STAND_IN = readFileSync(new URL('./support/redfish-stand-in.mjs', import.meta.url), 'utf8');
const PASSWORD = 'calvin:1';
const { signal } = new AbortController();

/** Nobody trusts it, as with most of such controllers. */
function certificate(): { readonly CERTIFICATE: string; readonly KEY: string } {
  const life = { organization: 'test', now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority({ commonName: 'factory', ...life });
  const pair = makeServerCertificate(authority, { commonName: 'idrac', names: ['127.0.0.1'], ...life });
  return {
    CERTIFICATE: toPem('CERTIFICATE', pair.certificate),
    KEY: String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

describe('redfish-node-restart', { skip: observingImpossible, concurrency: 2 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  /** A machine, runs on it, and its state: the resets that it was sent, and its power. */
  async function machine(env: Readonly<Record<string, string>> = {}) {
    const namespace = await cluster.namespace();
    const variables = { PORT: '8443', LOGIN: `root:${PASSWORD}`, ...certificate(), ...env };
    const pod = await cluster.pod(namespace, 'idrac', {
      image: 'node',
      command: ['node', '--input-type=module', '-e', STAND_IN],
      env: Object.entries(variables).map(([name, value]) => ({ name, value })),
      readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
    });
    const address = `${pod.status?.podIP}:8443`;
    const run = (settings: Readonly<Record<string, string>> = {}) =>
      cluster.run('redfish-node-restart', {
        namespace,
        env: { IPMI_IP: address, USER: 'root', PASSWORD, DEFAULT_HEALTH_CHECK: 'true', ...settings },
        statusCheckSeconds: 20,
      });
    const state = async (): Promise<{ readonly resets: readonly string[]; readonly power: string }> => {
      const { text } = await ask({ url: `https://${address}/state`, verifyTls: false, signal });
      // What the stand-in writes.
      return JSON.parse(text) as { resets: string[]; power: string };
    };
    return { namespace, run, state };
  }

  function verdictOf({ status }: ChaosResult): string {
    const { verdict, errorOutput } = status?.experimentStatus ?? {};
    return `${verdict} ${errorOutput?.errorCode ?? ''}`.trim();
  }

  test('the machine is restarted once, is on again, and its password is written nowhere', async () => {
    const { run, state } = await machine();
    const result = await (await run({ TOTAL_CHAOS_DURATION: '3' })).ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    assert.deepEqual(await state(), { resets: ['ForceRestart'], power: 'On' });
    const { ledger, timeline, history } = result.status ?? {};
    assert.doesNotMatch(JSON.stringify({ ledger, timeline, history }), new RegExp(PASSWORD));
  });

  test('a machine that stays off is switched on by an abort', async () => {
    const { run, state } = await machine({ STAYS_OFF: 'true' });
    const chaos = await run({ TOTAL_CHAOS_DURATION: '300' });
    await chaos.injected();
    assert.equal((await state()).power, 'Off');
    await chaos.abort();
    assert.equal(verdictOf(await chaos.ended()), 'Stopped');
    assert.deepEqual(await state(), { resets: ['ForceRestart', 'On'], power: 'On' });
  });

  test('an experiment that is killed: a recovery switches the machine on', async () => {
    const { namespace, run, state } = await machine({ STAYS_OFF: 'true' });
    const chaos = await run({ TOTAL_CHAOS_DURATION: '300' });
    await chaos.injected();
    await cluster.killExperiment(namespace);
    await eventually('power', async () => (await state()).power === 'On');
    assert.match(verdictOf(await chaos.ended()), /^Error/);
  });

  test('no reset is sent with a wrong password, nor to a machine that is off', async () => {
    const [locked, off] = await Promise.all([machine(), machine({ POWER: 'Off' })]);
    const refused = await (await locked.run({ PASSWORD: 'guess' })).ended();
    assert.equal(verdictOf(refused), 'Error STATUS_CHECKS_ERROR');
    assert.match(refused.status?.experimentStatus?.errorOutput?.reason ?? '', /status 401/);
    assert.deepEqual((await locked.state()).resets, []);
    const asleep = await (await off.run({ DEFAULT_HEALTH_CHECK: 'false' })).ended();
    assert.equal(verdictOf(asleep), 'Error CHAOS_INJECT_ERROR', JSON.stringify(asleep.status));
    assert.match(asleep.status?.experimentStatus?.errorOutput?.reason ?? '', /its PowerState is Off/);
  });
});
