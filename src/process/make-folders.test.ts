import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolders } from './make-folders.ts';

test('a folder with those above it, also when it is there', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'turnsole-folders-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, 'a', 'b', 'c');
  makeFolders(path, 0o700);
  makeFolders(path, 0o700);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => makeFolders(join(root, 'file', 'a', 'b')), { code: 'ENOTDIR' });
});

test('where no folder can be made, the start fails at once', { skip: !existsSync('/proc/self') }, () => {
  assert.throws(() => makeFolders('/proc/turnsole/a/b'), { code: 'ENOENT' });
});
