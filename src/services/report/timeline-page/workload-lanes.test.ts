import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosResult, LedgerEntry } from '../../../api/index.ts';
import { inOrder, type Lane } from './lane.ts';
import { workloadLanes } from './workload-lanes.ts';

const s = (seconds: number): number => seconds * 1000;
const at = (seconds: number): string => new Date(s(seconds)).toISOString();

function hit(name: string, seconds: number | undefined, changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    ...{ id: name, fault: 'pod-delete', parameters: {}, state: 'done', instant: true },
    target: { kind: 'pod', namespace: 'shop', name, owner: { kind: 'deployment', name: 'web' } },
    ...(seconds !== undefined && { injectedAt: at(seconds) }),
    ...changes,
  };
}

const result = (...ready: readonly (readonly [seconds: number, pods: number])[]): ChaosResult => ({
  metadata: { name: 'e-pod-delete', namespace: 'shop' },
  status: {
    workloads: [
      {
        ...{ kind: 'deployment', namespace: 'shop', name: 'web', readyBefore: 3, lowestReady: 2 },
        noneReadySeconds: 0,
        ready: ready.map(([seconds, pods]) => ({ time: at(seconds), pods })),
      },
    ],
  },
});

test('a workload has one lane, with its hits, what was missing and for how long, and its ready pods as steps', () => {
  const ledger = [hit('web-1', 5), hit('web-2', 10, { state: 'failed' }), hit('planned', undefined)];
  const [lane, ...others] = workloadLanes([result([1, 3], [5, 2], [6.4, 3], [12, 2])], ledger, s(20));
  assert.deepEqual(others, []);
  assert.deepEqual([lane?.group, lane?.name], ['Workloads', 'deployment shop/web']);
  assert.deepEqual(
    lane?.marks.map(({ kind, atMs, label }) => [kind, atMs, label]),
    [
      ['injected', s(5), 'pod-delete hit pod web-1'],
      ['failure', s(10), 'pod-delete failed on pod web-2'],
    ],
  );
  assert.deepEqual(
    lane?.bars.map(({ fromMs, toMs, label }) => [fromMs, toMs, label]),
    [
      [s(5), s(6.4), '1.4 s, then ready again'],
      [s(12), s(20), 'not back yet'],
    ],
  );
  const { times = [], values = [], scale } = lane?.curve ?? {};
  assert.deepEqual(
    times.map((time, index) => [time / 1000, values[index]]),
    [
      [1, 3],
      [5, 3],
      [5, 2],
      [6.4, 2],
      [6.4, 3],
      [12, 3],
      [12, 2],
      [20, 2],
    ],
  );
  assert.deepEqual(scale, { min: 0, max: 3 });
});

test('31 deletions of a workload are one lane of one row', () => {
  const ledger = Array.from({ length: 31 }, (_, index) => hit(`web-${index}`, 10 * index + 5));
  const ready = ledger.flatMap((_, index) => [[10 * index + 5, 2] as const, [10 * index + 7, 3] as const]);
  const [lane, ...others] = workloadLanes([result([1, 3], ...ready)], ledger, s(320));
  assert.deepEqual([others.length, lane?.marks.length, lane?.bars.length], [0, 31, 31]);
  const apart = lane?.bars.every(({ fromMs }, index) => fromMs >= (lane.bars[index - 1]?.toMs ?? 0));
  assert.equal(apart, true, 'times that pods were missing do not overlap, so they share a row');
});

test('a workload of an older experiment, without the numbers, has no lane', () => {
  assert.deepEqual(workloadLanes([result()], [hit('web-1', 5)], s(20)), []);
});

test('what users see comes first and the machinery last, and groups of several engines are together', () => {
  const lane = (group: Lane['group'], name: string): Lane => ({ group, name, bars: [], marks: [] });
  const lanes = (['Run', 'Experiments', 'Targets', 'Probes'] as const).flatMap((group) => lane(group, 'a'));
  const others = (['Run', 'Workloads', 'Probes'] as const).map((group) => lane(group, 'b'));
  assert.deepEqual(
    inOrder([lane('Steps', 'step'), ...lanes, ...others]).map(({ group, name }) => `${group} ${name}`),
    ['Probes a', 'Probes b', 'Workloads b', 'Targets a', 'Experiments a', 'Steps step', 'Run a', 'Run b'],
  );
});
