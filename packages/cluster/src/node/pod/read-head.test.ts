import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readHead } from './read-head.ts';

test('what a container left is read up to a limit; links, pipes and folders give nothing', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-head-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'message');
  writeFileSync(file, 'out of luck');
  symlinkSync(file, join(folder, 'link'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  assert.equal(await readHead(file, 100), 'out of luck');
  assert.equal(await readHead(file, 3), 'out');
  for (const name of ['link', 'pipe', '.', 'missing'])
    assert.equal(await readHead(join(folder, name), 100), '');
});
