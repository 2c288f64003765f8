import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeWhole } from './write-whole.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'turnsole-whole-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a file is made, and replaced with its mode; a link stays one', async (t) => {
  const place = folder(t);
  const file = join(place, 'a');
  await writeWhole(file, 'one', 0o600);
  assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['one', 0o600]);
  symlinkSync(file, join(place, 'link'));
  await writeWhole(join(place, 'link'), 'two');
  assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['two', 0o600]);
  assert.equal(readlinkSync(join(place, 'link')), file);
  assert.deepEqual(readdirSync(place).sort(), ['a', 'link']);
});

const cannotMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'true']).status === 0
    ? false
    : 'a small disk takes root on Linux';

test('on a full disk nothing that was cut short is left, and what was there stays', {
  skip: cannotMount,
}, (t) => {
  const place = folder(t);
  const program = `
    import { writeWhole } from ${JSON.stringify(new URL('./write-whole.ts', import.meta.url).href)};
    for (const name of ['new', 'old'])
      await writeWhole(${JSON.stringify(place)} + '/' + name, 'x'.repeat(2 ** 20)).catch(({ code }) => console.log(code));`;
  const script = `
    mount -t tmpfs -o size=64k none "$1" && echo before > "$1/old" || exit 1
    "$2" --input-type=module -e "$3"; ls "$1"; cat "$1/old"`;
  const said = execFileSync('unshare', ['-m', 'sh', '-c', script, 'sh', place, process.execPath, program], {
    encoding: 'utf8',
  });
  assert.equal(said, 'ENOSPC\nENOSPC\nold\nbefore\n');
});

test('a device is written to and never replaced', { skip: !existsSync('/dev/full') }, async () => {
  const before = statSync('/dev/full');
  await assert.rejects(writeWhole('/dev/full', 'text'), { code: 'ENOSPC' });
  assert.equal(statSync('/dev/full').ino, before.ino);
});

test('a folder that is not there is the error', async (t) => {
  const place = folder(t);
  writeFileSync(join(place, 'file'), '');
  await assert.rejects(writeWhole(join(place, 'none', 'a'), 'text'), { code: 'ENOENT' });
});
