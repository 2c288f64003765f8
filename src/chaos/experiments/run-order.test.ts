/** Tables and properties of the order of experiments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EngineExperiment, Execution } from '../../api/index.ts';
import { nextSteps, type Order, type Progress, planOrder } from './run-order.ts';

type Word = 'w' | 'r' | 'P' | 'F' | '-';
const PROGRESS: Readonly<Record<Word, Progress>> = {
  w: { state: 'waiting' },
  r: { state: 'running' },
  P: { state: 'ended', verdict: 'Pass' },
  F: { state: 'ended', verdict: 'Fail' },
  '-': { state: 'ended', verdict: 'N/A' },
};
const progressOf = (words: string): Progress[] =>
  // The tables are made of these letters only.
  [...words].map((word) => PROGRESS[word as Word]);

function order(
  execution: Execution | undefined,
  dependsOn: Readonly<Record<string, readonly string[]>> = {},
): Order {
  const experiments: EngineExperiment[] = ['a', 'b', 'c'].map((name) => ({
    name,
    ...(dependsOn[name] === undefined ? {} : { dependsOn: [...dependsOn[name]] }),
  }));
  const spec = { experiments, ...(execution === undefined ? {} : { execution }) };
  return planOrder(['a', 'b', 'c'], { spec }, 'run');
}

const sequential = order(undefined);
const parallel = order({ order: 'parallel' });
const two = order({ order: 'parallel', maxParallel: 2 });
const chain = order({ order: 'parallel' }, { a: ['c'], b: ['a'] });
const join = order({ order: 'parallel' }, { c: ['a', 'b'] });
const stop = order({ order: 'parallel', maxParallel: 1, onFailure: 'stop' });
const twice = order({ iterations: 2 });
const backwards = order(undefined, { a: ['b'] });
const circle = order(undefined, { a: ['b'], b: ['a'] });

const STEPS: readonly [name: string, order: Order, progress: string, start: number[], skip?: number[]][] = [
  ['one after the other begins with the first', sequential, 'www', [0]],
  ['one after the other waits for what runs', sequential, 'rww', []],
  ['one after the other goes on after a failure', sequential, 'Fww', [1]],
  ['nothing left', sequential, 'PPP', []],
  ['one after the other takes what depends on nothing first', backwards, 'www', [1]],
  ['and then what depended on it', backwards, 'wPw', [0]],
  ['parallel starts all', parallel, 'www', [0, 1, 2]],
  ['parallel starts no more than allowed', two, 'www', [0, 1]],
  ['parallel fills a free place', two, 'Prw', [2]],
  ['dependencies: only the one without', chain, 'www', [2]],
  ['dependencies: the next of the chain', chain, 'wwP', [0]],
  ['dependencies: a failed one has ended, too', chain, 'wwF', [0]],
  ['dependencies: all of them have to end', join, 'Prw', []],
  ['dependencies: all have ended', join, 'PFw', [2]],
  ['stop: goes on while all pass', stop, 'Pww', [1]],
  ['stop: nothing more after a failure', stop, 'Fww', [], [1, 2]],
  ['stop: what runs is left to end', stop, 'Frw', [], [2]],
  ['iterations: the second waits for the first', twice, 'PPrwww', []],
  ['iterations: the second begins', twice, 'PFPwww', [3]],
  ['iterations: goes on within the second', twice, 'PPPPww', [4]],
  ['iterations: the end', twice, 'PPPPPP', []],
  ['a circle that was not refused ends', circle, 'wwP', [], [0, 1]],
];

for (const [name, given, words, start, skip = []] of STEPS) {
  test(`order: ${name}`, () => {
    const steps = nextSteps(given, progressOf(words), { nowMs: 0, iterationStartedMs: undefined });
    assert.deepEqual(steps.start, start);
    assert.deepEqual(
      steps.skip.map(({ index }) => index),
      skip,
    );
    assert.equal(steps.waitMs, undefined);
  });
}

test('order: what is not started after a failure says why', () => {
  const steps = nextSteps(stop, progressOf('Fww'), { nowMs: 0, iterationStartedMs: undefined });
  assert.equal(steps.skip[0]?.reason, 'not started: a ended with Fail, and spec.execution.onFailure is stop');
});

test('order: an iteration begins when the least interval since the start of the one before is over', () => {
  const spaced = order({ iterations: 2, minInterval: '1m' });
  const at = (nowMs: number, words = 'PPPwww') =>
    nextSteps(spaced, progressOf(words), { nowMs, iterationStartedMs: 10_000 });
  assert.deepEqual(at(30_000), { start: [], skip: [], waitMs: 40_000 });
  assert.deepEqual(at(70_000), { start: [3], skip: [] });
  assert.deepEqual(at(30_000, 'PPPPww'), { start: [4], skip: [] });
});

test('order: random is a permutation that follows from the seed and differs between iterations', () => {
  const names = Array.from({ length: 8 }, (_, at) => `e${at}`);
  const ranksOf = (seed: string | undefined, runId: string): readonly number[] => {
    const execution: Execution = {
      order: 'random',
      iterations: 2,
      ...(seed === undefined ? {} : { seed }),
    };
    return planOrder(names, { spec: { experiments: names.map((name) => ({ name })), execution } }, runId)
      .ranks;
  };
  assert.deepEqual(ranksOf('7', 'r1'), ranksOf('7', 'r2'));
  assert.deepEqual(ranksOf(undefined, 'r1'), ranksOf(undefined, 'r1'));
  assert.notDeepEqual(ranksOf(undefined, 'r1'), ranksOf(undefined, 'r2'));
  const ranks = ranksOf('7', 'r');
  assert.notDeepEqual(ranks.slice(0, 8), ranks.slice(8));
  for (const pass of [ranks.slice(0, 8), ranks.slice(8)]) {
    assert.deepEqual(
      [...pass].sort((a, b) => a - b),
      names.map((_, at) => at),
    );
  }
});

test('order: whatever is asked for, everything is run once, within the limit, after what it depends on', () => {
  const executions = fc.record(
    {
      order: fc.constantFrom('sequential' as const, 'parallel' as const, 'random' as const),
      maxParallel: fc.integer({ min: 1, max: 4 }),
      iterations: fc.integer({ min: 1, max: 3 }),
      seed: fc.string(),
    },
    { requiredKeys: [] },
  );
  // Only backwards dependencies, so that there is no circle.
  const lists = fc.array(fc.array(fc.nat(5), { maxLength: 3 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(executions, lists, fc.infiniteStream(fc.nat(5)), (execution, dependencies, picks) => {
      const names = dependencies.map((_, at) => `e${at}`);
      const experiments = dependencies.map((on, at) => ({
        name: `e${at}`,
        dependsOn: on.filter((other) => other < at).map((other) => `e${other}`),
      }));
      const plan = planOrder(names, { spec: { experiments, execution } }, 'run');
      const progress: Progress[] = plan.items.map(() => ({ state: 'waiting' }));
      const started: number[] = [];
      for (;;) {
        const { start, skip } = nextSteps(plan, progress, { nowMs: 0, iterationStartedMs: undefined });
        assert.deepEqual(skip, []);
        for (const index of start) {
          assert.ok(plan.dependencies[index]?.every((other) => progress[other]?.state === 'ended'));
          started.push(index);
          progress[index] = { state: 'running' };
        }
        const running = progress.flatMap(({ state }, index) => (state === 'running' ? [index] : []));
        assert.ok(running.length <= plan.maxParallel);
        assert.equal(new Set(running.map((index) => plan.items[index]?.iteration)).size <= 1, true);
        const [next = 0] = picks.take(1);
        const ended = running[next % Math.max(1, running.length)];
        if (ended === undefined) break;
        progress[ended] = { state: 'ended', verdict: 'Pass' };
      }
      assert.equal(started.length, plan.items.length);
      assert.equal(new Set(started).size, started.length);
    }),
  );
});
