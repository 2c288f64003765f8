import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pressure, ProbeStatus } from '../api/schema/result.ts';
import { describeStarvation } from './starvation.ts';

const TIME = '2030-01-01T00:00:00.000Z';

function machine(load: number | undefined, waits?: number, lateMs = 0): Pressure {
  return {
    process: 'experiment/pod-delete',
    cores: 2,
    eventLoopLateMs: { value: lateMs, time: TIME },
    ...(load === undefined ? {} : { load: { value: load, time: TIME } }),
    ...(waits === undefined ? {} : { cpuWaitPercent: { value: waits, time: TIME } }),
  };
}

type Counts = readonly [measurements: number, failed: number, kind?: string];

function probe(
  during: Counts,
  after: Counts = [10, 0],
  verdict: 'Failed' | 'Passed' = 'Failed',
): ProbeStatus {
  const part = ([measurements, failed, kind = 'no answer in 1 s']: Counts) => ({
    measurements,
    failed,
    ...(failed === 0 ? {} : { failures: [{ kind, count: failed }] }),
  });
  return {
    name: 'users',
    type: 'httpProbe',
    mode: 'Continuous',
    status: { verdict },
    summary: {
      measurements: during[0] + after[0],
      failed: during[1] + after[1],
      before: part([10, 0]),
      during: part(during),
      after: part(after),
    },
  };
}

test('failures that a machine which was busy before the fault explains as well', () => {
  const { summary: _, ...once } = probe([1, 1]);
  const busy = machine(31, 90);
  const rows: [string, readonly ProbeStatus[], Pressure | undefined, boolean][] = [
    ['a request was too slow', [probe([100, 1])], busy, true],
    ['one after the fault, too', [probe([100, 1], [50, 2])], busy, true],
    ['half of them: the fault does that', [probe([100, 55])], busy, false],
    ['refused: no want of a processor', [probe([100, 1, 'refused'])], busy, false],
    ['two kinds', [probe([100, 1], [50, 1, 'status 503'])], busy, false],
    ['another probe failed for another reason', [probe([100, 1]), probe([100, 2, 'refused'])], busy, false],
    ['another probe passed', [probe([100, 1]), probe([100, 0], [10, 0], 'Passed')], busy, true],
    ['no numbers: asked once', [once], busy, false],
    ['nothing failed', [probe([100, 0], [10, 0], 'Passed')], busy, false],
    ['exceeded its tolerance of latency only', [probe([100, 0])], busy, false],
    ['the machine was quiet before: the fault took the processors', [probe([100, 1])], machine(1, 3), false],
    ['its load waited for disks', [probe([100, 1])], machine(31, 4), false],
    ['only this process was late', [probe([100, 1])], machine(undefined, undefined, 4_000), false],
    ['not known', [probe([100, 1])], undefined, false],
  ];
  for (const [name, probes, before, isStarved] of rows)
    assert.equal(describeStarvation(probes, before) !== undefined, isStarved, name);
  assert.equal(
    describeStarvation([probe([100, 1])], busy),
    "probe 'users' (1 of 110: no answer in 1 s) failed for want of an answer in time alone, and before the fault this machine was overloaded: " +
      'load 31 on 2 cores: whether the application was too slow because of the fault or because it got no processor is not known; run on a ' +
      'machine that is less busy, or raise probeTimeout',
  );
});
