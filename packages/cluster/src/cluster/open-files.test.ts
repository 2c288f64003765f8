import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tooFewOpenFiles } from './open-files.ts';

const limits = (most: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${most}                  ${most}                files\n`;

test('too few open files are said with their number; enough, none and an unknown limit are not', () => {
  assert.match(tooFewOpenFiles(limits('256')) ?? '', /^this process may have 256 files open at once, /);
  for (const text of [limits('1024'), limits('unlimited'), ''])
    assert.equal(tooFewOpenFiles(text), undefined);
});
