/** Numbers of probes: how many are kept, when they are stored, and that all runs of a probe are among them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import fc from 'fast-check';
import type { Measured, ProbeStatus } from '../../api/schema/result.ts';
import { MOST_POINTS, withPoint } from './measured-points.ts';
import { createProbeRunner } from './runner.ts';
import { StatusBook } from './status-book.ts';
import { cmdProbe, noClient, RUN } from './testing/builders.ts';

test('of many numbers so many stay, in order, with the latest, the least and the greatest', () => {
  const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 700 });
  fc.assert(
    fc.property(values, (all) => {
      let measured: Measured | undefined;
      for (const [index, value] of all.entries()) {
        measured = withPoint(measured, { what: 'value', value }, index * 1000);
        assert.ok(measured.points.length <= MOST_POINTS);
      }
      const points = measured?.points ?? [];
      const kept = points.map(({ value }) => value);
      assert.ok(kept.includes(Math.min(...all)) && kept.includes(Math.max(...all)));
      assert.equal(kept.at(-1), all.at(-1));
      const times = points.map(({ time }) => time);
      assert.deepEqual(times, [...new Set(times)].toSorted());
      if (all.length <= MOST_POINTS) assert.deepEqual(kept, all);
    }),
    { numRuns: 50 },
  );
});

test('a number alone is reported at most every two seconds, or earlier with another change', () => {
  const counts: number[] = [];
  const count = ([probe]: readonly ProbeStatus[]): number => probe?.measured?.points.length ?? 0;
  const probes = [{ name: 'p', type: 'cmdProbe', mode: 'Continuous' } as const];
  const book = new StatusBook(probes, (statuses) => counts.push(count(statuses)));
  const number = { what: 'value', value: 1 };
  for (const atMs of [0, 1000, 1999]) book.measured(0, number, atMs);
  assert.deepEqual(counts, []);
  book.set(0, 'Passed', 'now', 1500);
  for (const atMs of [2000, 3000, 3999, 4000]) book.measured(0, number, atMs);
  assert.deepEqual(counts, [3, 4, 7]);
  assert.equal(count(book.all()), 7);
});

test('each run of a probe leaves its number and the time of it', async () => {
  const clock = new FakeClock();
  const start = clock.now();
  let runs = 0;
  const logger = { info: () => undefined, warn: () => undefined };
  const runner = createProbeRunner({
    probes: [
      cmdProbe('true', '', { mode: 'Continuous', runProperties: { ...RUN, probePollingInterval: '10s' } }),
    ],
    ...{ client: noClient(), clock, signal: new AbortController().signal, env: {}, logger },
    statusCheckTimeoutSeconds: 180,
    onUpdate: () => undefined,
    onStop: () => undefined,
    load: async () => ({
      subject: ({ name }) => name,
      measure: async () => {
        runs += 1;
        const measured = { what: 'value', value: runs, unit: 'ms' };
        return runs < 3
          ? { outcome: 'passed', description: 'same', measured }
          : { outcome: 'failure', code: 'CMD_PROBE_FAILURE', reason: 'too many', measured };
      },
    }),
  });
  await runner.preChaos();
  for (let step = 0; step < 3; step += 1) await clock.advance(10_000);
  await runner.postChaos();
  const { what, unit, points } = runner.statuses()[0]?.measured ?? { what: '', points: [] };
  assert.deepEqual(
    [what, unit, points.map(({ time, value }) => [Date.parse(time) - start, value])],
    [
      'value',
      'ms',
      [
        [0, 1],
        [10_000, 2],
        [20_000, 3],
        // It goes on after a failure.
        [30_000, 4],
      ],
    ],
  );
});
