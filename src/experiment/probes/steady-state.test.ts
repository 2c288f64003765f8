/** Whether the application holds right before the fault, and what of the time before it counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { Probe } from '../../api/schema/probe.ts';
import type { PhaseOutcome } from './outcome.ts';
import { createProbeRunner } from './runner.ts';
import type { ProbeRunner, ProbeRunnerOptions } from './runner-types.ts';
import { cmdProbe, noClient, RUN } from './testing/builders.ts';
import { type Script, type ScriptedKind, scriptedKind } from './testing/scripted-kind.ts';

interface Rig {
  readonly clock: FakeClock;
  readonly runner: ProbeRunner;
  readonly kind: ScriptedKind;
}

function rig(
  script: Script,
  run: Partial<Probe['runProperties']>,
  options: Partial<ProbeRunnerOptions> = {},
  tolerance?: Probe['tolerance'],
): Rig {
  const clock = new FakeClock();
  const kind = scriptedKind(clock, { it: script });
  const runner = createProbeRunner({
    probes: [
      cmdProbe('true', '', {
        name: 'it',
        mode: 'Continuous',
        runProperties: { ...RUN, ...run },
        ...(tolerance !== undefined && { tolerance }),
      }),
    ],
    client: noClient(),
    clock,
    signal: new AbortController().signal,
    env: {},
    statusCheckTimeoutSeconds: 180,
    logger: { info: () => {}, warn: () => {} },
    onUpdate: () => {},
    onStop: () => {},
    load: async () => kind,
    ...options,
  });
  return { clock, runner, kind };
}

/** Moves the clock until the phase has ended. */
async function during(clock: FakeClock, phase: Promise<PhaseOutcome>): Promise<string> {
  let ended = false;
  const done = phase.finally(() => {
    ended = true;
  });
  for (let step = 0; !ended && step < 1000; step += 1)
    await clock.advance(step === 0 ? 0 : (clock.nextInMs ?? 0));
  const outcome = await done;
  return outcome.ok ? 'ok' : `${outcome.kind} ${outcome.message}`;
}

const passed = { outcome: 'passed' } as const;
const failure = { outcome: 'failure' } as const;
const error = { outcome: 'error' } as const;

const GATE: readonly {
  readonly name: string;
  readonly script: Script;
  readonly run?: Partial<Probe['runProperties']>;
  /** Between the start of the probe and the question. */
  readonly waitMs: number;
  readonly outcome: string;
  readonly began: readonly number[];
}[] = [
  {
    name: 'a measurement of now',
    script: [passed],
    waitMs: 3500,
    outcome: 'ok',
    began: [0, 1000, 2000, 3000],
  },
  {
    name: 'an old one is measured anew',
    script: [passed],
    run: { probePollingInterval: '60s' },
    waitMs: 5000,
    outcome: 'ok',
    began: [0, 5000],
  },
  {
    name: 'the old one passed, that of now fails',
    script: [passed, failure],
    run: { probePollingInterval: '60s' },
    waitMs: 5000,
    outcome: "failure probe 'it': failed in run 2 (before the fault, for 0 ms by then)",
    began: [0, 5000],
  },
  {
    name: 'it fails for some time',
    script: [passed, failure],
    waitMs: 4500,
    outcome: "failure probe 'it': failed in run 5 (before the fault, for 3 s by then)",
    began: [0, 1000, 2000, 3000, 4000],
  },
  {
    name: 'it failed and has recovered',
    script: [failure, passed],
    waitMs: 1500,
    outcome: 'ok',
    began: [0, 1000],
  },
  {
    name: 'it cannot be evaluated',
    script: [error],
    waitMs: 500,
    outcome: "error probe 'it': broke in run 1 (before the fault, for 0 ms by then)",
    began: [0],
  },
  {
    name: 'the run under way is waited for',
    script: [{ ...failure, takesMs: 8000 }],
    run: { probeTimeout: '1h' },
    waitMs: 4000,
    outcome: "failure probe 'it': failed in run 2 (before the fault, for 16 s by then)",
    began: [0, 8000],
  },
  {
    name: 'nothing is to be measured yet',
    script: [failure],
    run: { initialDelay: '1h' },
    waitMs: 4000,
    outcome: 'ok',
    began: [],
  },
];

for (const { name, script, run = {}, waitMs, outcome, began } of GATE) {
  test(`right before the fault: ${name}`, async () => {
    const { clock, runner, kind } = rig(script, run);
    await runner.preChaos();
    await clock.advance(waitMs);
    assert.equal(await during(clock, runner.steadyState()), outcome);
    assert.deepEqual(kind.began.get('it') ?? [], began);
    assert.equal(runner.statuses()[0]?.status.verdict, outcome.startsWith('failure') ? 'Failed' : 'Awaited');
    await runner.abort();
    assert.equal(clock.pending, 0);
  });
}

