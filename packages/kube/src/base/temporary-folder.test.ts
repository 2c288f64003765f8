import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { makeTemporaryFolder } from './temporary-folder.ts';

test('a folder is made; where that cannot be, the message says why and what helps', () => {
  const made = makeTemporaryFolder('turnsole-test-');
  assert.ok(statSync(made).isDirectory());
  rmSync(made, { recursive: true });
  const { TMPDIR } = process.env;
  try {
    process.env['TMPDIR'] = '/nowhere';
    assert.throws(() => makeTemporaryFolder('a-'), {
      message:
        'cannot make a temporary folder in /nowhere: it does not exist; name another place by the variable TMPDIR',
    });
    process.env['TMPDIR'] = import.meta.filename;
    assert.throws(() => makeTemporaryFolder('a-'), /: it is no folder; /);
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
});
