import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Artifact } from '../kinds/parameters.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import { asksForDeletion, decideGarbage } from './garbage.ts';
import { readOutcome, writeOutcome } from './garbage-outcome.ts';

const COMPLETION = { strategy: 'OnWorkflowCompletion' };
const DELETION = { strategy: 'OnWorkflowDeletion' };

function artifact(name: string, gc?: object, more: object = {}): Artifact {
  return { name, s3: { key: `k/${name}` }, ...(gc && { artifactGC: gc }), ...more };
}

function node(id: string, artifacts: readonly Artifact[], more: Partial<NodeStatus> = {}): NodeStatus {
  return { id, name: id, displayName: id, type: 'Pod', phase: 'Succeeded', outputs: { artifacts }, ...more };
}

interface Given {
  readonly spec?: WorkflowSpec;
  readonly nodes: readonly NodeStatus[];
  readonly isDeleting?: boolean;
  readonly isOver?: boolean;
  readonly recouped?: 'all';
}

/** What is decided, with the artifacts of each pod; `recouped`: the results of its pods are known already. */
function decided({ spec = {}, nodes, isDeleting = false, isOver = true, recouped }: Given): unknown {
  const metadata = { name: 'w', ...(isDeleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }) };
  const byId = Object.fromEntries(nodes.map((one) => [one.id, one]));
  const step = (status: Workflow['status']): ReturnType<typeof decideGarbage> =>
    decideGarbage({ metadata, ...(status && { status }) }, spec, byId, isOver);
  let found = step(undefined);
  if (recouped !== undefined && found.kind === 'delete') {
    const podsRecouped = Object.fromEntries(found.batches.map(({ podName }) => [podName, true]));
    found = step({ artifactGCStatus: { podsRecouped } });
  }
  if (found.kind === 'release') return found.left === 0 ? 'release' : `release, ${found.left} left`;
  if (found.kind !== 'delete') return found.kind;
  return found.batches.map(({ garbage }) => garbage.map((one) => one.artifact.name).join());
}

describe('what is done about artifacts', () => {
  const both = [node('n', [artifact('c', COMPLETION), artifact('d', DELETION), artifact('stays')])];
  const gone = [node('n', [artifact('c', COMPLETION, { deleted: true }), artifact('stays')])];
  const force = { artifactGC: { forceFinalizerRemoval: true } };
  const account = { ...COMPLETION, serviceAccountName: 'other' };
  const rows: readonly [name: string, given: Given, expected: unknown][] = [
    ['nothing while it runs', { nodes: both, isOver: false }, 'rest'],
    [
      'one that is deleted while it runs ends first',
      { nodes: both, isOver: false, isDeleting: true },
      'terminate',
    ],
    [
      'one that is ending already is waited for',
      { nodes: both, isOver: false, isDeleting: true, spec: { shutdown: 'Terminate' } },
      'rest',
    ],
    ['at the end go those that are to go then', { nodes: both }, ['c']],
    ['with the workflow go all that are left', { nodes: both, isDeleting: true }, ['c,d']],
    ['what is deleted lets the workflow go', { nodes: gone }, 'release'],
    ['one that could not be deleted keeps the workflow', { nodes: both, recouped: 'all' }, 'rest'],
    ['also when it is deleted', { nodes: both, recouped: 'all', isDeleting: true }, 'rest'],
    [
      'unless it says otherwise',
      { nodes: both, recouped: 'all', isDeleting: true, spec: force },
      'release, 2 left',
    ],
    ['which counts after the attempt alone', { nodes: both, isDeleting: true, spec: force }, ['c,d']],
    [
      'the word of the workflow',
      { nodes: [node('n', [artifact('a')])], spec: { artifactGC: COMPLETION } },
      ['a'],
    ],
    [
      "the artifact's own word counts more",
      { nodes: [node('n', [artifact('a', { strategy: 'Never' })])], spec: { artifactGC: COMPLETION } },
      'release',
    ],
    ['of Never, nothing goes', { nodes: both, spec: { artifactGC: { strategy: 'Never' } } }, ['c']],
    [
      'what a cache gave belongs to another workflow',
      {
        nodes: [
          node('n', [artifact('c', COMPLETION)], {
            memoizationStatus: { hit: true, key: 'k', cacheName: 'c' },
          }),
        ],
      },
      'release',
    ],
    [
      'steps only pass artifacts on',
      { nodes: [node('n', [artifact('c', COMPLETION)], { type: 'Steps' })] },
      'release',
    ],
    [
      'what lies in no store is nothing to delete',
      { nodes: [node('n', [{ name: 'r', raw: { data: 'x' }, artifactGC: COMPLETION }])] },
      'release',
    ],
    [
      'another account takes another pod',
      { nodes: [node('n', [artifact('a', COMPLETION), artifact('b', account), artifact('c', COMPLETION)])] },
      ['a,c', 'b'],
    ],
    [
      'a pod takes a hundred',
      {
        nodes: [
          node(
            'n',
            Array.from({ length: 101 }, (_, index) => artifact(`${index}`, COMPLETION)),
          ),
        ],
      },
      [Array.from({ length: 100 }, (_, index) => `${index}`).join(), '100'],
    ],
  ];
  for (const [name, given, expected] of rows) test(name, () => assert.deepEqual(decided(given), expected));
});

test('a node that has run again is collected again', () => {
  const podOf = (finishedAt: string): string => {
    const nodes = { n: node('n', [artifact('a', COMPLETION)], { finishedAt }) };
    const step = decideGarbage({ metadata: { name: 'w' } }, {}, nodes, true);
    assert.ok(step.kind === 'delete');
    return step.batches[0]?.podName ?? '';
  };
  assert.match(podOf('1'), /^w-artgc-wfcomp-[0-9a-f]{10}$/);
  assert.equal(podOf('1'), podOf('1'));
  assert.notEqual(podOf('1'), podOf('2'));
});

test('a workflow asks, or one of its artifacts', () => {
  const ofTemplate = (gc: object): WorkflowSpec => ({
    templates: [{ name: 't', outputs: { artifacts: [{ name: 'a', artifactGC: gc }] } }],
  });
  assert.equal(asksForDeletion({}), false);
  assert.equal(asksForDeletion({ artifactGC: { strategy: 'Never' } }), false);
  assert.equal(asksForDeletion({ artifactGC: DELETION }), true);
  assert.equal(asksForDeletion(ofTemplate({ strategy: 'Never' })), false);
  assert.equal(asksForDeletion(ofTemplate(COMPLETION)), true);
});

test('what became of artifacts fits into a termination message, and is read as it was', () => {
  const outcome = [null, 'why', null];
  assert.deepEqual(readOutcome(writeOutcome(outcome), 3), outcome);
  const text = writeOutcome(Array.from({ length: 100 }, () => 'x"'.repeat(1000)));
  assert.ok(Buffer.byteLength(text) <= 4096);
  assert.ok(readOutcome(text, 100)?.every((problem) => problem !== null));
  assert.equal(readOutcome(text, 99), undefined);
  assert.equal(readOutcome('OOMKilled', 1), undefined);
  assert.equal(readOutcome('[1]', 1), undefined);
});
