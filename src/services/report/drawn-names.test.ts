import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutDrawnNames } from './drawn-names.ts';
import { toJUnit } from './junit.ts';
import type { EngineReport, RunReport } from './model.ts';

const TIMES = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:01Z' };

function engine(name: string, generateName: string | undefined, experiment: string): EngineReport {
  return {
    ...{ namespace: 'litmus', name, status: 'completed', timeline: [] },
    ...(generateName !== undefined && { generateName }),
    experiments: [{ name: experiment, verdict: 'Pass', probes: [], targets: [] }],
  };
}

/** A run of a workflow with engines whose names are drawn; `drawn` are five letters. */
function run(drawn: string, engines: readonly EngineReport[], cron?: string): RunReport {
  const name = `nightly-${drawn}`;
  const node = (path: string) => ({
    ...{ name: `${name}${path}`, displayName: path === '' ? name : 'hit', type: 'Pod', phase: 'Succeeded' },
  });
  return {
    ...{ turnsole: '0', ...TIMES, aborted: false },
    engines: engines.map((one) => ({ ...one, workflow: name })),
    workflows: [
      {
        ...{ namespace: 'litmus', name, generateName: 'nightly-', phase: 'Succeeded', timeline: [] },
        ...(cron !== undefined && { cron }),
        nodes: [node(''), node('[0].hit')],
        engines: engines.map((one) => `litmus/${one.name}`),
      },
    ],
  };
}

const namesOf = ({ engines }: RunReport): string[] => engines.map(({ name }) => name);

test('suites and tests of two runs have the same names, whatever was drawn and whichever engine is first', () => {
  const first = run('abcde', [
    engine('hit-aaaaa', 'hit-', 'pod-delete'),
    engine('hit-bbbbb', 'hit-', 'pod-cpu-hog'),
  ]);
  const second = run('fghij', [
    engine('hit-ccccc', 'hit-', 'pod-delete'),
    engine('hit-ddddd', 'hit-', 'pod-cpu-hog'),
  ]);
  assert.equal(toJUnit(first), toJUnit(second));
  assert.deepEqual(namesOf(withoutDrawnNames(first)), ['hit 2', 'hit']);
  const text = toJUnit(first);
  for (const part of ['"litmus/hit"', '"workflow litmus/nightly"', '"workflow nightly"', '"nightly[0].hit"'])
    assert.ok(text.includes(part), `${part}\n${text}`);
});

test('engines of one stem have the names of their steps, whichever ends first', () => {
  const rows = [
    { ...engine('hit-aaaaa', 'hit-', 'pod-delete'), step: 'first' },
    { ...engine('hit-bbbbb', 'hit-', 'pod-delete'), step: 'second' },
  ];
  const expected = ['hit (first)', 'hit (second)'];
  assert.deepEqual(namesOf(withoutDrawnNames(run('abcde', rows))), expected);
  assert.deepEqual(namesOf(withoutDrawnNames(run('fghij', rows.toReversed()))), expected.toReversed());
});

test('a name stays that was not drawn, or is that of another engine', () => {
  const rows: readonly EngineReport[] = [
    engine('hit', undefined, 'a'),
    engine('hit-aaaaa', 'hit-', 'b'),
    // Written beside its generateName.
    engine('mine', 'hit-', 'c'),
    engine('bbbbb-ccccc', undefined, 'd'),
  ];
  assert.deepEqual(namesOf(withoutDrawnNames(run('abcde', rows))), ['hit', 'hit 2', 'mine', 'bbbbb-ccccc']);
});

test('a workflow of a CronWorkflow has the name of that; engines still belong to it', () => {
  const { engines, workflows = [] } = withoutDrawnNames(
    run('abcde', [engine('hit-aaaaa', 'hit-', 'a')], 'every-night'),
  );
  assert.deepEqual(
    [engines[0]?.workflow, workflows[0]?.name, workflows[0]?.engines, workflows[0]?.nodes[1]?.name],
    ['every-night', 'every-night', ['litmus/hit'], 'every-night[0].hit'],
  );
});
