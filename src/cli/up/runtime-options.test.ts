import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNodeLabel, runtimeArguments } from './runtime-options.ts';

test('labels of nodes are collected, and given on as they came', () => {
  const nodeLabel = ['disk=ssd@turnsole-2', 'team=web', 'empty='].reduce(
    (labels, text) => parseNodeLabel(text, labels),
    {},
  );
  assert.deepEqual(nodeLabel, { 'turnsole-2': { disk: 'ssd' }, '*': { team: 'web', empty: '' } });
  assert.deepEqual(runtimeArguments({ runtime: 'simulated', nodeLabel }), [
    ...['--runtime', 'simulated', '--node-label', 'disk=ssd@turnsole-2'],
    ...['--node-label', 'team=web', '--node-label', 'empty='],
  ]);
});

test('what is no label is refused', () => {
  for (const text of ['disk', '=ssd', 'a=b@', 'a b=c']) {
    assert.throws(() => parseNodeLabel(text), /expected key=value/, text);
  }
});
