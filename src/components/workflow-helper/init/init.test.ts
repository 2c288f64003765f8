/** `init` really runs, over the folders of a temporary pod and a folder as store. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import { zip } from '../artifacts/archive/zip.ts';
import { NodeFixture } from '../testing/node-fixture.ts';

/** Where the store is mounted. */
const STORE = '/var/run/store';

/** A store with a tarball of one file, one of a folder with two, a zip and a text. */
async function filled(t: TestContext): Promise<string> {
  const store = mkdtempSync(join(tmpdir(), 'turnsole-store-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  const made = join(store, 'made');
  mkdirSync(join(made, 'sub'), { recursive: true });
  writeFileSync(join(made, 'one'), 'first');
  writeFileSync(join(made, 'sub/two'), 'second', { mode: 0o755 });
  execFileSync('tar', ['-czf', join(store, 'one.tgz'), '-C', made, 'one']);
  execFileSync('tar', ['-czf', join(store, 'both.tgz'), '-C', made, 'one', 'sub']);
  await zip(made, join(store, 'both.zip'));
  writeFileSync(join(store, 'text'), 'text');
  return store;
}

function fetching(
  t: TestContext,
  store: string,
  artifacts: readonly (Omit<Artifact, 'name'> & { readonly key: string })[],
  onVolumes: readonly string[] = [],
): NodeFixture {
  const inputs = artifacts.map(({ key, ...artifact }, index) => ({
    path: `/in/${index}`,
    ...artifact,
    name: `a${index}`,
    volume: { key, folder: STORE },
  }));
  const order = { uses: ['fetch'], artifacts: { inputs, outputs: [], logs: [] }, onVolumes } as const;
  const node = new NodeFixture(t, order);
  node.mount(STORE, store);
  return node;
}

test('tarballs are unpacked, one entry becomes the artifact; unless the template says otherwise', async (t) => {
  const store = await filled(t);
  const node = fetching(t, store, [
    { key: 'one.tgz' },
    { key: 'both.tgz' },
    { key: 'one.tgz', archive: { none: {} } },
    { key: 'text' },
    { key: 'both.zip', archive: { zip: {} } },
    { key: 'made' },
    { key: 'none', optional: true },
  ]);
  const { code, lastWords } = await node.run('init');
  assert.deepEqual([code, lastWords], [0, '']);
  const at = (name: string): string => join(node.places.fetched, name);
  assert.equal(node.read(at('a0')), 'first');
  assert.deepEqual([node.read(at('a1/one')), node.read(at('a1/sub/two'))], ['first', 'second']);
  assert.equal(statSync(at('a2')).size, statSync(join(store, 'one.tgz')).size);
  assert.equal(node.read(at('a3')), 'text');
  assert.deepEqual([node.read(at('a4/one')), statSync(at('a4/sub/two')).mode & 0o777], ['first', 0o755]);
  assert.equal(node.read(at('a5/sub/two')), 'second');
  assert.ok(!existsSync(at('a6')));
  assert.deepEqual(readdirSync(node.places.fetched).toSorted(), ['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
});

test('modes are set, of folders with everything in them where that is wanted', async (t) => {
  const store = await filled(t);
  const node = fetching(t, store, [
    { key: 'text', mode: 0o700 },
    { key: 'made', mode: 0o777, recurseMode: true },
    { key: 'made', mode: 0o750 },
  ]);
  await node.run('init');
  const modeOf = (name: string): number => statSync(join(node.places.fetched, name)).mode & 0o777;
  assert.deepEqual(
    ['a0', 'a1', 'a1/one', 'a2', 'a2/sub/two'].map(modeOf),
    [0o700, 0o777, 0o777, 0o750, 0o755],
  );
});

test('what lies on a volume of the user is put there, beside what is there', async (t) => {
  const store = await filled(t);
  const node = fetching(
    t,
    store,
    [
      { key: 'text', path: '/v/f' },
      { key: 'made', path: '/v' },
    ],
    ['a0', 'a1'],
  );
  const volume = join(node.places.main, 'v');
  mkdirSync(volume);
  writeFileSync(join(volume, 'own'), 'own');
  assert.equal((await node.run('init')).lastWords, '');
  assert.deepEqual(readdirSync(volume).toSorted(), ['f', 'one', 'own', 'sub']);
});

test('what is not there, or no archive, is an error that names artifact, key and what to do', async (t) => {
  const store = await filled(t);
  const rows: readonly [artifact: Parameters<typeof fetching>[2][number], message: RegExp][] = [
    [
      { key: 'none' },
      /artifact a0: nothing lies at none in the volume .*: correct the key, or make the artifact optional/,
    ],
    [
      { key: 'text', archive: { tar: {} } },
      /artifact a0 cannot be fetched from text \(volume\): incorrect header check/,
    ],
    [
      { key: 'text', archive: { zip: {} } },
      /artifact a0 cannot be fetched from text \(volume\): it is no zip/,
    ],
  ];
  for (const [artifact, message] of rows) {
    const ended = await fetching(t, store, [artifact]).run('init');
    assert.equal(ended.code, 1);
    assert.match(ended.lastWords.replace(';', ':'), message);
  }
});

test('a shell that is not there, an order that is not there, a program that is not there', async (t) => {
  const node = new NodeFixture(t, {});
  const env = { TURNSOLE_BUSYBOX: '/none/busybox' };
  assert.match((await node.run('init', { env })).lastWords, /the shell \/none\/busybox cannot be copied to/);
  rmSync(dirname(node.places.order), { recursive: true });
  assert.match((await node.run('init')).lastWords, /the order of the node, \S+, cannot be read/);
  assert.equal((await node.run('nothing')).code, 2);
});
