import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { mergedRecord, readData, readRecord, type StoredRecord } from './stored-record.ts';

const step = (number: number) => ({
  time: `2026-01-01T00:00:00.00${number}Z`,
  actor: 'a',
  step: 's',
  message: `${number}`,
});

const OBJECT = { metadata: { name: 'e', uid: 'u' }, status: { runId: 'run-1' } };
const RECORD = {
  kind: 'ChaosEngine',
  namespace: 'shop',
  name: 'e',
  object: OBJECT,
  known: 0,
  steps: [step(1)],
  leftOut: 0,
};

function read(text: string) {
  const data = readData(text);
  return data === undefined ? undefined : readRecord(data);
}

function packed(value: unknown): string {
  return deflateRawSync(JSON.stringify(value)).toString('base64');
}

function merged(before: StoredRecord | undefined, change: object): StoredRecord | undefined {
  const record = read(packed({ ...RECORD, ...change }));
  assert.ok(record !== undefined);
  return mergedRecord(before, record);
}

function numbers(record: StoredRecord | undefined): string | undefined {
  return record?.steps.map(({ message }) => message).join();
}

for (const [what, text] of [
  ['no Base64', '%'],
  ['no deflated text', Buffer.from('{}').toString('base64')],
  ['no object', packed([RECORD])],
  ['another kind', packed({ ...RECORD, kind: 'Secret' })],
  ['no name', packed({ ...RECORD, name: '' })],
  ['an object without metadata', packed({ ...RECORD, object: { status: {} } })],
  ['more than any record', deflateRawSync(Buffer.alloc(9 * 1024 * 1024, 0x20)).toString('base64')],
] as const) {
  test(`${what} is no record`, () => assert.equal(read(text), undefined));
}

test('steps that are none are left out, and odd numbers count as nothing', () => {
  const steps = [null, 7, { ...step(1), time: 'never' }, { ...step(2), message: 7 }, step(3)];
  const record = read(packed({ ...RECORD, known: -1, leftOut: 'many', steps }));
  assert.deepEqual([record?.known, record?.leftOut, record?.steps], [0, 0, [step(3)]]);
});

test('steps are added, each once, whatever comes twice', () => {
  const first = merged(undefined, { steps: [step(1), step(2)] });
  const second = merged(first, { known: 2, steps: [step(3)] });
  assert.deepEqual([numbers(second), second?.count], ['1,2,3', 3]);
  assert.deepEqual(merged(second, { known: 2, steps: [step(3)] }), second);
  assert.equal(numbers(merged(second, { known: 0, steps: [step(2), step(4)] })), '1,2,3,4');
});

test('where steps are missing nothing is kept', () => {
  assert.equal(merged(undefined, { known: 1 }), undefined);
  assert.equal(merged(merged(undefined, {}), { known: 2 }), undefined);
});

test('another run of the object takes the place of the one before', () => {
  const object = { ...OBJECT, status: { runId: 'run-2' } };
  const before = merged(undefined, { steps: [step(1)] });
  assert.equal(numbers(merged(before, { object, steps: [step(2)] })), '2');
  assert.equal(merged(before, { object, known: 1, steps: [step(2)] }), undefined);
});

test('of very many steps the latest are kept, with the number of those that are not', () => {
  const many = Array.from({ length: 6_000 }, (_, index) => ({ ...step(1), message: `${index}` }));
  const record = merged(undefined, { steps: many, leftOut: 5 });
  assert.deepEqual(
    [record?.steps.length, record?.steps[0]?.message, record?.count, record?.leftOut],
    [5_000, '1000', 6_000, 1_005],
  );
  const later = merged(record, { known: 6_000, steps: [step(2), step(3)], leftOut: 5 });
  assert.deepEqual(
    [later?.steps.length, later?.steps[0]?.message, later?.count, later?.leftOut],
    [5_000, '1002', 6_002, 1_007],
  );
});
