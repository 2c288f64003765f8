import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from '@turnsole/kube/base/machine';
import { temporaryFolder } from '../../../test/support/turnsole.ts';
import { RemoteError } from './remote-error.ts';
import { runGit } from './run-git.ts';

const skip = findProgram('git') === undefined && 'no git here';

test('git that prints more than is read is ended, and the error names the limit', { skip }, async ({
  signal,
}) => {
  await using folder = await temporaryFolder();
  const large = join(folder.path, 'large');
  await writeFile(large, 'one line\n'.repeat(500_000));
  const run = { env: process.env, folder: folder.path, mostBytes: 1024, signal };
  await assert.rejects(runGit(['diff', '--no-index', '/dev/null', large], run), (error: unknown) => {
    assert.ok(error instanceof RemoteError);
    assert.match(error.message, /^git diff printed more than 4194304 characters: /);
    return true;
  });
});
