import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFolder } from './folder.ts';
import { memoryFolder } from './memory-folder.ts';
import { Spool, type SpoolLoss, type SpoolOptions } from './spool.ts';
import { mortalFolder } from './testing/mortal-folder.ts';
import type { SpoolEntry } from './waiting.ts';

const LIMIT = 64 * 1024;

interface Place {
  readonly path: string;
  open(options?: Partial<SpoolOptions>): Promise<Spool>;
}

async function place(t: TestContext): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), 'turnsole-spool-'));
  t.after(() => rm(path, { recursive: true }));
  return {
    path,
    open: async (options = {}) =>
      Spool.open({ folder: await openFolder(path), limitBytes: LIMIT, ...options }),
  };
}

const body = (text: string): Buffer => Buffer.from(text);

/** Keys and bodies in the order of handing over; `!` marks final ones. Nothing is done with them, and one that is taken stays so. */
async function contents(spool: Spool, taken?: SpoolEntry): Promise<string[]> {
  const texts: string[] = [];
  for (const entry of [...spool.entries()]) {
    texts.push(`${entry.key}=${await spool.take(entry)}${entry.isFinal ? '!' : ''}`);
    if (entry.sequence !== taken?.sequence) spool.release(entry);
  }
  return texts;
}

async function first(
  spool: Spool,
): Promise<NonNullable<ReturnType<Spool['entries']> extends Iterable<infer E> ? E : never>> {
  const [entry] = spool.entries();
  assert.ok(entry !== undefined);
  return entry;
}

test('what is stored is handed over in order, also after it was opened again', async (t) => {
  const { open } = await place(t);
  const spool = await open();
  await spool.append('a', body('1'), false);
  await spool.append('b', body('1'), true);
  await spool.append('c', body('1'), false);
  assert.deepEqual(await contents(spool), ['a=1', 'b=1!', 'c=1']);
  spool.done(await first(spool));
  await spool.close();
  const again = await open();
  assert.deepEqual(await contents(again), ['b=1!', 'c=1']);
  await again.close();
});

test('a spool in memory keeps order, and gives room back when it is written anew', async () => {
  const folder = memoryFolder();
  const limitBytes = 3 * 1024 * 1024;
  const spool = await Spool.open({ folder, limitBytes });
  const large = Buffer.alloc(400_000, 'x');
  for (let round = 0; round < 8; round += 1) {
    await spool.append('large', large, false);
    await spool.append(`small-${round}`, body(`${round}`), true);
  }
  await spool.close();
  assert.ok((await (await folder.open('spool')).size()) < 8 * large.length, 'it was written anew');
  const again = await Spool.open({ folder, limitBytes });
  const small = (await contents(again)).filter((text) => text.startsWith('small'));
  assert.deepEqual(
    small,
    Array.from({ length: 8 }, (_, round) => `small-${round}=${round}!`),
  );
  await again.close();
});

test('a newer record takes the place of the one of its key, but not of a final one and not of one that is handed over', async (t) => {
  const { open } = await place(t);
  const spool = await open();
  await spool.append('a', body('1'), false);
  await spool.append('b', body('1'), false);
  await spool.append('a', body('2'), false);
  assert.deepEqual(await contents(spool), ['a=2', 'b=1']);
  const taken = await first(spool);
  await spool.take(taken);
  await spool.append('a', body('3'), false);
  await spool.append('a', body('4'), true);
  await spool.append('a', body('5'), false);
  assert.deepEqual(await contents(spool, taken), ['a=2', 'b=1', 'a=4!', 'a=5']);
  spool.done(taken);
  assert.deepEqual(await contents(spool), ['b=1', 'a=4!', 'a=5']);
  await spool.append('b', body('2'), true);
  await spool.close();
  const again = await open();
  // What was handed over is not there, so on the way the newer ones took its place in line; the order of a key is the same.
  assert.deepEqual(await contents(again), ['a=4!', 'b=2!', 'a=5']);
  await again.close();
});

