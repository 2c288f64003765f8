import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import fc from 'fast-check';
import type { Probe } from '../../api/schema/probe.ts';
import { PROBE_MODES, type ProbeMode, type ProbeVerdict } from '../../api/schema/vocabulary.ts';
import type { PhaseOutcome } from './outcome.ts';
import { createProbeRunner } from './runner.ts';
import { isBackground } from './schedule.ts';
import { noClient } from './testing/builders.ts';
import { type Script, type Step, scriptedKind } from './testing/scripted-kind.ts';

/** A probe as the test makes it up: when it runs, how often it tries, and what it will find. */
interface Sketch {
  readonly mode: ProbeMode;
  readonly attempt: number;
  readonly intervalMs: number;
  readonly pollingMs: number;
  readonly initialDelayMs: number;
  readonly stopOnFailure: boolean;
  readonly script: Script;
}

const TIMEOUT_MS = 500;
const LONGEST_CHAOS_MS = 8000;
/** Between the milliseconds in which probes are measured: times then separate what began before the fault from what began with it. */
const BETWEEN_MS = 0.5;
/** Six probes that are measured every 5 ms while another one waits for its initial delay need about half of these. */
const MOST_STEPS = 30_000;

const step = fc.record({
  takesMs: fc.integer({ min: 0, max: 400 }),
  outcome: fc.oneof(
    { weight: 12, arbitrary: fc.constant<Step['outcome']>('passed') },
    { weight: 3, arbitrary: fc.constant<Step['outcome']>('failure') },
    { weight: 1, arbitrary: fc.constantFrom<Step['outcome']>('error', 'throws', 'hangs') },
  ),
});

const sketch: fc.Arbitrary<Sketch> = fc.record({
  mode: fc.constantFrom(...PROBE_MODES),
  attempt: fc.integer({ min: 1, max: 3 }),
  intervalMs: fc.integer({ min: 0, max: 300 }),
  pollingMs: fc.integer({ min: 5, max: 2000 }),
  initialDelayMs: fc.constantFrom(0, 0, 700, LONGEST_CHAOS_MS + 1000),
  stopOnFailure: fc.boolean(),
  script: fc.array(step, { minLength: 1, maxLength: 8 }),
});

function probeOf(
  name: string,
  { mode, attempt, intervalMs, pollingMs, initialDelayMs, stopOnFailure }: Sketch,
): Probe {
  return {
    name,
    type: 'cmdProbe',
    mode,
    runProperties: {
      probeTimeout: `${TIMEOUT_MS}ms`,
      interval: `${intervalMs}ms`,
      probePollingInterval: `${pollingMs}ms`,
      initialDelay: `${initialDelayMs}ms`,
      attempt,
      stopOnFailure,
    },
    'cmdProbe/inputs': { command: 'true', comparator: { type: 'string', criteria: 'equal', value: '' } },
  };
}

/** What a run of a probe came to, and when. */
interface PlayedRun {
  readonly outcome: 'passed' | 'failure' | 'error';
  readonly beganMs: number;
  readonly endedMs: number;
}

/** The runs of one probe: each is its attempts up to the first that passed. @param began when its measurements did */
function runsOf({ attempt, script }: Sketch, began: readonly number[]): PlayedRun[] {
  const runs: PlayedRun[] = [];
  let tried: number[] = [];
  for (const [at, atMs] of began.entries()) {
    const { outcome, takesMs = 0 } = script[Math.min(at, script.length - 1)] ?? { outcome: 'passed' };
    tried.push(atMs);
    if (outcome !== 'passed' && tried.length < attempt) continue;
    const ending = outcome === 'hangs' ? 'failure' : outcome === 'throws' ? 'error' : outcome;
    runs.push({ outcome: ending, beganMs: tried[0] ?? atMs, endedMs: atMs + takesMs });
    tried = [];
  }
  return runs;
}

