import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whatToLint } from './what-to-lint.ts';

const FILES = {
  'src/low.ts': '1',
  'src/middle.ts': '1',
  'src/top.ts': '1',
  'src/other.ts': '1',
  'README.md': '1',
};
const IMPORTS = new Map([
  ['src/top.ts', ['src/middle.ts']],
  ['src/middle.ts', ['src/low.ts']],
]);

/** What has to be looked at when files are others than they were; a file without a digest is gone. */
function after(
  changes: Readonly<Record<string, string | undefined>>,
  before: Record<string, string> = FILES,
) {
  const now = Object.entries({ ...before, ...changes }).filter(([, digest]) => digest !== undefined);
  return whatToLint(Object.fromEntries(now) as Record<string, string>, before, IMPORTS);
}

test('without a change nothing is looked at', () => {
  assert.deepEqual(after({}), { changed: [], affected: [] });
});

test('a file that changed is looked at, and for its types what imports it, directly or not', () => {
  assert.deepEqual(after({ 'src/low.ts': '2' }), {
    changed: ['src/low.ts'],
    affected: ['src/low.ts', 'src/middle.ts', 'src/top.ts'],
  });
  assert.deepEqual(after({ 'src/top.ts': '2' }), { changed: ['src/top.ts'], affected: ['src/top.ts'] });
});

test('a new file is looked at; of one that is gone, what imports it', () => {
  assert.deepEqual(after({ 'src/new.ts': '1' }), { changed: ['src/new.ts'], affected: ['src/new.ts'] });
  assert.deepEqual(after({ 'src/low.ts': undefined }), {
    changed: [],
    affected: ['src/middle.ts', 'src/top.ts'],
  });
});

test('files that import one another in a circle are each looked at once', () => {
  const imports = new Map([
    ['a.ts', ['b.ts']],
    ['b.ts', ['a.ts']],
  ]);
  const found = whatToLint({ 'a.ts': '2', 'b.ts': '1' }, { 'a.ts': '1', 'b.ts': '1' }, imports);
  assert.deepEqual(found, { changed: ['a.ts'], affected: ['a.ts', 'b.ts'] });
});

test('everything is looked at the first time, and after a change of rules, packages or the compiler’s settings', () => {
  assert.equal(whatToLint(FILES, undefined, IMPORTS), undefined);
  for (const file of [
    'biome.json',
    '.oxlintrc.json',
    '.gitignore',
    'package-lock.json',
    'tsconfig.json',
    'web/tsconfig.json',
    'web/css.d.ts',
    'test/lint/main.ts',
    'test/lint/what-to-lint.ts',
  ]) {
    assert.equal(after({ [file]: '1' }), undefined, file);
    assert.equal(after({ [file]: undefined }, { ...FILES, [file]: '1' }), undefined, file);
  }
});
