/** Against the embedded API server, with no controllers: a Job never says that it has ended. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { CoreEvent, Job, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  EVENTS,
  JOBS,
  PODS,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CUSTOM_RESOURCES } from '../api/crds.ts';
import { CHAOS_RESULTS, type ChaosResult } from '../api/index.ts';
import { recoverResult } from './recover-result.ts';

const PLACE = { namespace: 'default' } as const;

async function startServer(t: TestContext): Promise<KubeClient> {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-recovery-'));
  const server = createApiServer({ dataDir });
  await server.listen();
  const client = createClient(server.adminConfig);
  t.after(async () => {
    client.close();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default' } }, PLACE);
  for (const { definition } of CUSTOM_RESOURCES) {
    // The definition as the API takes it; our own type leaves out the fields that no one here reads.
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition as unknown as KubeObject);
  }
  return client;
}

function resultWithOpenEntry(): ChaosResult {
  const target = { kind: 'pod', namespace: 'default', name: 'web-1' };
  return {
    metadata: { name: 'r', labels: { 'turnsole.io/run-id': 'run' } },
    status: {
      ledger: { a: { id: 'a', fault: 'pod-network-loss', target, parameters: {}, state: 'injected' } },
      recovery: { experiment: 'pod-network-loss', pod: {}, container: { image: 'i' }, labels: {} },
    },
  };
}

/** What is seen of the pod of a Job when it has ended. */
async function endPod(client: KubeClient, job: string, phase: 'Succeeded' | 'Failed'): Promise<void> {
  await client.create<Pod>(
    PODS,
    {
      metadata: { name: job, labels: { 'job-name': job } },
      spec: { containers: [{ name: 'x', image: 'i' }] },
    },
    PLACE,
  );
  await client.patch<Pod>(PODS, job, 'merge', { status: { phase } }, { ...PLACE, subresource: 'status' });
}

test('a recovery whose pod cannot be made, as the account of the run is gone, ends at once with that reason', async (t) => {
  const client = await startServer(t);
  const result = await client.create<ChaosResult>(CHAOS_RESULTS, resultWithOpenEntry(), PLACE);
  const refusals: Promise<unknown>[] = [];
  const tell = async (name: string, message: string, uid?: string): Promise<void> => {
    const job = await client.get<Job>(JOBS, name, PLACE);
    const involvedObject = { kind: 'Job', name, namespace: 'default', uid: uid ?? job.metadata.uid ?? '' };
    const event = { metadata: { generateName: 'e' }, reason: 'FailedCreate', message, involvedObject };
    await client.create(EVENTS, event as NewObject<CoreEvent>, PLACE);
  };
  const gone =
    'pods "x-" is forbidden: error looking up service account default/sa: serviceaccount "sa" not found';
  const onStart = (job: string): void => {
    // Neither what may pass nor what an earlier Job of the name was told ends it.
    refusals.push(
      tell(job, 'exceeded quota: pods')
        .then(() => tell(job, gone, 'of an earlier Job'))
        .then(() => tell(job, gone)),
    );
  };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { left, reason = '' } = await recoverResult(result, { client, clock: systemClock, signal, onStart });
  await Promise.all(refusals);
  assert.match(
    reason,
    /^no program could look .* service account of the run is gone: Job \S+-1 cannot create its pod: pods /,
  );
  assert.match(reason, /serviceaccount "sa" not found$/);
  assert.deepEqual(left, ['pod-network-loss on pod default/web-1']);
});

test('the next attempt begins when the pod of the one before has ended, whatever its Job says', async (t) => {
  const client = await startServer(t);
  const result = await client.create<ChaosResult>(CHAOS_RESULTS, resultWithOpenEntry(), PLACE);
  const started: string[] = [];
  const ends: Promise<void>[] = [];
  const onStart = (job: string): void => {
    started.push(job);
    ends.push(endPod(client, job, 'Failed'));
  };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { left, reason } = await recoverResult(result, { client, clock: systemClock, signal, onStart });
  await Promise.all(ends);
  assert.deepEqual(
    started.map((name) => name.slice(-2)),
    ['-1', '-2', '-3'],
  );
  assert.equal(reason, '3 attempts did not do it');
  assert.deepEqual(left, ['pod-network-loss on pod default/web-1']);
});
