import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { clientEdits } from './client-edits.ts';

const node = (id: string, phase: NodeStatus['phase'], message?: string): NodeStatus => ({
  id,
  name: id,
  displayName: id,
  type: 'Pod',
  phase,
  ...(message !== undefined && { message }),
});

interface Row {
  readonly name: string;
  readonly before?: WorkflowSpec;
  readonly after?: WorkflowSpec;
  readonly served?: readonly NodeStatus[];
  readonly stored?: readonly NodeStatus[];
  /** Where it differs from what is stored. */
  readonly current?: readonly NodeStatus[];
  readonly changes?: readonly unknown[];
  readonly rebased?: readonly string[];
  readonly isTaken?: boolean;
}

const ROWS: readonly Row[] = [
  { name: 'nothing has changed', served: [node('a', 'Running')], stored: [node('a', 'Running')] },
  {
    name: 'it is stopped',
    after: { shutdown: 'Stop' },
    changes: [{ kind: 'specChanged', suspend: false, shutdown: 'Stop', activeDeadlineSeconds: undefined }],
  },
  {
    name: 'it is resumed',
    before: { suspend: true },
    after: {},
    changes: [{ kind: 'specChanged', suspend: false, shutdown: undefined, activeDeadlineSeconds: undefined }],
  },
  { name: 'an empty text stands for no shutdown', after: { shutdown: '' as 'Stop' } },
  {
    name: 'a node is resumed',
    served: [{ ...node('a', 'Succeeded', 'mine'), type: 'Suspend' }],
    stored: [{ ...node('a', 'Running'), type: 'Suspend' }],
    changes: [{ kind: 'nodesEdited', nodes: [{ ...node('a', 'Succeeded', 'mine'), type: 'Suspend' }] }],
    rebased: ['a'],
  },
  {
    name: 'another controller has gone on',
    served: [node('a', 'Succeeded'), node('b', 'Pending')],
    stored: [node('a', 'Running')],
    isTaken: true,
  },
  {
    name: 'another controller has come to something else',
    served: [node('a', 'Running')],
    stored: [node('a', 'Pending')],
    current: [node('a', 'Succeeded')],
    isTaken: true,
  },
  {
    name: 'a write whose answer was lost is no edit',
    served: [node('a', 'Running')],
    stored: [node('a', 'Pending')],
    current: [node('a', 'Running')],
    rebased: ['a'],
  },
  { name: 'a node is taken away', served: [], stored: [node('a', 'Failed')], isTaken: true },
  { name: 'a node that is not stored yet is not taken away', served: [], current: [node('a', 'Pending')] },
];

for (const { name, before = {}, after = {}, served = [], stored = [], ...row } of ROWS) {
  test(name, () => {
    const byId = (nodes: readonly NodeStatus[]) => new Map(nodes.map((one) => [one.id, one]));
    const kept = byId(stored);
    const current = byId([...stored, ...(row.current ?? [])]);
    const edits = clientEdits({
      before: { spec: before },
      after: { spec: after },
      nodes: Object.fromEntries(byId(served)),
      known: current.keys(),
      stored: (id) => kept.get(id),
      current: (id) => current.get(id),
    });
    if (row.isTaken === true || edits.kind === 'taken') {
      assert.equal(edits.kind === 'taken', row.isTaken);
      return;
    }
    assert.deepEqual(edits.changes, row.changes ?? []);
    assert.deepEqual(
      edits.stored.map(({ id }) => id),
      row.rebased ?? [],
    );
  });
}
