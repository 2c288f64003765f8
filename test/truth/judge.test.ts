import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosResult } from '../../src/api/index.ts';
import { judge } from './judge.ts';
import type { Row, Truth } from './row.ts';

const FAIL: Truth = { verdict: 'Fail', reason: /refused/, because: 'it has one pod' };

function rowOf(truth: Truth): Row {
  return {
    name: 'r',
    family: 'pod',
    fault: 'f',
    check: 'http SOT',
    applications: [],
    env: {},
    probes: [],
    truth,
  };
}

function resultOf(
  verdict: string,
  error?: { errorCode: string; reason: string },
  state = 'reverted',
): ChaosResult {
  const experimentStatus = {
    verdict,
    phase: 'Completed',
    ...(error === undefined ? {} : { errorOutput: error }),
  };
  const failed = {
    name: 'users',
    type: 'httpProbe',
    mode: 'EOT',
    status: { verdict: 'Failed', description: 'connect refused' },
  };
  return {
    metadata: { name: 'r' },
    // Only what the judgement reads.
    status: {
      experimentStatus,
      probeStatuses: verdict === 'Fail' ? [failed] : [],
      timeline: [
        { time: '', actor: '', step: 'Injected', message: 'pod a was hit' },
        {
          time: '',
          actor: '',
          step: 'EffectSeen',
          message: 'has got 1.00 of 4.00 s of CPU time asked for (25 %)',
        },
      ],
      ledger: { a: { id: 'a', state, target: { name: 'a' }, injectedAt: 'x' } },
    } as unknown as NonNullable<ChaosResult['status']>,
  };
}

function problemsOf(
  truth: Truth,
  result: ChaosResult | undefined,
  reasons: readonly string[] = [],
): readonly string[] {
  return judge(rowOf(truth), { result, reasons, observed: [] }, false).problems;
}

test('verdict, reason, code, lines of the timeline, numbers and an empty ledger have to be as the truth says', () => {
  const pass: Truth = { verdict: 'Pass', because: 'another pod serves' };
  const error = { errorCode: 'NOT_STEADY', reason: 'broken before' };
  const rows: [Truth, ChaosResult | undefined, RegExp | undefined][] = [
    [pass, resultOf('Pass'), undefined],
    [pass, resultOf('Fail'), /^Pass is true: another pod serves$/],
    [FAIL, resultOf('Fail'), undefined],
    [{ ...FAIL, reason: /timeout/ }, resultOf('Fail'), /does not match/],
    [{ verdict: 'Error', code: 'NOT_STEADY', because: '' }, resultOf('Error', error), undefined],
    [
      { verdict: 'Error', code: 'NO_EFFECT', because: '' },
      resultOf('Error', error),
      /the code is NOT_STEADY/,
    ],
    [{ ...pass, told: [/^Injected pod a/] }, resultOf('Pass'), undefined],
    [{ ...pass, told: [/^Reverted/] }, resultOf('Pass'), /no line of the timeline/],
    [
      { ...pass, numbers: [{ what: 'targets hit', of: 'a', is: { from: 1, to: 1 } }] },
      resultOf('Pass'),
      undefined,
    ],
    [
      { ...pass, numbers: [{ what: 'targets hit', of: 'a', is: { from: 2 } }] },
      resultOf('Pass'),
      /targets hit is 1/,
    ],
    [pass, resultOf('Pass', undefined, 'injected'), /the ledger has a as injected/],
    [pass, undefined, /Pass is true/],
  ];
  for (const [truth, result, expected] of rows) {
    const problems = problemsOf(truth, result);
    if (expected === undefined) assert.deepEqual(problems, [], JSON.stringify(truth));
    else assert.match(problems.join(), expected);
  }
});

test('a fault that the result itself calls too weak says nothing about the application, where the machine had other work', () => {
  const weak: Truth = { ...FAIL, atLeast: 0.3 };
  const judged = (isLoaded: boolean): string =>
    judge(rowOf(weak), { result: resultOf('Pass'), reasons: [], observed: [] }, isLoaded).judgement;
  assert.equal(judged(true), 'busy');
  assert.equal(judged(false), 'wrong');
  const enough = { ...FAIL, atLeast: 0.2 };
  assert.equal(
    judge(rowOf(enough), { result: resultOf('Pass'), reasons: [], observed: [] }, true).judgement,
    'wrong',
  );
});

test('so does a load that made fewer requests than it takes', () => {
  const passed = resultOf('Pass');
  const entry = {
    time: '2026-01-01T00:00:00Z',
    actor: 'a',
    step: 'EffectSeen',
    message: 'k6 made 21 HTTP requests',
  };
  const result = { ...passed, status: { ...passed.status, timeline: [entry] } } as ChaosResult;
  const judged = (requests: number): string =>
    judge(rowOf({ ...FAIL, requests }), { result, reasons: [], observed: [] }, true).judgement;
  assert.equal(judged(22), 'busy');
  assert.equal(judged(21), 'wrong');
});

test('an Error that says that the machine was busy is right only where it had other work, and never in place of an Error', () => {
  const busy = resultOf('Error', { errorCode: 'MACHINE_BUSY', reason: 'the machine was too busy' });
  const judged = (truth: Truth, isLoaded: boolean): string =>
    judge(rowOf(truth), { result: busy, reasons: [], observed: [] }, isLoaded).judgement;
  assert.equal(judged(FAIL, true), 'busy');
  assert.equal(judged(FAIL, false), 'wrong');
  assert.equal(judged({ verdict: 'Error', code: 'NOT_STEADY', because: '' }, true), 'wrong');
});
