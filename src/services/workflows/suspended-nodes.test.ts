import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { parseNodeSelector } from './node-selector.ts';
import { nodesOf } from './nodes.ts';
import { resumed, withNodesFailed, withNodesSet } from './suspended-nodes.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');

const APPROVE: NodeStatus = {
  id: 'w-1',
  name: 'w[0].approve',
  displayName: 'approve',
  type: 'Suspend',
  phase: 'Running',
  inputs: { parameters: [{ name: 'answer', value: 'NO', enum: ['YES', 'NO'] }] },
  outputs: {
    parameters: [
      { name: 'answer', valueFrom: { supplied: {}, default: 'NO' }, globalName: 'said' },
      { name: 'who', valueFrom: { supplied: {} } },
      { name: 'fixed', value: 'x' },
    ],
  },
};
const OTHER: NodeStatus = {
  id: 'w-2',
  name: 'w[0].other',
  displayName: 'other',
  type: 'Suspend',
  phase: 'Running',
};

function workflow(nodes: readonly NodeStatus[], more: Partial<Workflow['spec']> = {}): Workflow {
  return {
    metadata: { name: 'w', namespace: 'n' },
    spec: { entrypoint: 'main', ...more },
    status: { phase: 'Running', nodes: Object.fromEntries(nodes.map((node) => [node.id, node])) },
  };
}

const isApprove = parseNodeSelector('displayName=approve');

describe('suspended nodes', () => {
  it('go on with what they are given, and with defaults for the rest', () => {
    const after = resumed(
      workflow([APPROVE, OTHER], { suspend: true }),
      { outputs: new Map([['who', 'ann']]), isMeant: isApprove },
      NOW,
    );
    const { 'w-1': approve, 'w-2': other } = nodesOf(after);
    assert.deepEqual([approve?.phase, approve?.finishedAt], ['Succeeded', '2026-01-01T00:01:00Z']);
    assert.deepEqual(approve?.outputs?.parameters, [
      { name: 'answer', globalName: 'said', value: 'NO' },
      { name: 'who', value: 'ann' },
      { name: 'fixed', value: 'x' },
    ]);
    assert.equal(other, OTHER);
    assert.equal(after.spec.suspend, true, 'a selector speaks of nodes alone');
    assert.deepEqual(after.status?.outputs, { parameters: [{ name: 'said', value: 'NO' }] });
  });

  it('all go on with the workflow where no selector is given', () => {
    const after = resumed(workflow([OTHER], { suspend: true }), {}, NOW);
    assert.deepEqual([after.spec, nodesOf(after)['w-2']?.phase], [{ entrypoint: 'main' }, 'Succeeded']);
    const without = resumed(workflow([], { suspend: true }), {}, NOW);
    assert.deepEqual(without.spec, { entrypoint: 'main' });
  });

  it('are found and stay packed where the controller has packed them', () => {
    const compressedNodes = gzipSync(JSON.stringify({ 'w-2': OTHER })).toString('base64');
    const packed = { ...workflow([]), status: { phase: 'Running' as const, compressedNodes } };
    const after = resumed(packed, {}, NOW);
    assert.equal(after.status?.nodes, undefined);
    assert.equal(nodesOf(after)['w-2']?.phase, 'Succeeded');
  });

  it('are set without going on, and fail with a message', () => {
    const set = withNodesSet(
      workflow([APPROVE]),
      { outputs: new Map([['answer', 'YES']]), message: 'm' },
      NOW,
    );
    const node = nodesOf(set)['w-1'];
    assert.deepEqual(
      [node?.phase, node?.message, node?.outputs?.parameters?.[0]?.value],
      ['Running', 'm', 'YES'],
    );
    const stopped = nodesOf(withNodesFailed(workflow([OTHER]), { message: 'no' }, NOW))['w-2'];
    assert.deepEqual([stopped?.phase, stopped?.message], ['Failed', 'no']);
  });

  const REFUSED: readonly { readonly name: string; readonly act: () => unknown; readonly message: RegExp }[] =
    [
      {
        name: 'an output without value and default',
        act: () => resumed(workflow([APPROVE]), {}, NOW),
        message: /raw output parameter 'who' has not been set and does not have a default value/,
      },
      {
        name: 'an output that the node does not have',
        act: () => withNodesSet(workflow([OTHER]), { outputs: new Map([['x', '1']]) }, NOW),
        message: /cannot give node other the output x: it has no such output/,
      },
      {
        name: 'an output that is not to be supplied',
        act: () => withNodesSet(workflow([APPROVE]), { outputs: new Map([['fixed', '1']]) }, NOW),
        message: /the output fixed: that output is not to be supplied/,
      },
      {
        name: 'a value that is none of the choices',
        act: () => withNodesSet(workflow([APPROVE]), { outputs: new Map([['answer', 'MAYBE']]) }, NOW),
        message: /answer=MAYBE: expected one of YES, NO/,
      },
      {
        name: 'a workflow without a node that waits',
        act: () => resumed(workflow([{ ...OTHER, phase: 'Succeeded' }]), {}, NOW),
        message: /no node of Workflow n\/w that is suspended is meant/,
      },
      {
        name: 'a workflow that has ended',
        act: () =>
          resumed(
            {
              ...workflow([OTHER]),
              metadata: { name: 'w', namespace: 'n', labels: { 'workflows.argoproj.io/completed': 'true' } },
            },
            {},
            NOW,
          ),
        message: /cannot resume Workflow n\/w: it has ended \(Running\)/,
      },
    ];
  for (const { name, act, message } of REFUSED) it(`refuse ${name}`, () => assert.throws(act, message));
});
