import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const page = readFileSync('docs/glossary.md', 'utf8');
const rows = [...page.matchAll(/^\| \*\*(.+?)\*\* \|.*\| (.+) \|$/gm)].map(([, word = '', where = '']) => ({
  word,
  where,
}));

test('what the glossary points at is there', () => {
  assert.ok(rows.length > 20, 'the rows of the table are found');
  for (const { word, where } of rows) {
    const paths = [...where.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path = '']) => path);
    for (const path of paths) assert.ok(existsSync(path), `${word}: there is no ${path}`);
    assert.ok(
      paths.length > 0 || /decision \d+/.test(where) || where.includes('.md'),
      `${word} points nowhere`,
    );
  }
});

test('the glossary is in the order of its words', () => {
  const words = rows.map(({ word }) => word);
  assert.deepEqual(words, words.toSorted());
});