test('a record that could not be handed over goes out no more where a newer one of its key has come, unless it is final', async (t) => {
  const { open } = await place(t);
  const spool = await open();
  await spool.append('a', body('1'), false);
  await spool.append('b', body('1'), true);
  await spool.append('c', body('1'), false);
  const taken = [...spool.entries()];
  for (const entry of taken) await spool.take(entry);
  await spool.append('a', body('2'), false);
  await spool.append('a', body('3'), false);
  await spool.append('b', body('2'), false);
  for (const entry of taken) spool.release(entry);
  const left = ['a=3', 'b=1!', 'c=1', 'b=2'];
  assert.deepEqual(await contents(spool), left);
  await spool.append('a', body('4'), false);
  assert.deepEqual(await contents(spool), left.with(0, 'a=4'));
  await spool.close();
  const again = await open();
  assert.deepEqual(await contents(again), left.with(0, 'a=4'));
  assert.equal(again.bytes, spool.bytes);
  await again.close();
});

test('when the spool is full, the oldest entries that may be dropped are dropped and reported; final ones never are', async (t) => {
  const { open } = await place(t);
  const losses: SpoolLoss[] = [];
  const spool = await open({ limitBytes: 1_000, onLoss: (loss) => losses.push(loss) });
  const large = body('x'.repeat(300));
  assert.equal(await spool.append('a', large, false), 'stored');
  assert.equal(await spool.append('b', large, true), 'stored');
  assert.equal(await spool.append('c', large, false), 'stored');
  assert.equal(await spool.append('d', large, true), 'stored');
  assert.deepEqual(losses, [{ type: 'dropped', key: 'a' }]);
  assert.equal(await spool.append('e', large, true), 'stored');
  assert.equal(await spool.append('f', large, true), 'full');
  assert.equal(await spool.append('g', large, false), 'full');
  assert.deepEqual(
    [...spool.entries()].map(({ key }) => key),
    ['b', 'd', 'e'],
  );
  spool.done(await first(spool));
  assert.equal(await spool.append('f', large, true), 'stored');
  await spool.close();
  const again = await open();
  assert.deepEqual(
    [...again.entries()].map(({ key }) => key),
    ['d', 'e', 'f'],
  );
  await again.close();
});

test('that a key is over is remembered, over a new start and a new file, until something new comes of it', async (t) => {
  const { open } = await place(t);
  const spool = await open({ limitBytes: 4 * 1024 * 1024 });
  await spool.append('a', body('1'), true);
  await spool.append('b', body('1'), true);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => spool.hasFinal(key)),
    [true, true, false],
  );
  spool.done(await first(spool));
  assert.equal(spool.hasFinal('a'), true);
  // Enough for the file to be written anew.
  for (let index = 0; index < 20; index++) {
    await spool.append('large', Buffer.alloc(100_000, index), false);
  }
  await spool.append('b', body('2'), false);
  await spool.close();
  const again = await open();
  assert.deepEqual(
    ['a', 'b', 'large'].map((key) => again.hasFinal(key)),
    [true, false, false],
  );
  assert.deepEqual(await contents(again).then((all) => all.map((one) => one.slice(0, 5))), [
    'b=1!',
    'large',
    'b=2',
  ]);
  await again.append('a', body('3'), false);
  assert.equal(again.hasFinal('a'), false);
  await again.close();
});

test('the file stays bounded however much goes through it', async (t) => {
  const { open, path } = await place(t);
  const spool = await open();
  await spool.append('stays', body('s'), true);
  for (let index = 0; index < 40; index++) {
    await spool.append(`k${index}`, Buffer.alloc(60_000, index), true);
    const [, entry] = spool.entries();
    assert.ok(entry !== undefined);
    spool.done(entry);
  }
  await spool.close();
  const { length } = await readFile(join(path, 'spool'));
  assert.ok(length < 1_300_000, `${length} bytes`);
  const again = await open();
  assert.deepEqual(await contents(again), ['stays=s!']);
  await again.close();
});

