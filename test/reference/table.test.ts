import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const HERE = new URL('./', import.meta.url);
const ROOT = new URL('../../', HERE);

test('every test that the table names exists, and no row is without one', async () => {
  const table = await readFile(new URL('operator-runner.md', HERE), 'utf8');
  const rows = table.split('\n').filter((line) => /^\| (?!row \||---)/.test(line));
  assert.ok(rows.length > 50, `${rows.length} rows`);
  const sources = new Map<string, string>();
  const problems: string[] = [];
  for (const row of rows) {
    const references = [...row.matchAll(/`([\w./-]+\.test\.ts) › ([^`]+)`/g)];
    if (references.length === 0) problems.push(`without a test: ${row.split('|')[1]?.trim()}`);
    for (const [, path = '', title = ''] of references) {
      const source =
        sources.get(path) ?? (await readFile(fileURLToPath(new URL(path, ROOT)), 'utf8').catch(() => ''));
      sources.set(path, source);
      // Titles with an apostrophe are written in double quotes, so the text stands there as it is.
      if (!source.includes(title)) problems.push(`${path} has no test "${title}"`);
    }
  }
  assert.deepEqual(problems, []);
});
