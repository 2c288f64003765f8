/** Statuses hold whatever their writers put there: custom resources are stored with any fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { chaosDataOf } from './chaos-data.ts';
import { engineEvent } from './engine-event.ts';
import { engineManifestOf } from './engine-node.ts';
import { fittingEvent } from './fitting-event.ts';
import { readNodes } from './read-nodes.ts';
import type { RunEvent } from './run-event.ts';
import { slimEngine, slimWorkflow } from './run-events.ts';
import { workflowEvent } from './workflow-event.ts';

const METADATA = { name: 'run', namespace: 'litmus', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' };

/** Mostly objects with the names that are read, and odd values in them. */
function odd(names: readonly string[], value: fc.Arbitrary<unknown> = fc.jsonValue()): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(names.map((name) => [name, fc.option(value, { nil: undefined })]));
  return fc.oneof({ weight: 4, arbitrary: fc.record(fields) }, fc.jsonValue());
}

const NODE = odd([
  'displayName',
  'type',
  'phase',
  'message',
  'startedAt',
  'finishedAt',
  'children',
  'inputs',
]);
const STATUS = odd(
  ['phase', 'message', 'startedAt', 'finishedAt', 'nodes', 'compressedNodes'],
  fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), NODE)),
);
const EXPERIMENT = odd(['name', 'verdict', 'runner', 'experimentPod', 'lastUpdateTime']);
const ENGINE = odd(
  ['engineStatus', 'experiments'],
  fc.oneof(fc.jsonValue(), fc.array(EXPERIMENT), fc.constantFrom('completed', 'stopped')),
);
const RESULT = odd(
  ['experimentStatus', 'history'],
  odd(['phase', 'verdict', 'probeSuccessPercentage', 'errorOutput']),
);

function isText(value: unknown, name: string): void {
  assert.equal(typeof value, 'string', `${name} is ${JSON.stringify(value)}`);
}

test('a run is reported, whatever the status of its Workflow holds', () => {
  fc.assert(
    fc.property(STATUS, fc.jsonValue(), (status, spec) => {
      const workflow = slimWorkflow({ metadata: METADATA, spec, status } as never);
      const nodes = readNodes(workflow.status);
      const manifests = Object.values(nodes).map(engineManifestOf);
      assert.ok(manifests.every((manifest) => manifest === undefined || typeof manifest === 'string'));
      const event = workflowEvent({ workflow, nodes, engines: new Map(), before: undefined });
      for (const name of ['phase', 'message', 'startedAt', 'finishedAt', 'revisionID'] as const)
        isText(event[name], name);
      for (const node of Object.values(event.nodes)) {
        for (const name of ['name', 'type', 'phase', 'message'] as const) isText(node[name], name);
        assert.ok(node.children === null || Array.isArray(node.children));
      }
    }),
    { numRuns: 500 },
  );
});

test('an engine is reported, whatever its status and that of its result hold', () => {
  fc.assert(
    fc.property(ENGINE, RESULT, fc.jsonValue(), (status, resultStatus, spec) => {
      const engine = slimEngine({ metadata: METADATA, spec, status } as never);
      const result = { metadata: { name: 'r' }, spec, status: resultStatus } as never;
      const data = chaosDataOf({ name: 'e', namespace: 'n', engine, result });
      assert.ok(data !== undefined);
      const { chaosResult, ...texts } = data;
      for (const [name, value] of Object.entries(texts)) isText(value, name);
      const event = engineEvent(engine, data, undefined);
      for (const name of ['phase', 'message', 'startedAt', 'finishedAt'] as const) isText(event[name], name);
    }),
    { numRuns: 500 },
  );
});

test('compressed nodes are read, and those that cannot be expanded are left out', () => {
  const nodes = { n: { displayName: 'd', type: 'Pod', phase: 'Running' } };
  const compressedNodes = gzipSync(JSON.stringify(nodes)).toString('base64');
  assert.equal(readNodes({ compressedNodes } as never).n?.displayName, 'd');
  for (const wrong of ['bm9uZQ==', gzipSync('[1').toString('base64')]) {
    assert.deepEqual(readNodes({ compressedNodes: wrong } as never), {});
  }
});

test('a state that is too large is reported with less', () => {
  const chaosData = chaosDataOf({
    name: 'e',
    namespace: 'n',
    engine: undefined,
    result: { metadata: { name: 'r' }, status: { history: 'h'.repeat(1_000) } } as never,
  });
  const node = (of: object): object => ({ name: 'x', phase: 'Running', ...of });
  const event = {
    name: 'run',
    nodes: { run: node({}), 'run-1': node({ chaosData }), 'run-2': node({ message: 'm'.repeat(500) }) },
  } as unknown as RunEvent;
  const left = (limitBytes: number): [string | undefined, string[]] => {
    const { body, leftOut } = fittingEvent(event, limitBytes);
    assert.ok(body.length <= limitBytes / 2);
    return [leftOut, Object.keys((JSON.parse(body.toString()) as RunEvent).nodes)];
  };
  assert.deepEqual(left(10_000), [undefined, ['run', 'run-1', 'run-2']]);
  assert.deepEqual(left(3_000), ['chaosResult of its engines', ['run', 'run-1', 'run-2']]);
  assert.deepEqual(left(1_600), ['nodes that are no engines', ['run', 'run-1']]);
  assert.deepEqual(left(200), ['its nodes', []]);
});