test('a file that ends anywhere gives what was whole up to there, and goes on from it', async (t) => {
  const { open, path } = await place(t);
  const spool = await open();
  const ends: number[] = [];
  const file = join(path, 'spool');
  for (const key of ['a', 'b', 'c']) {
    await spool.append(key, body(`of ${key}`), true);
    ends.push((await readFile(file)).length);
  }
  await spool.close();
  const whole = await readFile(file);
  for (let length = 0; length <= whole.length; length++) {
    await writeFile(file, whole.subarray(0, length));
    const cut = await open();
    const expected = ['a', 'b', 'c'].filter((_, index) => (ends[index] ?? 0) <= length);
    assert.deepEqual(
      [...cut.entries()].map(({ key }) => key),
      expected,
      `cut after ${length} bytes`,
    );
    await cut.append('new', body('n'), true);
    await cut.close();
    const again = await open();
    assert.deepEqual(
      [...again.entries()].map(({ key }) => key),
      [...expected, 'new'],
    );
    await again.close();
  }
});

test('a byte that changed sets the file aside, and what stands before it is kept', async (t) => {
  const { open, path } = await place(t);
  const spool = await open();
  for (const key of ['a', 'b', 'c']) await spool.append(key, body(`of ${key}`), true);
  await spool.close();
  const file = join(path, 'spool');
  const whole = await readFile(file);
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x55, at);
    await writeFile(file, changed);
    await rm(join(path, 'spool.damaged'), { force: true });
    const losses: SpoolLoss[] = [];
    const opened = await open({ onLoss: (loss) => losses.push(loss) });
    const keys = [...opened.entries()].map(({ key }) => key);
    assert.deepEqual(keys, ['a', 'b', 'c'].slice(0, keys.length), `byte ${at}`);
    assert.ok(keys.length < 3, `byte ${at} is of no record`);
    await opened.close();
    if (losses.length > 0) assert.deepEqual(await readFile(join(path, 'spool.damaged')), changed);
  }
});

test('killed at any step, the spool loses no record that append has confirmed, and keeps their order', async (t) => {
  // The work below takes fewer steps than this in any case; the loop ends with the first try that is not killed.
  for (let lastStep = 1; lastStep < 10_000; lastStep++) {
    const { path, open } = await place(t);
    const folder = mortalFolder(await openFolder(path), lastStep);
    const stored: string[] = [];
    const handedOver: string[] = [];
    const isDead = await work(
      () => Spool.open({ folder, limitBytes: 4 * 1024 * 1024 }),
      stored,
      handedOver,
    ).then(
      () => false,
      () => true,
    );
    await folder.closeAll();
    const again = await open({ limitBytes: 4 * 1024 * 1024 });
    const left = [...again.entries()].map(({ key }) => key);
    await again.close();
    const all = [...handedOver, ...left];
    for (const key of stored) assert.ok(all.includes(key), `step ${lastStep}: ${key} is lost; left ${left}`);
    const numbers = left.map((key) => Number(key.slice(1)));
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      `step ${lastStep}`,
    );
    if (!isDead) {
      assert.ok(lastStep > 60, `only ${lastStep} steps`);
      return;
    }
  }
  assert.fail('it was killed each time');
});

/** Stores final entries and hands over those before them; the file is written anew in between. */
async function work(open: () => Promise<Spool>, stored: string[], handedOver: string[]): Promise<void> {
  const spool = await open();
  for (let index = 0; index < 24; index++) {
    const key = `k${index}`;
    await spool.append(key, Buffer.alloc(100_000, index), true);
    stored.push(key);
    if (index < 2) continue;
    const entry = await first(spool);
    assert.equal((await spool.take(entry))?.length, 100_000);
    handedOver.push(entry.key);
    spool.done(entry);
  }
  await spool.close();
}