/** When the fault was in force. */
interface Window {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The verdict a probe deserves by its own runs alone. @param window when the fault was in force, once that is judged */
function deserved(sketched: Sketch, began: readonly number[], window: Window | undefined): ProbeVerdict {
  const runs = runsOf(sketched, began);
  const has = (wanted: PlayedRun['outcome']): boolean => runs.some(({ outcome }) => outcome === wanted);
  if (has('failure')) return 'Failed';
  if (has('error')) return isBackground(sketched.mode) && window === undefined ? 'Awaited' : 'N/A';
  if (isBackground(sketched.mode)) {
    if (window === undefined) return 'Awaited';
    const { sinceMs, untilMs } = window;
    return runs.some(({ beganMs, endedMs }) => beganMs >= sinceMs && endedMs <= untilMs) ? 'Passed' : 'N/A';
  }
  if (runs.length === 0) return 'Awaited';
  return sketched.mode === 'Edge' && runs.length < 2 ? 'Awaited' : 'Passed';
}

/** Moves time on until a phase is over. */
async function finish(clock: FakeClock, phase: Promise<PhaseOutcome>): Promise<PhaseOutcome> {
  let ended = false;
  const done = phase.finally(() => {
    ended = true;
  });
  for (let step = 0; !ended; step += 1) {
    assert.ok(step < MOST_STEPS, `the phase goes on after ${step} timers; ${clock.pending} are set`);
    await clock.advance(clock.nextInMs ?? 0);
  }
  return done;
}

const goesOn = (outcome: PhaseOutcome): boolean =>
  outcome.ok || (outcome.kind === 'failure' && !outcome.stop);

test("a verdict depends on the probe's own runs only, however probes interleave", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sketch, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: LONGEST_CHAOS_MS }),
      async (sketches, chaosMs) => {
        const clock = new FakeClock();
        const startMs = clock.now();
        let sinceMs = 0;
        const names = sketches.map((_, index) => `probe-${index}`);
        const scripts = Object.fromEntries(sketches.map(({ script }, index) => [`probe-${index}`, script]));
        const kind = scriptedKind(clock, scripts);
        const measure = kind.measure;
        // Texts carry the name, so that a description of another probe is recognised.
        kind.measure = async (probe, context) => {
          const measurement = await measure(probe, context);
          return measurement.outcome === 'passed'
            ? { ...measurement, description: `${probe.name} ${measurement.description}` }
            : { ...measurement, reason: `${probe.name} ${measurement.reason}` };
        };
        const runner = createProbeRunner({
          probes: sketches.map((sketched, index) => probeOf(`probe-${index}`, sketched)),
          client: noClient(),
          clock,
          signal: new AbortController().signal,
          env: {},
          statusCheckTimeoutSeconds: 180,
          ignoresSteadyState: true,
          logger: { info: () => {}, warn: () => {} },
          onUpdate: () => {},
          onStop: () => {},
          load: async () => kind,
        });
        let outcome = await finish(clock, runner.preChaos());
        let evaluated = false;
        if (goesOn(outcome)) {
          await runner.prepareChaos();
          await clock.advance(BETWEEN_MS);
          sinceMs = clock.now() - startMs;
          runner.chaosBegan();
          await clock.advance(chaosMs);
          outcome = await finish(clock, runner.postChaos());
          evaluated = true;
        }
        await clock.advance(0);
        assert.equal(clock.pending, 0, 'nothing is left waiting');
        for (const [index, { name, status }] of runner.statuses().entries()) {
          const sketched = sketches[index];
          assert.ok(sketched);
          // A measurement that was interrupted by the end of the run says nothing.
          const cut: number = evaluated
            ? 0
            : kind.interrupted.filter((other) => other === names[index]).length;
          const hung = sketched.script.some((one) => one.outcome === 'hangs') ? cut : 0;
          if (hung > 0) continue;
          const measurements: number = (kind.began.get(name)?.length ?? 0) - cut;
          const began = (kind.began.get(name) ?? []).slice(0, measurements);
          const window: Window | undefined = evaluated ? { sinceMs, untilMs: sinceMs + chaosMs } : undefined;
          assert.equal(status.verdict, deserved(sketched, began, window), name);
          const text = status.description ?? name;
          assert.ok(
            text.startsWith(name) || status.verdict === 'N/A' || /due to timeout|^threw/.test(text),
            text,
          );
        }
      },
    ),
    { numRuns: 200 },
  );
});
