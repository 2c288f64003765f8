/** A run with its records, while it lasts and after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RecordedPage, recordedRun } from './recorded-run.ts';

const PAGE: RecordedPage = {
  ...{ title: 'shop/checkout', warnings: [], steps: [], startMs: 1000, endMs: 11_000 },
  verdicts: [{ experiment: 'loss', verdict: 'Awaited', detail: '' }],
  lanes: [
    {
      group: 'Run',
      name: 'operator',
      marks: [],
      bars: [{ kind: 'life', fromMs: 1000, toMs: 9000, label: '' }],
    },
    {
      group: 'Targets',
      name: 'pod web',
      marks: [],
      bars: [{ kind: 'open', fromMs: 5000, toMs: 11_000, label: '' }],
    },
  ],
};
const ends = (isRunning: boolean, nowMs: number): number[] =>
  recordedRun(PAGE, isRunning, nowMs).axis.marks.map(({ endMs }) => endMs);

test('what is in force goes on until now, what is over does not', () => {
  assert.deepEqual(ends(true, 31_000), [8000, 30_000]);
  assert.deepEqual(ends(true, 5), [8000, 10_000], 'a clock that is behind takes nothing away');
  assert.deepEqual(ends(false, 31_000), [8000, 10_000]);
});

test('a revert is the end of what was injected, also when nothing later is known', () => {
  const reverted = { kind: 'injected', fromMs: 5000, toMs: 11_000, label: '' } as const;
  const lanes = [{ group: 'Targets', name: 'pod web', marks: [], bars: [reverted] }];
  const { axis, sentence, inForce } = recordedRun({ ...PAGE, lanes }, true, 31_000);
  assert.deepEqual([axis.marks[0]?.endMs, inForce], [10_000, []]);
  assert.equal(sentence, '1 injection so far, none in force now; no probe has failed.');
});

test('what is in force is named, in the sentence and by itself', () => {
  const { sentence, inForce } = recordedRun(PAGE, true, 31_000);
  assert.equal(sentence, 'In force now on pod web; no probe has failed.');
  assert.deepEqual(inForce, ['pod web']);
});

test('a run without any step is a run that has not begun', () => {
  const { sentence, axis } = recordedRun({ ...PAGE, startMs: 0, endMs: 0, lanes: [] }, true, 31_000);
  assert.deepEqual([sentence, axis.lengthMs], ['No step is recorded yet.', 1]);
});
