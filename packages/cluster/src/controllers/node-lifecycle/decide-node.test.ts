import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Node, Toleration } from '@turnsole/kube/kinds/core';
import type { Taint } from '../shared/types.ts';
import { at, node, pod, START_MS } from '../testing/builders.ts';
import { SeenTaints, silentConditions, taintsFor, untilEvictionMs } from './decide-node.ts';

function taintTexts(one: Node): string[] | undefined {
  return taintsFor(one, START_MS)?.map(({ key, effect }) => `${key}:${effect}`);
}

describe('taints by condition', () => {
  const own: Taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };
  const notReady = 'node.kubernetes.io/not-ready';
  const table: readonly (readonly [string, Node, string[] | undefined])[] = [
    ['ready: none', node('n'), undefined],
    ['not ready', node('n', { ready: 'False' }), [`${notReady}:NoSchedule`, `${notReady}:NoExecute`]],
    [
      'unknown',
      node('n', { ready: 'Unknown' }),
      ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'],
    ],
    ['cordoned', node('n', { unschedulable: true }), ['node.kubernetes.io/unschedulable:NoSchedule']],
    [
      'ready again: ours go, others stay',
      node('n', { taints: [own, { key: notReady, effect: 'NoExecute', timeAdded: at(0) }] }),
      ['dedicated:NoSchedule'],
    ],
    ['nothing said yet', { ...node('n'), status: {} }, [`${notReady}:NoSchedule`, `${notReady}:NoExecute`]],
  ];
  for (const [name, one, expected] of table) {
    test(name, () => assert.deepEqual(taintTexts(one), expected));
  }

  test('a taint that stays keeps its time', () => {
    const taints: Taint[] = [
      { key: notReady, effect: 'NoSchedule' },
      { key: notReady, effect: 'NoExecute', timeAdded: at(-100) },
    ];
    assert.equal(taintsFor(node('n', { ready: 'False', taints }), START_MS), undefined);
  });
});

describe('eviction', () => {
  const taint: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: at(0) };
  const forSeconds = (tolerationSeconds?: number): Toleration => ({
    key: taint.key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  });
  const table: readonly (readonly [string, Toleration[], Taint[], number, number | undefined])[] = [
    ['no taint', [], [], 0, undefined],
    ['not tolerated: at once', [], [taint], 0, 0],
    ['NoSchedule evicts no pod', [], [{ ...taint, effect: 'NoSchedule' }], 0, undefined],
    ['tolerated for ever', [forSeconds()], [taint], 0, undefined],
    ['tolerated for a while', [forSeconds(300)], [taint], 100_000, 200_000],
    ['the while is over', [forSeconds(300)], [taint], 300_000, 0],
    ['the shortest while counts', [forSeconds(300), forSeconds(60)], [taint], 0, 60_000],
    ['every taint must be tolerated', [forSeconds(300)], [taint, { key: 'x', effect: 'NoExecute' }], 0, 0],
  ];
  for (const [name, tolerations, taints, elapsedMs, expected] of table) {
    test(name, () => {
      const one = pod('p', { node: 'n', spec: { tolerations } });
      assert.equal(untilEvictionMs(one, taints, START_MS + elapsedMs), expected);
    });
  }
});

test('who gives a taint no time starts it at its first sight; tolerations count from then', () => {
  const seen = new SeenTaints();
  const tainted = node('n', { taints: [{ key: 'out', effect: 'NoExecute' }] });
  const one = pod('a', {
    spec: {
      containers: [],
      tolerations: [{ key: 'out', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }],
    },
  });
  const waits = (nowMs: number) => untilEvictionMs(one, seen.dated(tainted, nowMs), nowMs);
  assert.deepEqual(
    [0, 1_000, 3_000].map((ms) => waits(START_MS + ms)),
    [3_000, 2_000, 0],
  );
  assert.deepEqual(seen.dated(node('n'), START_MS + 3_000), [], 'taken away');
  assert.equal(waits(START_MS + 4_000), 3_000, 'and set again');
  seen.forget('n');
  assert.equal(waits(START_MS + 5_000), 3_000);
});

test('a silent node: every heartbeat condition is unknown, once', () => {
  const conditions = silentConditions(node('n'), START_MS);
  assert.deepEqual(
    conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    [
      'Ready Unknown NodeStatusUnknown',
      'MemoryPressure Unknown NodeStatusNeverUpdated',
      'DiskPressure Unknown NodeStatusNeverUpdated',
      'PIDPressure Unknown NodeStatusNeverUpdated',
    ],
  );
  assert.equal(
    silentConditions({ ...node('n'), status: { conditions: conditions ?? [] } }, START_MS + 1),
    undefined,
  );
});
