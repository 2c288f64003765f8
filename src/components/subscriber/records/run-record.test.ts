import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import type { TimelineEntry } from '../../../api/timeline.ts';
import { AcknowledgedRecords } from './acknowledged-records.ts';
import { engineRecord, packRecord, type RunRecord, resultRecord, runOf, unpackRecord } from './run-record.ts';

const AT = '2026-01-01T00:00:00.';

function step(number: number, runId?: string): TimelineEntry {
  const entry = {
    time: `${AT}${String(number).padStart(3, '0')}Z`,
    actor: 'experiment/pod-delete',
    step: 'Injected',
  };
  return { ...entry, message: `step ${number}`, ...(runId !== undefined && { runId }) };
}

/** Test data: written as it is. */
function result(status: object, labels: object = { 'turnsole.io/run-id': 'run-2' }): ChaosResult {
  const metadata = { name: 'e-pod-delete', namespace: 'shop', uid: 'uid-r', labels };
  return { metadata, spec: { engine: 'e', experiment: 'pod-delete' }, status } as unknown as ChaosResult;
}

function engine(status: object): ChaosEngine {
  return {
    metadata: { name: 'e', namespace: 'shop', uid: 'uid-e' },
    spec: {},
    status,
  } as unknown as ChaosEngine;
}

test('steps of earlier runs of the same name are left out, those of iterations are not; copies appear once', () => {
  const timeline = [step(1, 'run-1'), step(2, 'run-2'), step(3, 'run-2-i2'), step(4)];
  const record = resultRecord(result({ engineTimeline: [step(2, 'run-2'), step(5, 'run-2')], timeline }));
  assert.deepEqual(
    record?.steps.map(({ message }) => message),
    ['step 2', 'step 5', 'step 3', 'step 4'],
  );
  assert.equal(engineRecord(engine({ runId: 'run-2', timeline: [step(1, 'run-1')] })), undefined);
});

test('of the ledger stays what an axis shows: parameters of injections stay in the cluster', () => {
  const target = {
    kind: 'pod',
    namespace: 'shop',
    name: 'web-1',
    uid: 'u',
    node: 'n',
    owner: { kind: 'x', name: 'y', uid: 'hidden' },
  };
  const entry = {
    id: 'i',
    fault: 'pod-delete',
    target,
    parameters: { password: 'secret' },
    state: 'done',
    instant: true,
  };
  const record = resultRecord(result({ timeline: [step(1)], ledger: { i: entry, odd: 7 } }));
  const text = JSON.stringify(record?.object);
  assert.ok(!text.includes('secret') && !text.includes('hidden'), text);
  assert.deepEqual(JSON.parse(text).status.ledger, {
    i: {
      ...{ id: 'i', fault: 'pod-delete', state: 'done', instant: true },
      target: { kind: 'pod', namespace: 'shop', name: 'web-1', owner: { kind: 'x', name: 'y' } },
    },
  });
});

for (const status of [{}, { timeline: 7 }, { timeline: [null, 7, {}, { time: 'never' }] }, undefined]) {
  test(`an object with the status ${JSON.stringify(status)} tells no times`, () => {
    assert.equal(resultRecord(result(status as object)), undefined);
    assert.equal(engineRecord(engine(status as object)), undefined);
  });
}

for (const [what, labels, uid, expected] of [
  ['an engine of a workflow', { infra_id: 'i', workflow_run_id: 'w' }, 'e', 'w'],
  ['an engine of its own', { infra_id: 'i', type: 'standalone_workflow' }, 'e', 'e'],
  ['an engine that a user made', { infra_id: 'i' }, 'e', undefined],
  ['an engine of another infrastructure', { infra_id: 'j', workflow_run_id: 'w' }, 'e', undefined],
] as const) {
  test(`${what} belongs to ${expected ?? 'no run'}`, () =>
    assert.equal(runOf({ metadata: { name: 'n', labels } }, 'i', uid), expected));
}

test('a record that is too large is sent without its oldest part, and says how much that is', () => {
  const timeline = Array.from({ length: 1_000 }, (_, index) => ({
    ...step(index),
    message: `${index}${'x'.repeat(1_900)}`,
  }));
  const record = resultRecord(result({ timeline })) as RunRecord;
  const unpacked = unpackRecord(packRecord(record));
  assert.equal(unpacked.steps.at(-1)?.message, timeline.at(-1)?.message);
  assert.equal(unpacked.steps.length + unpacked.leftOut, 1_000);
  assert.ok(unpacked.leftOut > 0 && JSON.stringify(unpacked).length <= 1024 * 1024);
});

test('only the news of a record are sent, and all of it when its object runs once more or the server has less', () => {
  const acknowledged = new AcknowledgedRecords();
  const of = (...numbers: readonly number[]): RunRecord =>
    resultRecord(result({ timeline: numbers.map((number) => step(number)) })) as RunRecord;
  assert.deepEqual(acknowledged.news('k', of(1, 2)), of(1, 2));
  acknowledged.taken('k', of(1, 2));
  assert.equal(acknowledged.news('k', of(1, 2)), undefined);
  assert.deepEqual(acknowledged.news('k', of(2, 3)), { ...of(3), known: 2 });
  const judged = resultRecord(
    result({ timeline: [step(1)], experimentStatus: { phase: 'Completed', verdict: 'Pass' } }),
  ) as RunRecord;
  assert.deepEqual(acknowledged.news('k', judged), { ...judged, known: 2, steps: [] });
  const again = resultRecord(result({ timeline: [step(1)] }, { 'turnsole.io/run-id': 'run-3' })) as RunRecord;
  assert.deepEqual(acknowledged.news('k', again), again);
  acknowledged.forget('k');
  assert.deepEqual(acknowledged.news('k', of(1, 2)), of(1, 2));
});
