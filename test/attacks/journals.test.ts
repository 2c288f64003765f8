import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { LedgerEntry } from '../../src/api/index.ts';
import { JournalFile } from '../../src/experiment/helper/journal.ts';
import { revertJournals } from '../../src/experiment/helper/revert-journals.ts';
import type { FaultContext } from '../../src/experiment/injection/fault.ts';
import { fault } from '../../src/experiment/injection/testing/builders.ts';

const SERVER = '10.0.0.1:443';
const ENTRY: LedgerEntry = {
  id: 'run-1',
  fault: 'test-fault',
  target: { kind: 'pod', name: 'web-1' },
  parameters: { path: '/var/lib/fill', pid: '4711' },
  state: 'injected',
};

/** What somebody, or a disk, makes of a journal. */
const DAMAGE: Readonly<Record<string, (text: string) => string>> = {
  'another path': (text) => text.replace('/var/lib/fill', '/var/lib/full'),
  'another process': (text) => text.replace('4711', '4712'),
  'another target': (text) => text.replace('web-1', 'web-2'),
  'another fault': (text) => text.replace('test-fault', 'tess-fault'),
  'a fault by a prototype': (text) => text.replace('test-fault', '__proto__'),
  'another state': (text) => text.replace('injected', 'reverted'),
  'an entry that is null': (text) => text.replace(/"entries":\[.*?\](?=[,}])/, '"entries":[null]'),
  'an entry more': (text) => text.replace('"entries":[', `"entries":[${JSON.stringify(ENTRY)},`),
  'no entries': (text) => text.replace(/"entries":\[.*?\](?=[,}])/, '"entries":[]'),
  'another name of the checksum': (text) => text.replace('checksum', 'checksun'),
  'a version that is none': (text) => text.replace('"version":1', '"version":0'),
  'another checksum': (text) => text.replace(/"checksum":"./, '"checksum":"x'),
  'half of it': (text) => text.slice(0, text.length / 2),
  zeros: (text) => '\0'.repeat(text.length),
  nothing: () => '',
  'a list': (text) => `[${text}]`,
};

/** @param alive whether helpers of journals are at work */
async function reverted(
  folder: string,
  alive = false,
): Promise<{ readonly ids: string[]; readonly notes: string[] }> {
  const ids: string[] = [];
  const notes: string[] = [];
  const pod = { metadata: { name: 'dead', namespace: 'shop' }, status: { phase: 'Running' } };
  const client = { find: () => Promise.resolve(alive ? pod : undefined) } as Pick<KubeClient, 'find'>;
  const context = {
    client: client as KubeClient,
    clock: systemClock,
    random: () => 0,
    signal: new AbortController().signal,
    note: (reason: string, object: string, message: string) =>
      void notes.push(`${reason} ${object} ${message}`),
  } as FaultContext;
  const known = fault({
    name: 'test-fault',
    revert: ({ id }) => {
      ids.push(id);
      return Promise.resolve();
    },
  });
  await revertJournals({ folder, server: SERVER, ownPod: 'own', context, fault: known });
  return { ids, notes };
}

async function written(): Promise<{ readonly folder: string; readonly path: string; readonly text: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-journals-'));
  const of = { namespace: 'shop', result: 'r', runId: 'run', pod: 'dead' };
  await new JournalFile(folder, { version: 1, server: SERVER, ...of }).write([ENTRY]);
  const path = join(folder, 'shop_dead.json');
  return { folder, path, text: readFileSync(path, 'utf8') };
}

test('journals that are not what their helper wrote', async (t) => {
  for (const [what, damage] of Object.entries(DAMAGE)) {
    await t.test(`one with ${what}: nothing is reverted by it, which is told once`, async () => {
      const { folder, path, text } = await written();
      try {
        const damaged = damage(text);
        assert.notEqual(damaged, text);
        writeFileSync(path, damaged);
        const { ids, notes } = await reverted(folder);
        assert.deepEqual(ids, []);
        assert.match(notes.join('\n'), /^RevertFailed \S+shop_dead\.json .*is damaged/);
        assert.deepEqual(readdirSync(folder), ['shop_dead.json.damaged']);
        assert.deepEqual(await reverted(folder), { ids: [], notes: [] });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }

  await t.test('any byte of one, changed to any of three others', async () => {
    const { folder, path, text } = await written();
    try {
      for (let at = 0; at < text.length; at++) {
        for (const bit of [0x01, 0x20, 0x80]) {
          const bytes = Buffer.from(text);
          bytes[at] = (bytes[at] ?? 0) ^ bit;
          writeFileSync(path, bytes);
          const { ids } = await reverted(folder);
          assert.deepEqual(ids, [], `byte ${at} of ${text}`);
          rmSync(`${path}.damaged`, { force: true });
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  await t.test('one that is whole is reverted, also one of before checksums', async () => {
    const { folder, path, text } = await written();
    try {
      assert.deepEqual((await reverted(folder)).ids, ['run-1']);
      const { checksum: _, ...record } = JSON.parse(text);
      writeFileSync(path, JSON.stringify({ ...record, version: 1 }));
      assert.deepEqual((await reverted(folder)).ids, ['run-1']);
      assert.deepEqual(readdirSync(folder), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  /** Puts something in the place of a journal, looks twice, and gives what was told. */
  async function toldOf(replace: (path: string, text: string) => void, alive = false): Promise<string> {
    const { folder, path, text } = await written();
    try {
      rmSync(path);
      replace(path, text);
      const first = await reverted(folder, alive);
      assert.deepEqual(first.ids, []);
      assert.deepEqual(await reverted(folder, alive), first, 'it is told as long as it is there');
      assert.deepEqual(readdirSync(folder), ['shop_dead.json']);
      return first.notes.join('\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  function ofVersion2(text: string, server: unknown): string {
    const { checksum: _, ...record } = { ...JSON.parse(text), version: 2, server };
    const checksum = createHash('sha256').update(JSON.stringify(record)).digest('hex');
    return JSON.stringify({ ...record, checksum });
  }

  await t.test('one that cannot be read is told of while its helper is gone', async () => {
    const told = await toldOf((path) => mkdirSync(path));
    assert.match(
      told,
      /^RevertFailed \S+shop_dead\.json journal .* cannot be read: EISDIR.*shop\/dead, which is no more/,
    );
    assert.equal(await toldOf((path) => mkdirSync(path), true), '');
  });

  await t.test('one of a newer version is told of, unless it is of another cluster', async () => {
    const newer = (server: unknown) => (path: string, text: string) =>
      writeFileSync(path, ofVersion2(text, server));
    assert.match(await toldOf(newer(SERVER)), /is of a newer version of this program; nothing was reverted/);
    assert.match(await toldOf(newer({ host: 'a' })), /is of a newer version of this program/);
    assert.equal(await toldOf(newer('10.0.0.2:443')), '');
  });

  await t.test('a folder that cannot be listed is told of; one that is not there has none', async () => {
    const { folder, path } = await written();
    try {
      const { notes } = await reverted(path);
      assert.match(
        notes.join('\n'),
        /^RevertFailed \S+ journals of earlier helpers in .* cannot be listed.*ENOTDIR/,
      );
      assert.deepEqual(await reverted(join(folder, 'absent')), { ids: [], notes: [] });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
