/** CHANGELOG.md can be read by users: a section for each version, a line for each change. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Longest line, in characters: two lines of a screen. */
const LONGEST = 200;
/** Lines of text at the top, and one below the version. */
const INTRODUCTION = 3;
const LINES = readFileSync('CHANGELOG.md', 'utf8').split('\n');
const NOTES = LINES.filter((line) => line.startsWith('- '));
const HEADINGS = LINES.flatMap((line) => /^#{2,3} (.+)$/.exec(line)?.slice(1) ?? []);

test('the newest version is that of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  assert.match(
    HEADINGS[0] ?? '',
    new RegExp(`^${RegExp.escape(version)}(?:, not released yet| - \\d{4}-\\d\\d-\\d\\d)$`),
  );
});

test('headings are versions, and the kinds of changes', () => {
  const others = HEADINGS.filter(
    (heading) =>
      !/^(?:\d+\.\d+\.\d+|(?:Added|Changed|Deprecated|Removed|Fixed|Security)(?::|$))/.test(heading),
  );
  assert.deepEqual(others, []);
});

test('each change is one line, is told once, and is no longer than two of a screen', () => {
  assert.ok(NOTES.length > 50);
  assert.deepEqual(
    NOTES.filter((line) => line.length > LONGEST),
    [],
  );
  const others = LINES.filter((line) => line !== '' && !/^(?:- |#{1,3} )/.test(line)).slice(INTRODUCTION);
  assert.deepEqual(others, [], 'write one line for each change');
  assert.equal(new Set(NOTES).size, NOTES.length);
});
