/** The folders of examples/cookbook answer what their READMEs say: exit code and lines of the output, in which `…` stands for anything. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findProgram } from '@turnsole/kube/base/machine';
import { turnsoleIn } from '../support/command-in.ts';

const COOKBOOK = join(import.meta.dirname, '..', '..', 'examples', 'cookbook');

/** Folders whose pods need networks of their own, with the programs that they need besides. */
const ISOLATED: Readonly<Record<string, readonly string[]>> = {
  'api-needs-redis': ['redis-server'],
  'slow-dependency': [],
  'failing-dependency': [],
  dns: [],
};

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const folders = (await readdir(COOKBOOK)).filter((name) => name !== 'README.md').toSorted();

/** What a README says of the answer. @throws AssertionError where it has no exit code, no lines, or not the command */
async function answerOf(name: string): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const readme = await readFile(join(COOKBOOK, name, 'README.md'), 'utf8');
  assert.match(readme, /^```sh\nnpx turnsole run\n```$/m);
  assert.equal(readme.includes('It needs root on Linux'), name in ISOLATED, `${name}: says what it needs`);
  const code = /\(exit code (\d)\)/.exec(readme)?.[1];
  const lines = /^```text\n([\s\S]+?)\n```$/m.exec(readme)?.[1]?.split('\n');
  assert.ok(code !== undefined && lines !== undefined, `${name}: has the answer`);
  return { code: Number(code), lines };
}

/** A line of a README as a pattern: one blank is any number of them. */
function pattern(line: string): RegExp {
  const parts = line.split('…').map((part) => RegExp.escape(part).replaceAll('\\x20', ' '));
  return new RegExp(parts.join('.*').replaceAll(' ', '\\s+'));
}

function untried(name: string): string | false {
  const needed = ISOLATED[name];
  if (needed === undefined) return false;
  if (!isRoot) return 'its pods need networks of their own, which take root';
  const missing = needed.filter((program) => findProgram(program, process.env['PATH'] ?? '') === undefined);
  return missing.length > 0 && `this machine has no ${missing.join(' and ')}`;
}

describe('the cookbook', () => {
  it('has a row for each folder', async () => {
    const rows = [
      ...(await readFile(join(COOKBOOK, 'README.md'), 'utf8')).matchAll(/^\| \[([\w-]+)\]\(\1\/README/gm),
    ];
    assert.deepEqual(rows.map(([, name]) => name).toSorted(), folders);
    assert.ok(Object.keys(ISOLATED).every((name) => folders.includes(name)));
  });

  for (const name of folders)
    it(name, { skip: untried(name) }, async () => {
      const { code, lines } = await answerOf(name);
      const ran = await turnsoleIn(join(COOKBOOK, name), ['run', '--no-timeline']);
      assert.equal(ran.code, code, ran.text);
      for (const line of lines) assert.match(ran.text, pattern(line));
    });
});
