/** Recovery by runner and operator, with stand-in experiments that die with something in force. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Job } from '@turnsole/kube/kinds/core';
import { JOBS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  engineOf,
  NAMESPACE,
  type Program,
  type Run,
  type StandInCluster,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, CHAOS_RESULTS, type LedgerEntry } from '../../api/index.ts';
import { recoveryTemplate } from '../../chaos/recovery/template.ts';
import { stopChaos } from '../../services/halt/stop-chaos.ts';

const ENTRY: LedgerEntry = {
  id: 'r0.web-1',
  fault: 'network-loss',
  target: { kind: 'pod', namespace: NAMESPACE, name: 'web-1', node: 'n1' },
  parameters: {},
  state: 'injected',
};

async function patchStatus({ client }: Program, name: string, status: object): Promise<void> {
  const options = await statusOptions(client, CHAOS_RESULTS, { namespace: NAMESPACE });
  await client.patch(CHAOS_RESULTS, name, 'merge', { status }, options);
}

interface Plan {
  /** How many recoveries fail before one succeeds. */
  readonly failures: number;
  readonly diesAt: 'once' | 'the abort';
}

/** An experiment that injects and dies without reverting; started to recover, it does or fails. */
function mortal({ failures, diesAt }: Plan): { readonly run: Run; readonly recoveries: string[] } {
  const recoveries: string[] = [];
  const run: Run = async (program) => {
    const { env, pod, signal } = program;
    const result = env.TURNSOLE_RECOVER;
    if (result !== undefined) {
      recoveries.push(pod.metadata.labels?.['job-name'] ?? '');
      if (recoveries.length <= failures) return 1;
      await patchStatus(program, result, { ledger: { [ENTRY.id]: { state: 'reverted' } } });
      return 0;
    }
    await storeResult(program, 'Running', 'Awaited');
    await patchStatus(program, `${env.CHAOSENGINE}-${env.EXPERIMENT_NAME}`, {
      ledger: { [ENTRY.id]: ENTRY },
      recovery: recoveryTemplate(env.EXPERIMENT_NAME ?? '', pod),
    });
    if (diesAt === 'the abort') await untilAborted(signal);
    return 137;
  };
  return { run, recoveries };
}

async function ledgerState(cluster: StandInCluster): Promise<string | undefined> {
  return (await cluster.result('web-loss')).status?.ledger?.[ENTRY.id]?.state;
}

