import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { LedgerEntry } from '../../api/index.ts';
import { fault } from '../injection/testing/builders.ts';
import { NodeError } from '../node/node-error.ts';
import { HelperJournal } from './helper-journal.ts';
import { readJournals } from './journal.ts';

const skip = process.platform === 'linux' && process.getuid?.() === 0 ? false : 'a disk is mounted as root';

/** A disk of four pages, with the folder of the journals. */
function disk(t: TestContext) {
  const place = mkdtempSync(join(tmpdir(), 'turnsole-journal-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', place]);
  t.after(() => {
    execFileSync('umount', [place]);
    rmSync(place, { recursive: true });
  });
  const folder = join(place, 'journal');
  mkdirSync(folder);
  return {
    folder,
    fill: (): void =>
      assert.throws(() => writeFileSync(join(place, 'large'), Buffer.alloc(1 << 20)), /ENOSPC/),
    lock: (): void => void execFileSync('mount', ['-o', 'remount,ro', place]),
  };
}

function entry(id: string): LedgerEntry {
  return { id, fault: 'test-fault', target: { kind: 'pod', name: id }, parameters: {}, state: 'planned' };
}

function journalIn(
  folder: string,
  warnings: string[] = [],
  pod = 'helper-1',
  isRecovery = false,
): HelperJournal {
  return new HelperJournal({
    folder,
    node: 'node-7',
    record: { version: 1, server: ':', namespace: 'shop', result: 'r', runId: 'run', pod },
    isRecovery,
    fault: fault(),
    registry: undefined,
    logger: {
      ...silentLogger,
      warn: (...words: readonly unknown[]) => void warnings.push(String(words.at(-1))),
    },
  });
}

test('on a full disk nothing may be injected, and nothing stays of the journal', { skip }, async (t) => {
  const { folder, fill } = disk(t);
  fill();
  const journal = journalIn(folder);
  await assert.rejects(journal.opening([entry('a')]), (error: unknown) => {
    assert.ok(error instanceof NodeError);
    assert.match(error.message, /on node node-7 what is about to be injected .*nothing was: .*make room/);
    assert.match(String(error.cause), /ENOSPC/);
    return true;
  });
  await journal.closing(new Set('a'), []);
  assert.deepEqual(readdirSync(folder), []);
});

test('a disk that is full by now keeps nothing from being closed', { skip }, async (t) => {
  const { folder, fill } = disk(t);
  const warnings: string[] = [];
  const journal = journalIn(folder, warnings);
  await journal.opening([entry('a'), entry('b')]);
  fill();
  await journal.closing(new Set('a'), [entry('b')]);
  assert.deepEqual(warnings, ['a journal says more than is in force']);
  const [found] = await readJournals(folder);
  assert.deepEqual(
    found?.record.entries.map(({ id }) => id),
    ['a', 'b'],
  );
  await journal.closing(new Set('b'), []);
  assert.deepEqual(readdirSync(folder), []);
});

test('where the helper may not write its journal, it relies on the ledger and logs that once', {
  skip,
}, async (t) => {
  const { folder, lock } = disk(t);
  lock();
  const warnings: string[] = [];
  const journal = journalIn(folder, warnings);
  await journal.opening([entry('a')]);
  await journal.closing(new Set('a'), []);
  await journal.opening([entry('b')]);
  assert.deepEqual(warnings, ['no journal on this node; the ledger has to do']);
});

test('who recovers takes out of the journals of others what is about to be closed', { skip }, async (t) => {
  const { folder } = disk(t);
  await journalIn(folder, [], 'dead').opening(['a', 'b', 'c', 'd'].map(entry));
  const journal = journalIn(folder, [], 'recovers', true);
  // All at once, as reverts are.
  await Promise.all(['a', 'c', 'd'].map((id) => journal.closing(new Set(id), [])));
  const left = (await readJournals(folder)).map(
    ({ record }) => `${record.pod} ${record.entries.map(({ id }) => id)}`,
  );
  assert.deepEqual(left, ['dead b']);
  await journal.closing(new Set('b'), []);
  assert.deepEqual(readdirSync(folder), []);
});
