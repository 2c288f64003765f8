import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import { NodeFixture } from '../testing/node-fixture.ts';

test('artifacts are deleted, one that cannot be keeps no other, and what is not there is no failure', async (t) => {
  const node = new NodeFixture(t, {});
  const folder = join(node.root, 'store');
  for (const key of ['w/file.tgz', 'w/folder/a', 'w/folder/b', 'w/stays']) node.write(join(folder, key), 'x');
  const at = (key: string): Artifact => ({ name: key, volume: { key, folder: '/store' } });
  const order = JSON.parse(node.read(node.places.order));
  const run = async (...keys: string[]): Promise<[code: number, lastWords: string]> => {
    order.artifacts.garbage = keys.map(at);
    node.write(node.places.order, JSON.stringify(order));
    const { code, lastWords } = await node.run('garbage');
    return [code, lastWords];
  };
  const [code, lastWords] = await run('w/file.tgz', '../outside', 'w/folder', 'w/none');
  assert.notEqual(code, 0);
  const outcome: readonly unknown[] = JSON.parse(lastWords);
  assert.deepEqual([outcome[0], outcome[2], outcome[3], outcome.length], [null, null, null, 4]);
  assert.match(String(outcome[1]), /"\.\.\/outside" is no key/);
  assert.equal(existsSync(join(folder, 'w/file.tgz')), false);
  assert.equal(existsSync(join(folder, 'w/folder')), false);
  assert.equal(existsSync(join(folder, 'w/stays')), true);
  node.write(node.places.lastWords, '');
  assert.deepEqual(await run('w/stays'), [0, '']);
});
