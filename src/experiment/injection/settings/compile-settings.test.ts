import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../fault.ts';
import { compile, fault, randomOf } from '../testing/builders.ts';
import { chaosDuration } from './common-tunables.ts';
import { compileSettings, drawRunId, settingsError } from './compile-settings.ts';
import { drawIntervalMs, parseInterval } from './interval.ts';
import { describeTunableProblem } from './parse-tunables.ts';

test('units are converted and names fall back to the fault', () => {
  const { settings, problems } = compile({
    TOTAL_CHAOS_DURATION: '15',
    CHAOS_INTERVAL: '5',
    RAMP_TIME: '2',
    STATUS_CHECK_TIMEOUT: '7',
    INTER_POD_KILL_INTERVAL_SECONDS: '1',
  });
  assert.deepEqual(problems, []);
  const { experiment, engine, namespace, durationMs, interval, rampMs, statusCheckTimeoutMs, runId } =
    settings;
  assert.deepEqual(
    { experiment, engine, namespace, durationMs, interval, rampMs, statusCheckTimeoutMs, runId },
    {
      experiment: 'test-fault',
      engine: undefined,
      namespace: 'litmus',
      durationMs: 15_000,
      interval: { lowMs: 5_000, highMs: 5_000 },
      rampMs: 2_000,
      statusCheckTimeoutMs: 7_000,
      runId: '000000',
    },
  );
});

test("a fault's own default goes before the common one", () => {
  const own = {
    TOTAL_CHAOS_DURATION: chaosDuration(20, ''),
  } as const;
  assert.equal(compile({}, { tunables: own }).settings.durationMs, 20_000);
  assert.equal(compile({ TOTAL_CHAOS_DURATION: '' }, { tunables: own }).settings.durationMs, 20_000);
});

test('random is a coin flip between serial and parallel', () => {
  const flip = (random: number) =>
    compileSettings(fault(), { SEQUENCE: 'random', RUN_ID: 'a' }, randomOf(random)).settings.sequence;
  assert.deepEqual([flip(0.2), flip(0.7)], ['serial', 'parallel']);
});

test('problems of every kind are collected', () => {
  const { settings, problems } = compile({
    CHAOS_INTERVAL: 'x',
    TARGETS: 'deployment:shop:[app=web];nonsense',
    DEFAULT_HEALTH_CHECK: 'maybe',
  });
  assert.deepEqual(problems.map(describeTunableProblem), [
    'CHAOS_INTERVAL is "x"; expected a whole number of seconds from 0 to 604800',
    'DEFAULT_HEALTH_CHECK is "maybe"; expected true or false',
    'TARGETS is "nonsense"; expected kind:namespace:[names or labels]',
  ]);
  const error = settingsError(settings.experiment, problems);
  assert.equal(error.code, 'GENERIC_ERROR');
  assert.match(
    error.message,
    /^cannot run test-fault with these settings: CHAOS_INTERVAL is "x".*correct the env/,
  );
});

test('CHAOS_INTERVAL with RANDOMNESS', async (t) => {
  const cases: [string, string, { lowMs: number; highMs: number } | 'problem'][] = [
    ['a number is the upper end', '10', { lowMs: 0, highMs: 10_000 }],
    ['a range', '2-5', { lowMs: 2_000, highMs: 5_000 }],
    ['the default', '', { lowMs: 0, highMs: 10_000 }],
    ['upper end below 1', '0', 'problem'],
    ['the wrong way round', '5-2', 'problem'],
    ['no number', '2-', 'problem'],
    ['more than seven days', '1-604801', 'problem'],
  ];
  for (const [name, text, expected] of cases) {
    await t.test(name, () => {
      const { settings, problems } = compile({ RANDOMNESS: 'true', CHAOS_INTERVAL: text });
      if (expected === 'problem') assert.equal(problems[0]?.variable, 'CHAOS_INTERVAL');
      else assert.deepEqual([settings.interval, problems], [expected, []]);
    });
  }
  assert.deepEqual(parseInterval('2-5', 7, false), { lowMs: 7_000, highMs: 7_000 });
  assert.deepEqual(
    [0, 0.5, 0.999].map((random) => drawIntervalMs({ lowMs: 2_000, highMs: 4_000 }, () => random)),
    [2_000, 3_000, 4_000],
  );
});

test('a run id has six characters of 0-9 and a-z', () => {
  assert.equal(drawRunId(randomOf(0, 0.5, 0.999)), '0iz0iz');
});

test('rules between settings are asked for settings that can be read', () => {
  const { name, tunables } = fault({
    tunables: {
      LOW: { type: 'integer', default: 1, minimum: 0, maximum: 9, description: '' },
      HIGH: { type: 'integer', default: 2, minimum: 0, maximum: 9, description: '' },
    },
  });
  const validate = (values: Readonly<Record<string, unknown>>) =>
    Number(values.LOW) <= Number(values.HIGH)
      ? []
      : [{ variable: 'LOW', found: String(values.LOW), expected: 'a number up to HIGH' }];
  const problems = (env: Record<string, string>) =>
    compileSettings({ name, tunables, validate }, env, randomOf(0)).problems.map(describeTunableProblem);
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problems({ LOW: '3' }), ['LOW is "3"; expected a number up to HIGH']);
  assert.deepEqual(problems({ LOW: '3', HIGH: 'x' }), ['HIGH is "x"; expected a whole number from 0 to 9']);
});

test('the old name of a setting that chooses the target is refused, wherever it was set', () => {
  const found = (env: Record<string, string>, targets: Fault['targets'] = 'node'): string[] =>
    compileSettings(fault({ targets }), env, Math.random).problems.map(describeTunableProblem);
  assert.deepEqual(found({ APP_NODE: 'turnsole-2' }), [
    'APP_NODE is "turnsole-2"; expected this value under the name TARGET_NODE: the name APP_NODE is one of LitmusChaos 1',
  ]);
  assert.deepEqual(found({ APP_NODE: 'turnsole-2', TARGET_NODE: 'turnsole-2' }), []);
  assert.deepEqual(found({ APP_NODE: '' }), []);
  assert.deepEqual(found({ APP_NODE: 'turnsole-2' }, 'pods'), []);
});
