/** The folders of examples/cookbook answer what their table says. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnsole } from '../support/turnsole.ts';

const COOKBOOK = join(import.meta.dirname, '..', '..', 'examples', 'cookbook');

const ANSWERS: Readonly<Record<string, { readonly code: number; readonly says: RegExp }>> = {
  'one-replica': { code: 1, says: /pod-delete +Fail +0\/1[\s\S]*probe web-answers: .*requests failed/ },
  'stateful-set': { code: 0, says: /pod-delete +Pass +1\/1/ },
  'queue-worker': { code: 0, says: /pod-delete +Pass +1\/1/ },
};

describe('the cookbook', () => {
  it('has no folder without an answer, and no row without a folder', async () => {
    const names = await readdir(COOKBOOK);
    const folders = names.filter((name) => name !== 'README.md').toSorted();
    assert.deepEqual(folders, Object.keys(ANSWERS).toSorted());
    const rows = [...(await readFile(join(COOKBOOK, 'README.md'), 'utf8')).matchAll(/^\| \[([\w-]+)\]/gm)];
    assert.deepEqual(rows.map(([, name]) => name).toSorted(), folders);
  });

  for (const [name, { code, says }] of Object.entries(ANSWERS))
    it(`${name}: exit code ${code}`, async () => {
      const ran = await turnsole(['run', '--no-timeline', '--config', join(COOKBOOK, name, 'turnsole.yaml')]);
      assert.equal(ran.code, code, ran.stdout + ran.stderr);
      assert.match(ran.stdout, says);
    });
});