test('what failed before the fault and recovered is told, and is no failure', async () => {
  const { clock, runner } = rig([failure, failure, passed], {});
  await runner.preChaos();
  await clock.advance(6000);
  assert.equal(await during(clock, runner.steadyState()), 'ok');
  runner.injecting();
  runner.chaosBegan();
  await clock.advance(3000);
  assert.equal(await during(clock, runner.postChaos()), 'ok');
  const { status, summary } = runner.statuses()[0] ?? {};
  assert.equal(status?.verdict, 'Passed');
  assert.match(
    status?.description ?? '',
    /none of \d measurements failed; 2 failed before the fault, the last 5 s before it \(2 failed\)/,
  );
  assert.deepEqual([summary?.before.failed, summary?.during.failed], [2, 0]);
});

test('with steadyState ignored what fails before the fault counts', async () => {
  const { clock, runner } = rig([failure, passed], {}, { ignoresSteadyState: true });
  await runner.preChaos();
  await clock.advance(500);
  assert.equal(runner.statuses()[0]?.status.verdict, 'Failed');
  runner.chaosBegan();
  await clock.advance(3000);
  assert.match(await during(clock, runner.postChaos()), /^failure/);
});

test('a failure between the question and the fault rings; it counts once it is known that the fault had begun', async () => {
  const rung: string[] = [];
  const { clock, runner } = rig(
    [passed, failure],
    { probePollingInterval: '60s' },
    {
      onUnsteady: ({ probe, reason }) => rung.push(`${probe}: ${reason}`),
    },
  );
  await runner.preChaos();
  assert.equal(await during(clock, runner.steadyState()), 'ok');
  const askedMs = clock.now();
  // While helpers start, probes are asked at least every second.
  await clock.advance(3500);
  assert.equal(rung.length, 4);
  assert.match(rung[0] ?? '', /^it: failed in run 2/);
  assert.equal(runner.statuses()[0]?.status.verdict, 'Awaited');
  runner.injecting(askedMs);
  assert.equal(runner.statuses()[0]?.status.verdict, 'Failed');
  runner.chaosBegan();
  assert.match(await during(clock, runner.postChaos()), /^failure probe 'it': failed in run 2/);
});

test('a helper reports late that the fault has begun: what failed since then counts, what failed before does not', async () => {
  for (const [agoMs, verdict] of [
    [1500, 'Failed'],
    [200, 'Passed'],
    // A clock of a node that is ahead.
    [-60_000, 'Passed'],
  ] as const) {
    const { clock, runner } = rig([passed, passed, failure, passed], {});
    await runner.preChaos();
    await clock.advance(3000);
    runner.chaosBegan(clock.now() - agoMs);
    await clock.advance(3000);
    await during(clock, runner.postChaos());
    assert.equal(runner.statuses()[0]?.status.verdict, verdict, String(agoMs));
  }
});

test('a probe whose pause outlasts the fault measures once more before it ends', async () => {
  const { clock, runner, kind } = rig(
    [passed, passed, failure],
    { probePollingInterval: '60s' },
    {
      chaosDurationMs: 6000,
    },
  );
  await runner.preChaos();
  await clock.advance(1000);
  runner.chaosBegan();
  await clock.advance(6000);
  runner.chaosEnded();
  assert.deepEqual(kind.began.get('it'), [0, 1000, 6750]);
  assert.match(await during(clock, runner.postChaos()), /^failure probe 'it': failed in run 3/);
});

test('with a tolerance the share that failed decides, and only when all is measured', async () => {
  const many = (fails: number): Script => [
    ...Array.from({ length: 10 }, () => passed),
    ...Array.from({ length: fails }, () => failure),
    passed,
  ];
  for (const [fails, outcome, verdict] of [
    [4, 'ok', 'Passed'],
    [8, 'failure', 'Failed'],
  ] as const) {
    const { clock, runner } = rig(many(fails), { probePollingInterval: '100ms' }, {}, { failed: '5%' });
    await runner.preChaos();
    await clock.advance(950);
    assert.equal(await during(clock, runner.steadyState()), 'ok');
    runner.chaosBegan();
    await clock.advance(5000);
    assert.equal(runner.statuses()[0]?.status.verdict, 'Awaited');
    await clock.advance(5000);
    runner.chaosEnded();
    const said = await during(clock, runner.postChaos());
    assert.equal(said.split(' ')[0], outcome, said);
    const { status } = runner.statuses()[0] ?? {};
    assert.equal(status?.verdict, verdict);
    assert.match(
      status?.description ?? '',
      fails === 4
        ? /^within its tolerance: [\d.]+ % failed, within 5 %; 4 of \d+ measurements failed during the fault/
        : /^beyond its tolerance: [\d.]+ % failed, and 5 % may; the first failure: failed in run 11; 8 of \d+ measurements/,
    );
  }
});

test('a tolerance of which too little was measured is no pass', async () => {
  const { clock, runner } = rig([passed], { probePollingInterval: '1s' }, {}, { failed: '1%' });
  await runner.preChaos();
  runner.chaosBegan();
  await clock.advance(5000);
  const said = await during(clock, runner.postChaos());
  assert.match(
    said,
    /^error probe 'it': its tolerance cannot be judged: 1 % failed cannot be told from less than 100/,
  );
  assert.equal(runner.statuses()[0]?.status.verdict, 'N/A');
});
