import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimelineEntry } from '../../../api/timeline.ts';
import { podLanes } from './pod-lanes.ts';

function step(seconds: number, name: string, object = 'pod/shop/web-1'): TimelineEntry {
  const time = new Date(seconds * 1000).toISOString();
  return { time, actor: 'experiment/pod-delete', step: name, object, message: `${name} said` };
}

test('the states of a pod are bars, its end and restarts are marks, and nothing is where it is gone', () => {
  const steps = [
    step(1, 'PodReady'),
    step(2, 'Injected'),
    step(3, 'PodRestarted'),
    step(4, 'PodTerminating'),
    step(6, 'PodGone'),
    step(9, 'PodReady'),
    step(2, 'PodReady', 'pod/shop/web-2'),
  ];
  const lanes = podLanes(steps, 12_000).map(({ group, name, bars, marks }) => [
    `${group} ${name}`,
    bars.map(({ kind, fromMs, toMs }) => `${kind} ${fromMs / 1000}-${toMs / 1000}`),
    marks.map(({ atMs, label }) => `${atMs / 1000} ${label}`),
  ]);
  assert.deepEqual(lanes, [
    [
      'Pods pod shop/web-1',
      ['life 1-4', 'unready 4-6', 'life 9-12'],
      ['3 PodRestarted said', '6 PodGone said'],
    ],
    ['Pods pod shop/web-2', ['life 2-12'], []],
  ]);
});

test('a run without such steps has no such lanes', () => {
  assert.deepEqual(
    podLanes([step(1, 'Injected'), { ...step(2, 'PodReady'), object: undefined as never }], 3),
    [],
  );
});
