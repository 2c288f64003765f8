import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ERROR_CATALOGUE } from '../../services/error-codes/catalogue.ts';
import { BadInputError, CommandError } from '../../services/errors.ts';
import { errorLines } from '../print/error.ts';
import { errorsPage } from './errors-page.ts';
import { ERRORS_PAGE } from './generate.ts';

test('docs/errors.md is what the catalogue says; npm run generate writes it anew', async () => {
  assert.equal(await readFile(ERRORS_PAGE, 'utf8'), errorsPage(ERROR_CATALOGUE));
});

test('a code stands for one thing, and its row is whole', () => {
  const rows = ERROR_CATALOGUE.flatMap(({ rows }) => Object.entries(rows));
  const codes = rows.map(([code]) => code);
  assert.deepEqual(
    codes.filter((code, index) => codes.indexOf(code) !== index),
    [],
    'codes that stand twice',
  );
  for (const [code, { means, todo }] of rows) {
    assert.match(code, /^([A-Z][A-Z0-9]*(_[A-Z0-9]+)*|[A-Z][A-Za-z]+)$/);
    for (const text of [means, todo]) {
      assert.ok(text.length >= 10, `${code}: ${JSON.stringify(text)} says too little`);
      assert.doesNotMatch(text, /[.\n]$|\|/, `${code}: a cell of a table, without a dot at its end`);
    }
  }
});

test('a message ends with its code, and each problem of manifests with its own', () => {
  const plain = (_format: unknown, text: string): string => text;
  const failed = new CommandError('two\nlines', 'CLUSTER_UNUSABLE');
  assert.equal(failed.exitCode, 3);
  assert.deepEqual(errorLines(failed, plain), ['two', 'lines [CLUSTER_UNUSABLE]']);
  const refused = new BadInputError([
    { file: 'a.yaml', line: 2, field: 'spec.x', code: 'FIELD_INVALID', message: 'required' },
    { file: 'b.yaml', code: 'FILE_UNREADABLE', message: 'does not exist' },
  ]);
  assert.equal(refused.exitCode, 2);
  assert.equal(refused.message, 'a.yaml:2: spec.x: required\nb.yaml: does not exist');
  assert.deepEqual(errorLines(refused, plain), [
    'a.yaml:2: spec.x: required [FIELD_INVALID]',
    'b.yaml: does not exist [FILE_UNREADABLE]',
  ]);
});
