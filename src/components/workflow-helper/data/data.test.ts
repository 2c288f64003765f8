import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NodeFixture } from '../testing/node-fixture.ts';
import { transformed } from './run-data.ts';

test('a list is transformed step by step, and is JSON', () => {
  const keys = ['a/main.log', 'b/x', 'b/main.log'];
  const steps = [
    { expression: 'filter(data, {# endsWith "main.log"})' },
    { expression: 'map(data, {# + "!"})' },
  ];
  assert.equal(transformed(keys, undefined), '["a/main.log","b/x","b/main.log"]');
  assert.equal(transformed(keys, steps), '["a/main.log!","b/main.log!"]');
  assert.throws(
    () => transformed(keys, [{ expression: 'data +' }]),
    /data\.transformation\[0\]\.expression: /,
  );
  assert.throws(() => transformed(keys, [{ map: 'x' }]), /data\.transformation\[0\] has no expression/);
});

test('the keys of a store are the result', async (t) => {
  const node = new NodeFixture(t, {});
  const folder = join(node.root, 'store');
  mkdirSync(join(folder, 'd'), { recursive: true });
  for (const key of ['d/one', 'd/two', 'other']) writeFileSync(join(folder, key), '');
  const order = JSON.parse(node.read(node.places.order));
  order.artifacts.listed = { name: 'artifactPaths', volume: { key: 'd/', folder: '/store' } };
  node.write(node.places.order, JSON.stringify(order));
  const { report, code } = await node.run('data');
  assert.deepEqual([code, report?.outputs?.result], [0, '["d/one","d/two"]']);
});

test('what cannot be listed says which store', async (t) => {
  const listed = { name: 'artifactPaths', http: { url: 'http://x' } };
  const node = new NodeFixture(t, { artifacts: { inputs: [], outputs: [], logs: [], listed } });
  const { code, lastWords } = await node.run('data');
  assert.equal(code, 64);
  assert.match(lastWords, /keys below http:\/\/x \(http\) cannot be listed: .* cannot list what it has/);
});
