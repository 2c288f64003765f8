import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { readText } from './read-text.ts';

/** How many descriptors of this process lead to a file. */
function timesOpen(file: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile, as the one by which the folder was read
    }
  });
  return targets.filter((target) => target === file).length;
}

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
    // In two pieces, the second one when the reader is there. Opened for both, so that it does not wait for a reader.
    const writer = openSync(pipe, 'r+');
    writeSync(writer, 'one\n');
    const text = readText(pipe);
    await until(() => timesOpen(pipe) === 2, 'the pipe is not opened for reading');
    writeSync(writer, 'two\n');
    closeSync(writer);
    assert.equal(await text, 'one\ntwo\n');
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
