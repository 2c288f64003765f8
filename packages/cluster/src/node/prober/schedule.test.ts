import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterAttempt,
  type ContainerProbeKind,
  initialProbeState,
  nextAttemptMs,
  type ProbeNumbers,
  probeTiming,
} from './schedule.ts';

/** Plays attempts that end at once; gives for each its time and whether it counted, and the last verdict. */
function play(
  kind: ContainerProbeKind,
  probe: ProbeNumbers,
  outcomes: readonly boolean[],
): { attempts: string[]; verdict: boolean | undefined } {
  const timing = probeTiming(kind, probe);
  let state = initialProbeState(timing, 0);
  const attempts = outcomes.map((ok) => {
    const at = nextAttemptMs(state);
    const next = afterAttempt(state, timing, ok, at, at);
    state = next;
    return `${at / 1000}${next.counted ? '' : ' early'}`;
  });
  return { attempts, verdict: state.verdict };
}

const no = (times: number): boolean[] => Array(times).fill(false);

const cases: [
  name: string,
  kind: ContainerProbeKind,
  probe: ProbeNumbers,
  outcomes: boolean[],
  attempts: string[],
  verdict: boolean | undefined,
][] = [
  ['liveness comes after one period', 'liveness', {}, [true, true], ['10', '20'], true],
  ['or after its delay', 'liveness', { initialDelaySeconds: 3 }, [true, true], ['3', '13'], true],
  ['liveness fails at the threshold', 'liveness', { periodSeconds: 1 }, no(3), ['1', '2', '3'], false],
  ['and not before', 'liveness', { periodSeconds: 1 }, no(2), ['1', '2'], undefined],
  [
    'a success in between starts the count anew',
    'liveness',
    { periodSeconds: 1 },
    [false, false, true, false, false],
    ['1', '2', '3', '4', '5'],
    true,
  ],
  ['readiness is asked at once', 'readiness', { periodSeconds: 5 }, [true, true], ['0', '5'], true],
  [
    'until it succeeds more and more seldom, and early failures do not count',
    'readiness',
    { periodSeconds: 5, failureThreshold: 1 },
    [false, false, false, true, true],
    ['0 early', '0.01 early', '0.025 early', '0.0475', '5'],
    true,
  ],
  [
    'a delay holds early attempts back too',
    'readiness',
    { initialDelaySeconds: 2, periodSeconds: 5 },
    [false, true],
    ['2', '2.01'],
    true,
  ],
  [
    'several successes are counted at the period only',
    'readiness',
    { periodSeconds: 2, successThreshold: 2 },
    [true, true],
    ['2', '4'],
    true,
  ],
];

for (const [name, kind, probe, outcomes, attempts, verdict] of cases) {
  test(name, () => assert.deepEqual(play(kind, probe, outcomes), { attempts, verdict }));
}

test('a startup probe that never succeeds fails after its thresholds worth of periods', () => {
  const timing = probeTiming('startup', { periodSeconds: 1, failureThreshold: 4 });
  let state = initialProbeState(timing, 0);
  let at = 0;
  for (let attempt = 0; state.verdict === undefined && attempt < 1000; attempt++) {
    at = nextAttemptMs(state);
    state = afterAttempt(state, timing, false, at, at);
  }
  assert.deepEqual([state.verdict, at], [false, 4000]);
});

test('attempts that take longer than the period do not pile up', () => {
  const timing = probeTiming('liveness', { periodSeconds: 1 });
  const state = afterAttempt(initialProbeState(timing, 0), timing, true, 1000, 3500);
  assert.equal(nextAttemptMs(state), 4000);
});
