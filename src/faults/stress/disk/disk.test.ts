import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import diskFill from '../disk-fill.ts';
import { BareContainer, bareContainerMissing } from '../testing/bare-container.ts';
import { FillFile, fillName } from './fill-file.ts';
import { fillGoal } from './fill-size.ts';
import { upperFolder } from './layers.ts';

const settings = { FILL_PERCENTAGE: 80, EPHEMERAL_STORAGE_MEBIBYTES: undefined, DATA_BLOCK_SIZE: 256 };

test('how much is to be in use', () => {
  const cases: [string, object, string | undefined, number | undefined][] = [
    ['of a limit', {}, '1Gi', Math.floor(0.8 * 1024 ** 3)],
    ['of a decimal limit', {}, '100M', 80_000_000],
    ['a limit wins over a size', { EPHEMERAL_STORAGE_MEBIBYTES: 5 }, '10Mi', 8 * 1024 ** 2],
    ['a size where there is no limit', { EPHEMERAL_STORAGE_MEBIBYTES: 5 }, undefined, 5 * 1024 ** 2],
    ['neither', {}, undefined, undefined],
    ['a size of nothing', { EPHEMERAL_STORAGE_MEBIBYTES: 0 }, undefined, undefined],
  ];
  for (const [name, change, limit, expected] of cases) {
    assert.equal(fillGoal({ ...settings, ...change }, limit)?.goalBytes, expected, name);
  }
});

test('a container without a limit is refused before anything is filled', () => {
  const target = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'u', container: 'app', node: 'n' };
  const observed = { uid: 'u', containerId: 'containerd://abcdef' };
  const tunables = { ...settings, TOTAL_CHAOS_DURATION: 60 };
  assert.throws(
    () => diskFill.plan({ tunables, targets: [{ ...target, observed }], round: 0, random: () => 0 }),
    /cannot fill container app of pod shop\/web: it has no limit for ephemeral-storage; set one, or EPHEMERAL/,
  );
});

test('where a container writes to', () => {
  const line = (options: string): string => `800 700 0:60 / / rw - overlay overlay ${options}`;
  assert.equal(upperFolder(line('rw,lowerdir=/a:/b,upperdir=/s/12/fs,workdir=/s/12/work')), '/s/12/fs');
  assert.equal(upperFolder(line('rw,lowerdir=/a,upperdir=/with\\040blank/fs')), '/with blank/fs');
  assert.equal(upperFolder(line('ro,lowerdir=/a:/b')), undefined);
  assert.equal(upperFolder('800 700 0:60 / /data rw - overlay overlay rw,upperdir=/x'), undefined);
  assert.equal(upperFolder('800 700 8:1 / / rw - ext4 /dev/sda1 rw'), undefined);
});

test('the file has the same name for the same injection, whatever the length of its id', () => {
  assert.equal(fillName('a'), fillName('a'));
  assert.notEqual(fillName('a'), fillName('b'));
  assert.match(fillName('x'.repeat(500)), /^diskfill-[0-9a-f]{16}$/);
});

test('a file is removed once, however often that is asked for', { skip: bareContainerMissing }, async ({
  signal,
}) => {
  await using container = await BareContainer.start();
  const goal = { goalBytes: 0, blockBytes: 4_096 };
  const name = fillName(`removed-${process.pid}`);
  const file = await FillFile.make(container.first, name, goal, signal);
  assert.ok(existsSync(`/${name}`));
  await file.remove();
  assert.ok(!existsSync(`/${name}`));
  await file.remove();
});
