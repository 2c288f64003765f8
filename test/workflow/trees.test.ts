/**
 * Trees of what Argo's own controller made of its examples: each node is drawn once. The recordings are data from outside of this project:
 * in the folder `TURNSOLE_ARGO`, or beside the checkout; without them the test is skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Nodes } from '../../src/services/workflows/nodes.ts';
import { treesOf } from '../../src/services/workflows/tree.ts';
import type { Recording } from './recordings/recording.ts';

const FOLDER = `${process.env['TURNSOLE_ARGO'] ?? '../shared/argo'}/recorded`;

/** Recordings name nodes by name, and leave out times: their order is that in which the nodes were seen. */
function nodesOf({ nodes }: Recording): Nodes {
  const ids = new Map(nodes.map(({ name, id }) => [name, id]));
  const idsOf = (names: unknown): string[] =>
    Array.isArray(names) ? names.flatMap((name) => ids.get(String(name)) ?? []) : [];
  return Object.fromEntries(
    nodes.map((node, index) => [
      node.id,
      {
        ...node,
        boundaryID: ids.get(String(node['boundary'])),
        children: idsOf(node['children']),
        startedAt: new Date(index * 1000).toISOString(),
        // The fields that a tree needs are there.
      } as unknown as NodeStatus,
    ]),
  );
}

/** Groups have no row, omitted tasks neither, and a Retry of one attempt is seen as that attempt. */
function hasRow({ type, phase, children = [] }: NodeStatus, nodes: Nodes): boolean {
  const attempts = children.filter((id) => nodes[id]?.name.endsWith(')'));
  return type !== 'StepGroup' && phase !== 'Omitted' && !(type === 'Retry' && attempts.length === 1);
}

test('the trees of recorded workflows draw every node once', { skip: !existsSync(FOLDER) }, () => {
  let drawn = 0;
  for (const file of globSync(`${FOLDER}/**/*.json`)) {
    const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
    if (!Array.isArray(recording.nodes)) continue;
    const nodes = nodesOf(recording);
    const rows = treesOf(recording.workflow, nodes).flat();
    const names = (list: readonly NodeStatus[]): string[] => list.map(({ name }) => name).sort();
    assert.deepEqual(
      names(rows.map(({ node }) => node)),
      names(Object.values(nodes).filter((node) => hasRow(node, nodes))),
      file,
    );
    drawn += rows.length;
  }
  assert.ok(drawn > 300, `${drawn} rows`);
});
