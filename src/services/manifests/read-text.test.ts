import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readText } from './read-text.ts';

describe('the text of a manifest file', { skip: process.platform === 'win32' }, () => {
  let folder = '';
  let pipe = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnsole-text-'));
    pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('a file, and one that is not there', async () => {
    writeFileSync(join(folder, 'a.yaml'), 'kind: A\n');
    assert.equal(await readText(join(folder, 'a.yaml')), 'kind: A\n');
    await assert.rejects(readText(join(folder, 'none')), { code: 'ENOENT' });
  });

  test('a pipe with a writer', async () => {
    // In two pieces, the second one later.
    const writer = spawn('/bin/sh', [
      '-c',
      '{ echo waiting >&2; echo one; read -r _; echo two; } > "$0"',
      pipe,
    ]);
    const ended = once(writer, 'exit');
    const text = readText(pipe);
    await once(writer.stderr, 'data');
    writer.stdin.end('\n');
    assert.equal(await text, 'one\ntwo\n');
    await ended;
  });

  test('a pipe without a writer, and one that is silent, are refused', async () => {
    await assert.rejects(readText(pipe), { message: 'it is a pipe to which nothing is written' });
    // Opens the pipe for reading too, so that it does not wait.
    const writer = spawn('/bin/sh', ['-c', 'exec 3<> "$0"; echo open; read -r _', pipe]);
    const ended = once(writer, 'exit');
    await once(writer.stdout, 'data');
    await assert.rejects(readText(pipe, 50), {
      message: 'it is a pipe to which nothing was written for 0.05 s',
    });
    writer.kill('SIGKILL');
    await ended;
  });
});