for (const statusSubresource of [false, true]) {
  const kind = statusSubresource ? 'status as subresource' : 'status in the object';

  test(`recovery (${kind}): the runner has an experiment that died revert, then judges it`, async (context) => {
    const { run, recoveries } = mortal({ failures: 1, diesAt: 'once' });
    const cluster = await startStandIn(context, { statusSubresource, experiment: run });
    await cluster.experiment('loss');
    await cluster.apply(engineOf('web', ['loss']));
    const engine = await cluster.ended('web', 'completed');
    assert.equal(engine.status?.experiments?.[0]?.verdict, 'Error');
    assert.equal(await ledgerState(cluster), 'reverted');
    assert.equal(recoveries.length, 2);
    assert.deepEqual(
      (await cluster.jobs()).filter(({ metadata }) => recoveries.includes(metadata.name)),
      [],
    );
    assert.ok(engine.status?.timeline?.some(({ step }) => step === 'RecoveryStarted'));
  });

  test(`recovery (${kind}): the operator has it reverted before it closes an aborted run`, async (context) => {
    const { run, recoveries } = mortal({ failures: 0, diesAt: 'the abort' });
    const cluster = await startStandIn(context, { statusSubresource, experiment: run });
    await cluster.experiment('loss');
    await cluster.apply(engineOf('web', ['loss']));
    await cluster.resultWhen('web-loss', ({ status }) => status?.recovery !== undefined);
    await cluster.client.delete(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
    await cluster.gone('web');
    assert.equal(recoveries.length, 1);
    assert.equal(await ledgerState(cluster), 'reverted');
    assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
  });
}

test('recovery: what cannot be reverted is named, stays open, and keeps no engine from ending', async (context) => {
  const { run, recoveries } = mortal({ failures: Number.POSITIVE_INFINITY, diesAt: 'the abort' });
  const cluster = await startStandIn(context, { experiment: run });
  await cluster.experiment('loss');
  await cluster.apply(engineOf('web', ['loss']));
  await cluster.resultWhen('web-loss', ({ status }) => status?.recovery !== undefined);
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  const engine = await cluster.engine(
    'web',
    ({ status, metadata }) => status?.engineStatus === 'stopped' && metadata.finalizers === undefined,
  );
  assert.equal(recoveries.length, 3);
  const left = 'network-loss on pod default/web-1 (node n1)';
  const condition = findCondition(engine.status?.conditions, 'Recovered');
  assert.deepEqual([condition?.status, condition?.reason], ['False', 'NotReverted']);
  assert.ok(condition?.message?.includes(left));
  const entry = (await cluster.result('web-loss')).status?.ledger?.[ENTRY.id];
  assert.equal(entry?.state, 'injected');
  assert.ok(entry?.message?.startsWith('not reverted (3 attempts did not do it)'));
  const [event] = await cluster.events('web', 'ChaosResourcesOperationFailed');
  assert.ok(event !== undefined);
  assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
});

test('recovery: an account that is deleted in the middle is named as why no program could look, without waiting for the limit', async (context) => {
  const { run, recoveries } = mortal({ failures: 0, diesAt: 'the abort' });
  const cluster = await startStandIn(context, { experiment: run });
  const { client } = cluster;
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos' } }, { namespace: NAMESPACE });
  await cluster.experiment('loss');
  await cluster.apply(engineOf('web', ['loss'], { chaosServiceAccount: 'chaos' }));
  await cluster.resultWhen('web-loss', ({ status }) => status?.recovery !== undefined);
  await client.delete(SERVICE_ACCOUNTS, 'chaos', { namespace: NAMESPACE });
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  const { status } = await cluster.engine('web', (engine) => engine.status?.engineStatus === 'stopped');
  const condition = findCondition(status?.conditions, 'Recovered');
  assert.match(
    condition?.message ?? '',
    /^not reverted \(no program could look .* service account of the run is gone: .*serviceaccount "chaos" not found\): network-loss on pod/,
  );
  assert.deepEqual(recoveries, []);
  assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
});

test('recovery: what was left is tried afresh from the command line, whose attempts the operator leaves alone', async (context) => {
  // Three for the runner, two for the command line.
  const { run, recoveries } = mortal({ failures: 5, diesAt: 'once' });
  const cluster = await startStandIn(context, { experiment: run });
  await cluster.experiment('loss');
  await cluster.apply(engineOf('web', ['loss']));
  await cluster.ended('web', 'completed');
  assert.equal(recoveries.length, 3);
  assert.equal(await ledgerState(cluster), 'injected');
  const said: string[] = [];
  const left = await stopChaos({
    client: cluster.client,
    clock: systemClock,
    scope: NAMESPACE,
    patienceMs: 300,
    timeoutMs: 60_000,
    signal: AbortSignal.timeout(PATIENCE_MS),
    say: (line) => said.push(line),
  });
  assert.deepEqual(left, [], said.join('\n'));
  assert.equal(recoveries.length, 6, said.join('\n'));
  assert.equal(await ledgerState(cluster), 'reverted');
  const isRemoved = (jobs: readonly Job[]): boolean =>
    jobs.every(({ metadata }) => !recoveries.includes(metadata.name));
  await waitForList<Job>(cluster.client, JOBS, isRemoved, { namespace: NAMESPACE, timeoutMs: PATIENCE_MS });
});

test('recovery: the command line says what it cannot revert either, without waiting for its limit', async (context) => {
  const { run, recoveries } = mortal({ failures: Number.POSITIVE_INFINITY, diesAt: 'once' });
  const cluster = await startStandIn(context, { experiment: run });
  await cluster.experiment('loss');
  await cluster.apply(engineOf('web', ['loss']));
  await cluster.ended('web', 'completed');
  const said: string[] = [];
  const left = await stopChaos({
    client: cluster.client,
    clock: systemClock,
    scope: NAMESPACE,
    patienceMs: 300,
    timeoutMs: 3_600_000,
    signal: AbortSignal.timeout(PATIENCE_MS),
    say: (line) => said.push(line),
  });
  assert.equal(left.length, 1);
  assert.match(left[0] ?? '', /^network-loss on pod default\/web-1 \(node n1\)/);
  assert.equal(recoveries.length, 6);
  assert.equal(said.filter((line) => line.startsWith('not reverted')).length, 1, said.join('\n'));
});
