import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { metaTime } from '@turnsole/kube/text/time';
import { decideReplicas, type ReplicaInput, type ReplicaTarget } from './decide-replicas.ts';
import type { PodValue } from './pod-values.ts';

const NOW = Date.parse('2030-01-01T01:00:00Z');
const WINDOW_MS = 15_000;

interface PodOptions {
  readonly phase?: string;
  readonly ready?: 'True' | 'False';
  readonly startedAgoS?: number;
  readonly readyAgoS?: number;
  readonly request?: string;
  readonly deleted?: boolean;
}

function pod(name: string, options: PodOptions = {}): Pod {
  const {
    phase = 'Running',
    ready = 'True',
    startedAgoS = 3600,
    readyAgoS = 3590,
    deleted = false,
  } = options;
  return {
    metadata: { name, ...(deleted ? { deletionTimestamp: metaTime(NOW) } : {}) },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: options.request ?? '1' } } }] },
    status: {
      phase,
      startTime: metaTime(NOW - startedAgoS * 1000),
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: metaTime(NOW - readyAgoS * 1000) }],
    },
  };
}

/** Pods `p0`… with what they use, in thousandths; undefined has no figures. */
function input(
  usage: readonly (number | undefined)[],
  target: ReplicaTarget,
  options: Readonly<Record<number, PodOptions>> = {},
  change: Partial<ReplicaInput> = {},
): ReplicaInput {
  const values = usage.flatMap((milli, index): [string, PodValue][] =>
    milli === undefined ? [] : [[`p${index}`, { milli, atMs: NOW, windowMs: WINDOW_MS }]],
  );
  return {
    currentReplicas: usage.length,
    pods: usage.map((_, index) => pod(`p${index}`, options[index])),
    values: new Map(values),
    measured: { resource: 'cpu' },
    target,
    nowMs: NOW,
    ...change,
  };
}

const percent = (value: number): ReplicaTarget => ({ kind: 'utilization', percent: value });
const average = (milli: number): ReplicaTarget => ({ kind: 'average', milli });

test('the number of replicas follows from usage and target', () => {
  const young = { startedAgoS: 60, readyAgoS: 50 };
  const table: readonly (readonly [string, ReplicaInput, number])[] = [
    ['200m where 100m are wanted: twice as many', input([200, 200], average(100)), 4],
    ['50m where 100m are wanted: half as many', input([50, 50, 50, 50], average(100)), 2],
    ['rounded up', input([120, 120, 120], average(100)), 4],
    ['within the tolerance of a tenth', input([110, 110, 110], average(100)), 3],
    ['also below', input([90, 90, 90], average(100)), 3],
    ['just beyond it', input([111, 111, 111], average(100)), 4],
    ['share of the requests', input([300, 500, 700], percent(30)), 5],
    ['by the whole, not pod by pod', input([1000, 0], percent(50)), 2],
    ['nothing used', input([0, 0, 0], percent(50)), 0],
    [
      'another pod’s request counts with it',
      input([100, 100], percent(50), { 0: { request: '100m' }, 1: { request: '300m' } }),
      2,
    ],
    ['without figures, down: as if all were used', input([100, undefined, 100, 100, 100], percent(50)), 3],
    ['without figures, up: as if nothing were used', input([900, 900, undefined], percent(50)), 4],
    ['without figures, and it would turn around', input([700, undefined, undefined], percent(50)), 3],
    ['without figures, down to a target above the request', input([600, undefined], percent(150)), 2],
    ['without figures, an average', input([50, 50, undefined], average(100)), 2],
    [
      'not ready, up: as if nothing were used',
      input([900, 900, 900], percent(50), { 2: { ready: 'False', ...young } }),
      4,
    ],
    [
      'not ready, down: not counted',
      input([200, 200, 900], percent(50), { 2: { ready: 'False', ...young } }),
      1,
    ],
    ['pending: no figures count', input([900, undefined], percent(50), { 1: { phase: 'Pending' } }), 2],
    [
      'ready for less than a window: not counted',
      input([900, 900], percent(50), { 1: { ...young, readyAgoS: 10 } }),
      2,
    ],
    ['ready for a window: counted', input([900, 900], percent(50), { 1: { ...young, readyAgoS: 15 } }), 4],
    [
      'unready later in its life: counted',
      input([900, 900], percent(50), { 1: { ready: 'False', readyAgoS: 60 } }),
      4,
    ],
    [
      'never ready: not counted',
      input([900, 900], percent(50), { 1: { ready: 'False', readyAgoS: 3590 } }),
      2,
    ],
    [
      'on its way out or failed: not counted',
      input([400, 900, 900], percent(50), { 1: { deleted: true }, 2: { phase: 'Failed' } }),
      1,
    ],
    [
      'memory of a pod that is not ready counts',
      input(
        [900, 900],
        average(500),
        { 1: { ready: 'False', ...young } },
        { measured: { resource: 'memory' } },
      ),
      4,
    ],
  ];
  for (const [name, given, replicas] of table) assert.equal(decideReplicas(given).replicas, replicas, name);
});

test('the measured value is reported', () => {
  assert.deepEqual(decideReplicas(input([300, 500, 700], percent(30))), {
    replicas: 5,
    utilization: 50,
    averageMilli: 500,
  });
  assert.deepEqual(decideReplicas(input([200, 201], average(100))), { replicas: 5, averageMilli: 200 });
});

test('an error names what is missing', () => {
  const none = { resource: 'memory' };
  const other = { resource: 'cpu', container: 'side' };
  const table: readonly (readonly [string, ReplicaInput, RegExp])[] = [
    [
      'no figures',
      input([undefined], percent(50)),
      /^unable to get metrics for resource cpu: no metrics returned/,
    ],
    ['no pods', input([5], percent(50), {}, { pods: [] }), /no pods returned by selector/],
    [
      'none ready',
      input([5], percent(50), { 0: { phase: 'Pending' } }),
      /did not receive metrics for targeted pods/,
    ],
    [
      'no request',
      input([5], percent(50), {}, { measured: none }),
      /^missing request for memory in container main of Pod p0$/,
    ],
    [
      'no container',
      input([5], percent(50), {}, { measured: other }),
      /^container side not found in Pod p0$/,
    ],
  ];
  for (const [name, given, message] of table) {
    assert.throws(
      () => decideReplicas(given),
      (error: unknown) => message.test((error as Error).message),
      name,
    );
  }
});
