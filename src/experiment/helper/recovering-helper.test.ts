import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type ExperimentCluster,
  fastClock,
  shareExperimentCluster,
} from '../../../test/support/experiment-cluster.ts';
import { CHAOS_RESULTS, type ChaosResult, type LedgerEntry } from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { silentLogger } from '../../kube/runtime/log.ts';
import { marker } from '../testing/marker-fault.ts';
import type { Assignment } from './assignment.ts';
import { JOURNAL_VARIABLE, Journal, readJournals } from './journal.ts';
import { runHelper } from './run-helper.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});

/** A client that tells before each patch is sent. */
function telling(client: KubeClient, onPatch: (patch: unknown) => Promise<void>): KubeClient {
  return new Proxy(client, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key !== 'patch') return value.bind(target);
      return async (...args: Parameters<KubeClient['patch']>) => {
        await onPatch(args[3]);
        return target.patch(...args);
      };
    },
  });
}

test('the journal of the dead helper is cleared before the ledger is closed: who sees that may end this helper at once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-journal-'));
  t.after(() => rm(folder, { recursive: true }));
  const namespace = await cluster.namespace();
  const fault = marker({ where: 'node' });
  const left: LedgerEntry = {
    id: 'run1.r0.gone',
    fault: fault.name,
    target: { kind: 'pod', namespace, name: 'gone', node: 'node-1' },
    parameters: {},
    state: 'injected',
  };
  // Of another address, as a development cluster has when it is started again: nobody reverts it by the journal alone.
  const record = {
    version: 1,
    server: '10.9.9.9:443',
    namespace,
    result: 'r',
    runId: 'run1',
    pod: 'dead',
  } as const;
  await new Journal(folder, record).write([left]);
  await cluster.client.create<ChaosResult>(
    CHAOS_RESULTS,
    { metadata: { name: 'r' }, status: { ledger: { [left.id]: left } } },
    { namespace },
  );
  const journalsAtClose: number[] = [];
  const client = telling(cluster.client, async (patch) => {
    if (JSON.stringify(patch).includes('"reverted"'))
      journalsAtClose.push((await readJournals(folder)).length);
  });
  const assignment: Assignment = {
    version: 1,
    fault: fault.name,
    runId: 'run1',
    result: 'r',
    experiment: fault.name,
    targets: [left.target],
    recover: [left],
  };
  const code = await runHelper({
    fault,
    assignment,
    env: { CHAOS_NAMESPACE: namespace, POD_NAME: 'new', RUN_ID: 'run1', [JOURNAL_VARIABLE]: folder },
    client,
    clock: fastClock(),
    random: () => 0,
    signal: new AbortController().signal,
    logger: silentLogger,
    print: () => {},
  });
  assert.equal(code, 0);
  assert.deepEqual(journalsAtClose, [0]);
  const { status } = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, 'r', { namespace });
  assert.equal(status?.ledger?.[left.id]?.state, 'reverted');
});
