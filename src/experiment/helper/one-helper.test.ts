import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { CHAOS_RESULTS, type ChaosResult, LABEL_RUN_ID, type LedgerEntry } from '../../api/index.ts';
import type { PressureReader } from '../../process/pace/pressure-reader.ts';
import { marker } from '../injection/testing/marker-fault.ts';
import type { Assignment } from './assignment.ts';
import { parsePressureBell } from './helper-log.ts';
import { JOURNAL_VARIABLE, JournalFile, readJournals } from './journal.ts';
import { runHelper } from './run-helper.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});

/** A client that calls back before each patch is sent. */
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

/** Runs a helper of run `run1` of the marker fault on pod `gone`, with result `r`. */
function help(change: {
  readonly namespace: string;
  readonly folder: string;
  readonly client: KubeClient;
  readonly recover?: readonly LedgerEntry[];
  readonly print?: (line: string) => void;
  readonly pressure?: PressureReader;
}): Promise<number> {
  const { namespace, folder, client, recover, pressure, print = () => {} } = change;
  const fault = marker({ where: 'node' });
  const assignment: Assignment = {
    version: 1,
    fault: fault.name,
    runId: 'run1',
    result: 'r',
    experiment: fault.name,
    targets: [{ kind: 'pod', namespace, name: 'gone', node: 'node-1' }],
    ...(recover === undefined ? {} : { recover }),
  };
  return runHelper({
    fault,
    assignment,
    env: { CHAOS_NAMESPACE: namespace, POD_NAME: 'new', RUN_ID: 'run1', [JOURNAL_VARIABLE]: folder },
    client,
    clock: fastClock(),
    random: () => 0,
    signal: new AbortController().signal,
    logger: silentLogger,
    print,
    pressure,
  });
}

async function journalFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-journal-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('the journal of the dead helper is cleared before the ledger is closed: who sees that may end this helper at once', async (t) => {
  const folder = await journalFolder(t);
  const namespace = await cluster.namespace();
  const left: LedgerEntry = {
    id: 'run1.r0.gone',
    fault: marker().name,
    target: { kind: 'pod', namespace, name: 'gone', node: 'node-1' },
    parameters: {},
    state: 'injected',
  };
  // Of another address, as a development cluster has when it is started again: no helper reverts it by the journal alone.
  const record = {
    version: 1,
    server: '10.9.9.9:443',
    namespace,
    result: 'r',
    runId: 'run1',
    pod: 'dead',
  } as const;
  await new JournalFile(folder, record).write([left]);
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
  const code = await help({ namespace, folder, client, recover: [left] });
  assert.equal(code, 0);
  assert.deepEqual(journalsAtClose, [0]);
  const { status } = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, 'r', { namespace });
  assert.equal(status?.ledger?.[left.id]?.state, 'reverted');
});

for (const { name, phase, runId } of [
  { name: 'whose run is over', phase: 'Completed', runId: 'run1' } as const,
  { name: 'whose run was replaced by another one', phase: 'Running', runId: 'run2' } as const,
]) {
  test(`a helper ${name} when it starts injects nothing, and changes no result`, async (t) => {
    const namespace = await cluster.namespace();
    const before = await cluster.client.create<ChaosResult>(
      CHAOS_RESULTS,
      {
        metadata: { name: 'r', labels: { [LABEL_RUN_ID]: runId } },
        status: { experimentStatus: { phase, verdict: 'Awaited' } },
      },
      { namespace },
    );
    const code = await help({ namespace, folder: await journalFolder(t), client: cluster.client });
    assert.equal(code, 1);
    const { items } = await cluster.client.list(CONFIG_MAPS, { namespace });
    assert.deepEqual(
      items.filter(({ metadata }) => metadata.name.startsWith('marked-')),
      [],
    );
    const after = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, 'r', { namespace });
    assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
  });
}

test('an abort between the look at the run and the plan wins: the answer to the plan shows it', async (t) => {
  const namespace = await cluster.namespace();
  await cluster.client.create<ChaosResult>(
    CHAOS_RESULTS,
    {
      metadata: { name: 'r', labels: { [LABEL_RUN_ID]: 'run1' } },
      status: { experimentStatus: { phase: 'Running', verdict: 'Awaited' } },
    },
    { namespace },
  );
  const revoked = { status: { lease: { revoked: true } } };
  const client = telling(cluster.client, async (patch) => {
    if (JSON.stringify(patch).includes('"planned"'))
      await cluster.client.patch(CHAOS_RESULTS, 'r', 'merge', revoked, { namespace });
  });
  const code = await help({ namespace, folder: await journalFolder(t), client });
  assert.equal(code, 1);
  const { items } = await cluster.client.list(CONFIG_MAPS, { namespace });
  assert.deepEqual(
    items.filter(({ metadata }) => metadata.name.startsWith('marked-')),
    [],
  );
  const { status } = await cluster.client.get<ChaosResult>(CHAOS_RESULTS, 'r', { namespace });
  const [entry] = Object.values(status?.ledger ?? {});
  assert.deepEqual([entry?.state, entry?.injectedAt], ['failed', undefined]);
  assert.equal(status?.experimentStatus?.errorOutput, undefined);
});

test('a helper says at its end how busy its machine was, whatever became of it', async (t) => {
  const namespace = await cluster.namespace();
  const lines: string[] = [];
  const clock = new FakeClock();
  const pressure = { clock, cores: () => 2, load: () => 53.2, cpuWaitPercent: () => undefined };
  const folder = await journalFolder(t);
  // There is no result: it fails.
  const code = await help({
    namespace,
    folder,
    client: cluster.client,
    print: (line) => lines.push(line),
    pressure,
  });
  assert.equal(code, 1);
  const time = '2030-01-01T00:00:00.000Z';
  assert.deepEqual(
    lines.flatMap((line) => parsePressureBell(line) ?? []),
    [{ cores: 2, eventLoopLateMs: { value: 0, time }, load: { value: 53.2, time } }],
  );
  assert.equal(clock.pending, 0, 'it watches no longer');
});
