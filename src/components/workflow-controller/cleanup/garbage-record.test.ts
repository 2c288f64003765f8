import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GarbageBatch } from '@turnsole/workflows/artifacts/garbage';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { compressNodes, storedNodes } from '../stored-nodes.ts';
import { type Collected, recordPatch } from './garbage-record.ts';

const ARTIFACTS = Array.from(
  { length: 8 },
  (_, index): Artifact => ({ name: `a${index}`, s3: { key: `k${index}` } }),
);
const NODE: NodeStatus = {
  id: 'n',
  name: 'n',
  displayName: 'n',
  type: 'Pod',
  phase: 'Succeeded',
  outputs: { result: 'r', artifacts: ARTIFACTS },
};
const BATCH: GarbageBatch = { podName: 'p', occasion: 'OnWorkflowCompletion', gc: {}, garbage: [] };
const OTHER = { type: 'Theirs', status: 'True' } as const;

/** The status that is patched where the first `deleted` artifacts are gone and the others are not. */
function patched(deleted: number, status: Workflow['status'] = {}): NonNullable<Workflow['status']> {
  const collected = ARTIFACTS.map(
    (artifact, index): Collected => ({
      garbage: { node: 'n', artifact },
      problem: index < deleted ? undefined : 'refused',
    }),
  );
  const workflow: Workflow = {
    metadata: { name: 'w', resourceVersion: '7' },
    spec: {},
    status: {
      conditions: [OTHER, { type: 'ArtifactGCError', status: 'True', message: 'earlier' }],
      ...status,
    },
  };
  const patch = recordPatch(workflow, { n: NODE }, BATCH, collected);
  assert.deepEqual(patch['metadata'], { resourceVersion: '7' }, 'fails after another write');
  return patch['status'] as NonNullable<Workflow['status']>;
}

test('what is deleted says so, and all else of its node stays', () => {
  const { nodes, conditions, artifactGCStatus } = patched(8);
  assert.deepEqual(nodes?.['n']?.outputs, {
    result: 'r',
    artifacts: ARTIFACTS.map((artifact) => ({ ...artifact, deleted: true })),
  });
  assert.equal(conditions, undefined);
  assert.deepEqual(artifactGCStatus, {
    strategiesProcessed: { OnWorkflowCompletion: true },
    podsRecouped: { p: true },
  });
});

test('what is still there is named in the condition, the first few with key and store', () => {
  const { nodes, conditions } = patched(1);
  assert.deepEqual(
    nodes?.['n']?.outputs?.artifacts?.map(({ deleted }) => deleted === true),
    [true, ...Array.from({ length: 7 }, () => false)],
  );
  assert.deepEqual(
    conditions?.map(({ type }) => type),
    ['Theirs', 'ArtifactGCError'],
  );
  const message = conditions?.[1]?.message ?? '';
  assert.ok(
    message.startsWith('artifact a1 of node n at k1 (s3) is not deleted: refused; artifact a2 '),
    message,
  );
  assert.ok(message.endsWith('; 2 more are not deleted'), message);
  assert.equal(patched(0).nodes, undefined);
});

test('nodes that are stored compressed are written so', () => {
  const status = patched(1, { compressedNodes: compressNodes({ n: NODE }) });
  assert.equal(status.nodes, undefined);
  const { n } = storedNodes(status);
  assert.equal(n?.outputs?.artifacts?.[0]?.['deleted'], true);
  assert.equal(n?.phase, 'Succeeded');
});
