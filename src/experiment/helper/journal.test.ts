import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { LedgerEntry } from '../../api/index.ts';
import type { FaultContext } from '../injection/fault.ts';
import { fault } from '../injection/testing/builders.ts';
import { forgetEntries, JournalFile, readJournals, removeDeadDrafts } from './journal.ts';
import { revertJournals } from './revert-journals.ts';

const SERVER = '10.0.0.1:443';

function entry(id: string): LedgerEntry {
  return { id, fault: 'test-fault', target: { kind: 'pod', name: id }, parameters: { id }, state: 'planned' };
}

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-journal-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'journal');
}

function journal(folder: string, pod: string, server = SERVER): JournalFile {
  return new JournalFile(folder, {
    version: 1,
    server,
    namespace: 'shop',
    result: 'r',
    runId: 'run',
    pod,
  });
}

/** A cluster that has these pods. */
function contextWith(phases: Readonly<Record<string, string>>): { context: FaultContext; notes: string[] } {
  const notes: string[] = [];
  const client: Pick<KubeClient, 'find'> = {
    find: <T extends KubeObject>(_: unknown, name: string) => {
      const phase = phases[name];
      if (phase === 'Forbidden') {
        const status = { reason: 'Forbidden', message: `pods "${name}" is forbidden` };
        return Promise.reject(new ApiError(`GET /api/v1/namespaces/other/pods/${name}`, 403, status));
      }
      // Stands for a pod, the only kind that is asked for.
      const pod =
        phase === undefined ? undefined : ({ metadata: { name }, status: { phase } } as unknown as T);
      return Promise.resolve(pod);
    },
  };
  const context: FaultContext = {
    // Nothing else of the client is used.
    client: client as KubeClient,
    clock: systemClock,
    random: () => 0,
    signal: new AbortController().signal,
    recoveryTimeoutMs: 1000,
    note: (step, object) => void notes.push(`${step} ${object}`),
  };
  return { context, notes };
}

test('a journal holds what was written last, and goes when nothing is in force', async (t) => {
  const folder = await folderOf(t);
  const own = journal(folder, 'helper-1');
  await own.write([entry('a')]);
  await own.write([entry('a'), entry('b')]);
  const [found] = await readJournals(folder);
  assert.deepEqual(
    found?.record.entries.map(({ id }) => id),
    ['a', 'b'],
  );
  await own.write([]);
  await own.write([]);
  assert.deepEqual(await readdir(folder), []);
});

test('writes of a moment leave what was asked for last', async (t) => {
  const folder = await folderOf(t);
  const own = journal(folder, 'helper-1');
  const all = Array.from({ length: 20 }, (_, index) => entry(`e${index}`));
  await Promise.all(all.map((_, index) => own.write(all.slice(index))));
  const [found, ...others] = await readJournals(folder);
  assert.deepEqual([found?.record.entries.map(({ id }) => id), others.length], [['e19'], 0]);
  await Promise.all(all.map((_, index) => own.write(all.slice(index + 1))));
  assert.deepEqual(await readdir(folder), []);
});

test('what another helper has reverted is in no journal any more', async (t) => {
  const folder = await folderOf(t);
  await journal(folder, 'dead').write([entry('a'), entry('b')]);
  await journal(folder, 'dead-too').write([entry('c')]);
  await journal(folder, 'before', '10.9.9.9:443').write([entry('a'), entry('d')]);
  await forgetEntries(folder, new Set(['a', 'c']));
  const left = (await readJournals(folder)).map(
    ({ record }) => `${record.pod}: ${record.entries.map(({ id }) => id)}`,
  );
  assert.deepEqual(left.sort(), ['before: d', 'dead: b']);
});

test('a draft whose writer died goes, one that is being written stays', async (t) => {
  const folder = await folderOf(t);
  await journal(folder, 'one').write([entry('a')]);
  await writeFile(join(folder, 'shop_dead.json.new'), '{"ver');
  await removeDeadDrafts(folder, Date.now());
  assert.deepEqual((await readdir(folder)).sort(), ['shop_dead.json.new', 'shop_one.json']);
  await removeDeadDrafts(folder, Date.now() + 60_000);
  assert.deepEqual(await readdir(folder), ['shop_one.json']);
});

test('what dead helpers left is reverted, what lives or belongs to another cluster is left alone', async (t) => {
  const folder = await folderOf(t);
  await journal(folder, 'gone').write([entry('gone')]);
  await journal(folder, 'failed').write([entry('failed')]);
  await journal(folder, 'alive').write([entry('alive')]);
  await journal(folder, 'own').write([entry('own')]);
  await journal(folder, 'elsewhere', '10.9.9.9:443').write([entry('elsewhere')]);
  await writeFile(join(folder, 'torn.json'), '{"version":1,"ser');
  const reverted: string[] = [];
  const { context, notes } = contextWith({ failed: 'Failed', alive: 'Running', own: 'Running' });
  await revertJournals({
    folder,
    server: SERVER,
    ownPod: 'own',
    context,
    fault: fault({
      revert: ({ id }) => {
        reverted.push(id);
        return Promise.resolve();
      },
    }),
  });
  assert.deepEqual(reverted.sort(), ['failed', 'gone']);
  assert.deepEqual(notes.sort(), ['Reverted pod/failed', 'Reverted pod/gone']);
  assert.deepEqual((await readdir(folder)).sort(), [
    'shop_alive.json',
    'shop_elsewhere.json',
    'shop_own.json',
    'torn.json',
  ]);
});

test('journals of namespaces that may not be looked into are left to others, without a word', async (t) => {
  const folder = await folderOf(t);
  await journal(folder, 'foreign').write([entry('foreign')]);
  const { context, notes } = contextWith({ foreign: 'Forbidden' });
  await revertJournals({ folder, server: SERVER, ownPod: 'own', context, fault: fault({}) });
  assert.deepEqual(notes, []);
  assert.deepEqual(await readdir(folder), ['shop_foreign.json']);
});

test('a revert that fails leaves the journal for the next helper', async (t) => {
  const folder = await folderOf(t);
  await journal(folder, 'gone').write([entry('gone')]);
  const { context, notes } = contextWith({});
  const failing = fault({ revert: () => Promise.reject(new Error('busy')) });
  await revertJournals({ folder, server: SERVER, ownPod: 'own', context, fault: failing });
  assert.equal(notes.length, 1);
  assert.deepEqual(await readdir(folder), ['shop_gone.json']);
});
