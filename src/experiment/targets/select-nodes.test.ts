import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from '../injection/testing/builders.ts';
import { type NodeRequest, selectNodes } from './select-nodes.ts';

const request: NodeRequest = { single: false, targetNode: '', targetNodes: [], nodeLabel: '', percentage: 0 };
const observed = { nodes: ['n1', 'n2', 'n3'], appNodes: ['n2', 'n3'] };

test('which nodes are chosen', async (t) => {
  const cases: [string, Partial<NodeRequest>, string[]][] = [
    ['one of all', {}, ['n2']],
    ['all, none twice', { percentage: 150 }, ['n2', 'n3', 'n1']],
    ['those that are named, each once', { targetNodes: ['n3', 'n1', 'n3'] }, ['n3', 'n1']],
    ['the one that is named', { single: true, targetNode: 'n3', nodeLabel: 'x=y' }, ['n3']],
    ['one with the label', { single: true, nodeLabel: 'x=y' }, ['n2']],
    ['one of a pod of the application', { single: true }, ['n3']],
  ];
  for (const [name, change, expected] of cases) {
    await t.test(name, () => {
      const nodes = selectNodes({ ...request, ...change }, observed, randomOf(0.5));
      assert.deepEqual(
        nodes,
        expected.map((node) => ({ kind: 'node', name: node, node })),
      );
    });
  }
});

test('no node is an error that says where it was looked for', () => {
  const nothing = { nodes: [], appNodes: [] };
  const message = (change: Partial<NodeRequest>) => () =>
    selectNodes({ ...request, ...change }, nothing, randomOf(0));
  assert.throws(message({ nodeLabel: 'x=y' }), {
    code: 'TARGET_SELECTION_ERROR',
    message: 'no node found with label x=y',
  });
  assert.throws(
    message({ single: true }),
    /TARGET_NODE and NODE_LABEL are empty, and .*; set TARGET_NODE or NODE_LABEL/,
  );
  assert.throws(message({ single: true, nodeLabel: 'x=y' }), /no node found with label x=y/);
  assert.throws(message({ targetNodes: ['n1', 'n2'] }), {
    code: 'TARGET_SELECTION_ERROR',
    message: 'cannot select TARGET_NODES: there is no node named n1, n2; `kubectl get nodes` shows all',
  });
  assert.throws(
    message({ single: true, targetNode: 'n1' }),
    /cannot select TARGET_NODE: there is no node named n1/,
  );
});
