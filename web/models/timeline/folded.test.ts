import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, type LaneRecord } from './axis.ts';
import { foldedAtFirst, foldedBy } from './layout.ts';

const lane = (group: string): LaneRecord => ({
  ...{ group, name: group, bars: [] },
  marks: [{ kind: 'step', atMs: 1, label: '' }],
});
const axis = (...groups: readonly string[]) => axisOf({ startMs: 0, endMs: 10, lanes: groups.map(lane) });
const WITH = axis('Probes', 'Workloads', 'Targets', 'Pods', 'Run');

test('single targets, pods and the machinery are folded where workloads stand for them', () => {
  assert.deepEqual([...foldedAtFirst(WITH)], ['Targets', 'Pods', 'Run']);
  assert.deepEqual([...foldedAtFirst(axis('Probes', 'Targets', 'Run'))], []);
});

test('what the reader toggles is unfolded or folded, and a selected mark is seen', () => {
  const folded = (...toggled: string[]): string[] => [...foldedBy(WITH, new Set(toggled))].toSorted();
  assert.deepEqual(folded(), ['Pods', 'Run', 'Targets']);
  assert.deepEqual(folded('Pods', 'Probes'), ['Probes', 'Run', 'Targets']);
  // The mark of the lane of targets.
  assert.deepEqual([...foldedBy(WITH, new Set(), 2)], ['Pods', 'Run']);
});

test('the toggled groups can be told from the folded ones', () => {
  for (const toggled of [[], ['Pods'], ['Probes', 'Run']]) {
    const folded = foldedBy(WITH, new Set(toggled));
    assert.deepEqual([...foldedBy(WITH, folded)].toSorted(), toggled);
  }
});
