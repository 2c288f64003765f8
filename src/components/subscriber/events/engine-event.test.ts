import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runIsOver } from '../../../api/engine-status.ts';
import { chaosDataOf } from './chaos-data.ts';
import { engineEvent } from './engine-event.ts';
import type { ChaosData } from './run-event.ts';

const CREATED = '2026-01-01T00:00:00Z';
const CREATED_SECONDS = '1767225600';
const ENDED_SECONDS = '1767225610';

function engine(engineStatus: string | undefined): Parameters<typeof engineEvent>[0] {
  return {
    metadata: {
      name: 'alone',
      namespace: 'litmus',
      uid: 'u-1',
      creationTimestamp: CREATED,
      labels: { workflow_id: 'e-1', notify_id: 'n-1', revision_id: 'r-1' },
    },
    status: { engineStatus },
  } as never;
}

const ENDED = { experimentStatus: 'Completed', lastUpdatedAt: ENDED_SECONDS } as ChaosData;

/** An engine that is a run of its own: its phase, its end, and the phase of its node. */
const TABLE: readonly (readonly [
  engineStatus: string | undefined,
  data: ChaosData | undefined,
  phase: string,
  finishedAt: string,
  ofNode: string,
])[] = [
  [undefined, undefined, 'Running', '', 'Running'],
  ['initialized', ENDED, 'Running', '', 'Completed'],
  ['completed', ENDED, 'Succeeded', ENDED_SECONDS, 'Completed'],
  ['stopped', ENDED, 'Stopped', ENDED_SECONDS, 'Completed'],
  ['stopped', undefined, 'Stopped', CREATED_SECONDS, 'Stopped'],
];

for (const [engineStatus, data, phase, finishedAt, ofNode] of TABLE) {
  test(`an engine that is ${engineStatus}${data === undefined ? '' : ', with an experiment'}: ${phase}`, () => {
    const event = engineEvent(engine(engineStatus), data, undefined);
    assert.deepEqual([event.phase, event.finishedAt], [phase, finishedAt]);
    assert.equal(runIsOver(engineStatus), finishedAt !== '');
    assert.deepEqual(
      Object.entries(event.nodes).map(([id, node]) => [id, node.type, node.phase, node.children]),
      [
        ['alone', 'Steps', 'Succeeded', ['alone-engine']],
        ['alone-engine', 'ChaosEngine', ofNode, null],
      ],
    );
  });
}

test('it is reported with the names of its kind, and neither revision nor notification', () => {
  const first = engineEvent(engine('initialized'), undefined, undefined);
  const { experimentType, revisionID, notifyID, experimentID, eventType, message, startedAt } = first;
  assert.deepEqual(
    [experimentType, revisionID, notifyID, experimentID, eventType, message, startedAt],
    ['chaosengine', '', null, 'e-1', 'ADD', 'initialized', CREATED_SECONDS],
  );
  assert.equal(engineEvent(engine('completed'), undefined, first).eventType, 'UPDATE');
});

test('an engine that the operator has given up was not stopped by anybody: Error, with the reason', () => {
  const given = engine('stopped');
  const message = 'service account litmus/chaos-sa not found; create it or set spec.chaosServiceAccount';
  const conditions = [{ type: 'GivenUp', status: 'True', reason: 'ServiceAccountNotFound', message }];
  const status = { ...given.status, conditions } as never;
  const event = engineEvent({ ...given, status }, undefined, undefined);
  assert.deepEqual(
    [event.phase, event.message, event.nodes['alone-engine']?.phase],
    ['Error', message, 'Error'],
  );
  const data = chaosDataOf({
    name: 'alone',
    namespace: 'litmus',
    engine: { ...given, status },
    result: undefined,
  });
  assert.equal(data?.failStep, `ServiceAccountNotFound : ${message}`);
  const before = { ...given, status: { ...given.status, engineStatus: 'initialized', conditions } as never };
  assert.equal(engineEvent(before, undefined, undefined).phase, 'Running');
});
