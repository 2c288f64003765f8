/**
 * Whatever probes run beside a probe, and in whatever order their measurements come back (several in the same moment too), it
 * ends as it does alone. Isolation.test.ts plays with times and limits; here it is the order that is played with.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import fc from 'fast-check';
import type { Probe } from '../../api/schema/probe.ts';
import { PROBE_MODES, type ProbeMode } from '../../api/schema/vocabulary.ts';
import type { ProbeFinding } from './outcome.ts';
import type { ProbeKind } from './probe-kind.ts';
import { createProbeRunner } from './runner.ts';
import { isBackground } from './schedule.ts';
import { cmdProbe, noClient } from './testing/builders.ts';

/** A probe whose n-th measurement passes or not; the last one repeats. */
interface Sketch {
  readonly name: string;
  readonly mode: ProbeMode;
  readonly attempt: number;
  readonly passes: readonly boolean[];
}

/** What a probe came to: its status and what the phases said of it. */
interface Ending {
  readonly status: object;
  readonly findings: readonly ProbeFinding[];
}

/** Which of the waiting measurements come back next, as numbers to be taken modulo what there is to choose from. */
type Choices = Iterator<number>;

/** Timers beyond this are limits that are never reached here; those before are pauses between runs. */
const LIMIT_MS = 3_600_000;

const sketches: fc.Arbitrary<readonly Sketch[]> = fc
  .array(
    fc.record({
      mode: fc.constantFrom(...PROBE_MODES),
      attempt: fc.integer({ min: 1, max: 3 }),
      passes: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    }),
    { minLength: 2, maxLength: 6 },
  )
  .map((list) => list.map((sketch, index) => ({ ...sketch, name: `probe-${index}` })));

function probeOf({ name, mode, attempt }: Sketch): Probe {
  const runProperties = { probeTimeout: '2h', interval: '0', probePollingInterval: '1ms', attempt };
  return cmdProbe('true', '', { name, mode, runProperties });
}

/** Plays probes from beginning to end. Background probes have their whole script before the chaos is over. */
async function play(list: readonly Sketch[], choices: Choices): Promise<Map<string, Ending>> {
  const clock = new FakeClock();
  const waiting: (() => void)[] = [];
  const measured = new Map<string, number>();
  const kind: ProbeKind = {
    subject: ({ name }) => name,
    async measure({ name }) {
      const gate = Promise.withResolvers<void>();
      waiting.push(gate.resolve);
      await gate.promise;
      const count = measured.get(name) ?? 0;
      measured.set(name, count + 1);
      const passes = list.find((sketch) => sketch.name === name)?.passes ?? [];
      return passes[Math.min(count, passes.length - 1)] === true
        ? { outcome: 'passed', description: `${name} passed`, output: name }
        : { outcome: 'failure', code: 'CMD_PROBE_FAILURE', reason: `${name} failed in ${count + 1}` };
    },
  };
  const runner = createProbeRunner({
    probes: list.map(probeOf),
    client: noClient(),
    clock,
    signal: new AbortController().signal,
    env: {},
    statusCheckTimeoutSeconds: 2 * LIMIT_MS,
    ignoresSteadyState: true,
    logger: { info: () => {}, warn: () => {} },
    onUpdate: () => {},
    onStop: () => {},
    load: async () => kind,
  });
  /** Lets some of those that wait come back in the same moment, and time pass to the next pause's end. */
  const step = async (): Promise<void> => {
    const many = waiting.length === 0 ? 0 : 1 + (choices.next().value % waiting.length);
    for (let time = 0; time < many; time += 1) {
      const [open] = waiting.splice(choices.next().value % waiting.length, 1);
      open?.();
    }
    await nextTurn();
    const next = clock.nextInMs;
    if (next !== undefined && next < LIMIT_MS) await clock.advance(next);
  };
  const finish = async <T>(phase: Promise<T>): Promise<T> => {
    let isOver = false;
    const done = phase.finally(() => {
      isOver = true;
    });
    for (let steps = 0; !isOver; steps += 1) {
      assert.ok(steps < 1000, 'the phase comes to an end');
      await step();
    }
    return done;
  };
  const outcomes = [await finish(runner.preChaos()), await finish(runner.prepareChaos())];
  runner.chaosBegan();
  const before = new Map(measured);
  // A run that was under way then says nothing of the chaos; one after it does.
  const needed = ({ name, passes }: Sketch): number => Math.max(passes.length, before.get(name) ?? 0) + 2;
  const hasPlayed = (sketch: Sketch): boolean =>
    !isBackground(sketch.mode) || (measured.get(sketch.name) ?? 0) >= needed(sketch) || isFailed(sketch.name);
  const isFailed = (name: string): boolean =>
    runner.statuses().some((one) => one.name === name && one.status.verdict === 'Failed');
  for (let steps = 0; !list.every(hasPlayed); steps += 1) {
    assert.ok(steps < 1000, 'every probe in the background goes on');
    await step();
  }
  outcomes.push(await finish(runner.postChaos()));
  const findings = outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.findings));
  return new Map(
    runner
      .statuses()
      // How often it was measured, and when, depends on the others' time.
      .map(({ summary: _, ...one }): [string, Ending] => {
        const { verdict, description } = one.status;
        const status = { ...one, status: { verdict, description: description?.split(';')[0] } };
        return [one.name, { status, findings: findings.filter(({ probe }) => probe === one.name) }];
      }),
  );
}

test('a probe ends beside others, in any order of their measurements, as it does alone', async () => {
  await fc.assert(
    fc.asyncProperty(sketches, fc.infiniteStream(fc.nat({ max: 1000 })), async (list, choices) => {
      const together = await play(list, choices);
      for (const sketch of list) {
        const alone = await play([sketch], choices);
        assert.deepEqual(together.get(sketch.name), alone.get(sketch.name), sketch.name);
      }
    }),
    { numRuns: 200 },
  );
});
