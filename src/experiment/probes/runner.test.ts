import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { Probe } from '../../api/schema/probe.ts';
import type { ProbeMode } from '../../api/schema/vocabulary.ts';
import type { PhaseOutcome } from './outcome.ts';
import { createProbeRunner } from './runner.ts';
import type { ProbeRunner, ProbeRunnerOptions } from './runner-types.ts';
import { noClient, RUN } from './testing/builders.ts';
import { type Script, type ScriptedKind, scriptedKind } from './testing/scripted-kind.ts';

interface Rig {
  readonly clock: FakeClock;
  readonly runner: ProbeRunner;
  readonly kind: ScriptedKind;
  /** `name verdict description` of every change. */
  readonly updates: readonly string[];
  readonly stops: readonly string[];
  readonly logged: readonly string[];
  readonly aborting: AbortController;
}

interface RigOptions {
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly changesState?: boolean;
  readonly options?: Partial<ProbeRunnerOptions>;
}

/** A runner of scripted probes on a clock that is moved by hand. */
function rig(probes: readonly Probe[], { scripts = {}, changesState, options }: RigOptions = {}): Rig {
  const clock = new FakeClock();
  const kind = scriptedKind(clock, scripts, changesState === undefined ? {} : { changesState });
  const updates: string[] = [];
  const stops: string[] = [];
  const logged: string[] = [];
  const aborting = new AbortController();
  const log = (fields: object, message: string): void => {
    logged.push(`${'probe' in fields ? String(fields.probe) : ''}: ${message}`);
  };
  const runner = createProbeRunner({
    probes,
    client: noClient(),
    clock,
    signal: aborting.signal,
    env: {},
    statusCheckTimeoutSeconds: 180,
    logger: { info: log, warn: log },
    onUpdate: () => {
      const now = show(runner);
      updates.push(...now.filter((line) => !before.includes(line)));
      before = now;
    },
    onStop: (reason) => stops.push(reason),
    load: async () => kind,
    ...options,
  });
  let before = show(runner);
  return { clock, runner, kind, updates, stops, logged, aborting };
}

function probe(name: string, mode: ProbeMode, run: Partial<Probe['runProperties']> = {}): Probe {
  return {
    name,
    type: 'cmdProbe',
    mode,
    runProperties: { ...RUN, ...run },
    'cmdProbe/inputs': { command: 'true', comparator: { type: 'string', criteria: 'equal', value: '' } },
  };
}

function show(runner: ProbeRunner): string[] {
  return runner
    .statuses()
    .map(({ name, status }) => `${name} ${status.verdict} ${status.description ?? '-'}`);
}

function brief(outcome: PhaseOutcome): string {
  if (outcome.ok) return 'ok';
  return `${outcome.kind} ${outcome.code}${outcome.stop ? ' stop' : ''}: ${outcome.message}`;
}

/** Moves the clock in steps until the phase has ended. */
async function during(clock: FakeClock, phase: Promise<PhaseOutcome>): Promise<string> {
  let ended = false;
  const done = phase.finally(() => {
    ended = true;
  });
  for (let step = 0; !ended && step < 10_000; step += 1) {
    await clock.advance(step === 0 ? 0 : (clock.nextInMs ?? 0));
  }
  return brief(await done);
}

test('without probes every phase is over at once', async () => {
  const { runner, clock } = rig([]);
  const outcomes = [await runner.preChaos(), await runner.prepareChaos(), await runner.postChaos()];
  assert.deepEqual([outcomes.map(brief), runner.statuses(), clock.pending], [['ok', 'ok', 'ok'], [], 0]);
});

test('each mode runs in its phases and gets its verdict there', async () => {
  const modes: readonly ProbeMode[] = ['SOT', 'EOT', 'Edge', 'Continuous', 'OnChaos'];
  const { runner, clock, kind } = rig(
    modes.map((mode) => probe(mode, mode, { probePollingInterval: '10s' })),
  );
  assert.equal(brief(await runner.preChaos()), 'ok');
  await clock.advance(5000);
  assert.deepEqual(show(runner), [
    'SOT Passed passed in run 1',
    'EOT Awaited -',
    'Edge Awaited passed in run 1',
    'Continuous Awaited passed in run 1',
    'OnChaos Awaited -',
  ]);
  assert.equal(brief(await runner.prepareChaos()), 'ok');
  // A helper needs its time to start; nothing is in force until then.
  await clock.advance(2000);
  runner.chaosBegan();
  await clock.advance(28_000);
  runner.chaosEnded();
  await clock.advance(30_000);
  assert.equal(brief(await runner.postChaos()), 'ok');
  assert.deepEqual(show(runner), [
    'SOT Passed passed in run 1',
    'EOT Passed passed in run 1',
    'Edge Passed passed in run 2',
    'Continuous Passed passed in run 7; none of 6 measurements failed; p95 0 ms before, 0 ms during, 0 ms after',
    'OnChaos Passed passed in run 3; none of 3 measurements failed; p95 0 ms during',
  ]);
  assert.deepEqual(Object.fromEntries(kind.began), {
    SOT: [0],
    EOT: [65_000],
    Edge: [0, 65_000],
    // Anew as soon as the fault is in force.
    Continuous: [0, 7000, 17_000, 27_000, 37_000, 47_000, 57_000],
    // From the first injection to the last revert.
    OnChaos: [7000, 17_000, 27_000],
  });
  assert.equal(clock.pending, 0);
});

test('a failure lets the run go on, an error and stopOnFailure end the phase', async () => {
  const stop = { stopOnFailure: true };
  const failing = { scripts: { bad: [{ outcome: 'failure' }] as const } };
  const breaking = { scripts: { bad: [{ outcome: 'error' }] as const } };
  const table: readonly [string, readonly Probe[], RigOptions, string, readonly string[]][] = [
    [
      'failure',
      [probe('bad', 'SOT'), probe('next', 'SOT')],
      failing,
      "failure CMD_PROBE_FAILURE: probe 'bad': failed in run 1",
      ['bad Failed failed in run 1', 'next Passed passed in run 1'],
    ],
    [
      'failure with stopOnFailure',
      [probe('bad', 'SOT', stop), probe('next', 'SOT')],
      failing,
      "failure CMD_PROBE_FAILURE stop: probe 'bad': failed in run 1",
      ['bad Failed failed in run 1', 'next Awaited -'],
    ],
    [
      'failed first half of Edge',
      [probe('bad', 'Edge', stop), probe('next', 'SOT')],
      failing,
      "failure CMD_PROBE_FAILURE stop: probe 'bad': failed in run 1",
      ['bad Failed failed in run 1', 'next Awaited -'],
    ],
    [
      'error, whatever stopOnFailure says',
      [probe('bad', 'SOT', stop), probe('next', 'SOT')],
      breaking,
      "error CMD_PROBE_ERROR: probe 'bad': broke in run 1",
      ['bad N/A broke in run 1', 'next Awaited -'],
    ],
    [
      'measurement that throws',
      [probe('bad', 'SOT')],
      { scripts: { bad: [{ outcome: 'throws' }] } },
      "error CMD_PROBE_ERROR: probe 'bad': threw in run 1",
      ['bad N/A threw in run 1'],
    ],
  ];
  for (const [name, probes, options, outcome, statuses] of table) {
    const { runner, clock } = rig(probes, options);
    assert.equal(await during(clock, runner.preChaos()), outcome, name);
    assert.deepEqual(show(runner), statuses, name);
  }
});

test('an Edge probe that failed before stays Failed and says why', async () => {
  const scripts = { edge: [{ outcome: 'failure' }, { outcome: 'passed' }] as const };
  const { runner } = rig([probe('edge', 'Edge')], { scripts });
  assert.equal(brief(await runner.preChaos()), "failure CMD_PROBE_FAILURE: probe 'edge': failed in run 1");
  assert.equal(brief(await runner.postChaos()), 'ok');
  assert.deepEqual(show(runner), ['edge Failed failed in run 1']);
});

test('a background failure shows at once and is reported after the chaos', async () => {
  const scripts = {
    back: [{ outcome: 'passed' }, { outcome: 'failure' }, { outcome: 'passed' }] as const,
  };
  const { runner, clock, updates, stops, kind } = rig([probe('back', 'Continuous'), probe('end', 'EOT')], {
    scripts,
  });
  assert.equal(brief(await runner.preChaos()), 'ok');
  await clock.advance(500);
  runner.chaosBegan();
  await clock.advance(3000);
  assert.deepEqual(updates, ['back Awaited passed in run 1', 'back Failed failed in run 2']);
  assert.deepEqual([kind.began.get('back'), stops], [[0, 500, 1500, 2500, 3500], []], 'it goes on');
  assert.equal(brief(await runner.postChaos()), "failure CMD_PROBE_FAILURE: probe 'back': failed in run 2");
  assert.deepEqual(show(runner), [
    'back Failed failed in run 2; 1 of 4 measurements failed during the fault, at +0 ms (1 failed), longest outage 1 s; ' +
      'p95 0 ms before, 0 ms during, 0 ms after',
    'end Passed passed in run 1',
  ]);
});

test('a background failure with stopOnFailure asks for a stop once', async () => {
  const scripts = { one: [{ outcome: 'failure' }], two: [{ outcome: 'failure' }] } as const;
  const stop = { stopOnFailure: true };
  const { runner, clock, stops, kind } = rig(
    [probe('one', 'OnChaos', stop), probe('two', 'OnChaos', stop), probe('end', 'EOT')],
    { scripts },
  );
  await runner.preChaos();
  await runner.prepareChaos();
  runner.chaosBegan();
  await clock.advance(0);
  assert.deepEqual(stops, ["probe 'one' failed: failed in run 1"]);
  const outcome = await runner.postChaos();
  assert.equal(
    brief(outcome),
    "failure CMD_PROBE_FAILURE stop: probe 'one': failed in run 1; probe 'two': failed in run 1",
  );
  assert.equal(kind.began.has('end'), false, 'EOT does not run when the run ends');
});

test('errors of background probes are collected, and EOT and Edge do not run', async () => {
  const scripts = {
    one: [{ outcome: 'error' }],
    two: [{ outcome: 'throws' }],
    // It failed before the fault, and fails in it.
    three: [{ outcome: 'failure' }],
  } as const;
  const names = ['one', 'two', 'three', 'four'];
  const { runner, clock } = rig([...names.map((name) => probe(name, 'Continuous')), probe('end', 'EOT')], {
    scripts,
  });
  await runner.preChaos();
  runner.chaosBegan();
  await clock.advance(0);
  const outcome = await runner.postChaos();
  assert.deepEqual(outcome.ok ? [] : outcome.findings.map(({ probe: name, kind }) => `${name} ${kind}`), [
    'one error',
    'two error',
    'three failure',
  ]);
  assert.equal(outcome.ok ? '' : `${outcome.kind} ${outcome.stop}`, 'error false');
  assert.deepEqual(
    show(runner).map((line) => line.split(';')[0]),
    [
      'one N/A broke in run 1',
      'two N/A threw in run 1',
      'three Failed failed in run 1',
      'four Passed passed in run 2',
      'end Awaited -',
    ],
  );
});

test('attempts, pauses between them and the limit of each', async () => {
  const properties = { attempt: 3, interval: '2s', probeTimeout: '5s', initialDelay: '10s' };
  const scripts = {
    second: [{ outcome: 'failure' }, { outcome: 'passed' }],
    slow: [{ outcome: 'passed', takesMs: 4999 }],
    stuck: [{ outcome: 'hangs' }],
    late: [{ outcome: 'passed', takesMs: 5001 }, { outcome: 'error' }],
  } as const;
  const table: readonly [keyof typeof scripts, string, readonly number[], string][] = [
    ['second', 'ok', [10_000, 12_000], 'Passed passed in run 2'],
    ['slow', 'ok', [10_000], 'Passed passed in run 1'],
    [
      'stuck',
      "failure CMD_PROBE_FAILURE: probe 'stuck': probe failed due to timeout: script of stuck: no answer in 5 s (attempt 3 of 3)",
      [10_000, 17_000, 24_000],
      'Failed probe failed due to timeout: script of stuck: no answer in 5 s (attempt 3 of 3)',
    ],
    [
      'late',
      "error CMD_PROBE_ERROR: probe 'late': broke in run 3 (attempt 3 of 3)",
      [10_000, 17_000, 19_000],
      'N/A broke in run 3 (attempt 3 of 3)',
    ],
  ];
  for (const [name, outcome, began, status] of table) {
    const { runner, clock, kind } = rig([probe(name, 'SOT', properties)], { scripts });
    assert.equal(await during(clock, runner.preChaos()), outcome, name);
    assert.deepEqual([kind.began.get(name), show(runner)], [began, [`${name} ${status}`]], name);
    assert.equal(clock.pending, 0, name);
  }
});

test('an attempt without a limit of its own ends with the status check timeout', async () => {
  const { runner, clock, kind } = rig([probe('stuck', 'SOT')], {
    scripts: { stuck: [{ outcome: 'hangs' }] },
  });
  const start = clock.now();
  assert.match(
    await during(clock, runner.preChaos()),
    /probe failed due to timeout: script of stuck: no answer in 3 min$/,
  );
  assert.deepEqual([clock.now() - start, kind.interrupted], [180_000, ['stuck']]);
});

test('a pause ends at once when the chaos is over', async () => {
  const slow = { probePollingInterval: '1h' };
  const { runner, clock, kind } = rig([probe('back', 'Continuous', slow), probe('on', 'OnChaos', slow)]);
  await runner.preChaos();
  await clock.advance(500);
  await runner.prepareChaos();
  runner.chaosBegan();
  await clock.advance(1000);
  assert.equal(brief(await runner.postChaos()), 'ok');
  assert.deepEqual(
    [...kind.began],
    [
      ['back', [0, 500]],
      ['on', [500]],
    ],
  );
  assert.equal(clock.pending, 0);
});

test('a probe whose initial delay outlasts the chaos never runs, and is no pass', async () => {
  const late = { initialDelay: '1h' };
  const { runner, clock, kind } = rig([probe('back', 'Continuous', late), probe('on', 'OnChaos', late)]);
  await runner.preChaos();
  await runner.prepareChaos();
  runner.chaosBegan();
  await clock.advance(40_000);
  const reason =
    'The probe did not measure while the fault was in force, from 2030-01-01T00:00:00.000Z to 2030-01-01T00:00:40.000Z: ' +
    'its initialDelay of 3600 s was not over; raise TOTAL_CHAOS_DURATION, or lower initialDelay';
  assert.equal(
    brief(await runner.postChaos()),
    `error CMD_PROBE_ERROR: probe 'back': ${reason}; probe 'on': ${reason}`,
  );
  assert.deepEqual(show(runner), [`back N/A ${reason}`, `on N/A ${reason}`]);
  assert.deepEqual([kind.began.size, clock.pending], [0, 0]);
});

test('a probe passes by what it measured while the fault was in force only', async () => {
  const half = { takesMs: 5000, outcome: 'passed' } as const;
  const table: readonly [string, ProbeMode, Partial<Probe['runProperties']>, Script, string][] = [
    ['a run within', 'OnChaos', {}, [half], 'Passed passed in run 2'],
    [
      'a run that ends after the revert began',
      'OnChaos',
      {},
      [{ takesMs: 11_000, outcome: 'passed' }],
      'N/A',
    ],
    [
      'the same, and it fails',
      'OnChaos',
      {},
      [{ takesMs: 11_000, outcome: 'failure' }],
      'Failed failed in run 1',
    ],
    ['a delay that leaves too little time', 'OnChaos', { initialDelay: '6s' }, [half], 'N/A'],
    ['runs before and after', 'Continuous', {}, [{ takesMs: 16_000, outcome: 'passed' }], 'N/A'],
    ['a pause that would outlast the chaos', 'Continuous', { probePollingInterval: '1h' }, [half], 'Passed'],
  ];
  for (const [name, mode, properties, script, expected] of table) {
    const options = { probeTimeout: '1h', probePollingInterval: '4s', ...properties };
    const { runner, clock } = rig([probe('it', mode, options)], { scripts: { it: script } });
    await runner.preChaos();
    await runner.prepareChaos();
    await clock.advance(10_000);
    runner.chaosBegan();
    await clock.advance(10_000);
    runner.chaosEnded();
    await clock.advance(10_000);
    await during(clock, runner.postChaos());
    const [status = ''] = show(runner);
    assert.ok(status.startsWith(`it ${expected}`), `${name}: ${status}`);
    assert.equal(status.includes('did not measure while the fault was in force'), expected === 'N/A', name);
  }
});

test('a node reports when its fault ended: measurements between that time and the report do not count', async () => {
  for (const [endedMs, verdict] of [
    [4000, 'N/A'],
    [6000, 'Passed'],
    // Clocks of nodes may be wrong.
    [60_000, 'Passed'],
    [-60_000, 'Passed'],
  ] as const) {
    const { runner, clock } = rig([probe('on', 'OnChaos')], {
      scripts: { on: [{ takesMs: 5000, outcome: 'passed' }] },
    });
    await runner.preChaos();
    await runner.prepareChaos();
    const sinceMs = clock.now();
    runner.chaosBegan();
    await clock.advance(6000);
    runner.chaosEnded(sinceMs + endedMs);
    await during(clock, runner.postChaos());
    assert.equal(runner.statuses()[0]?.status.verdict, verdict, String(endedMs));
  }
});

test('a dry run has nothing to measure: what passes beside it is no pass, what fails is a failure', async () => {
  const { runner, clock } = rig(
    [probe('back', 'Continuous'), probe('on', 'OnChaos'), probe('bad', 'Continuous'), probe('edge', 'Edge')],
    { scripts: { bad: [{ outcome: 'failure' }] }, options: { isDryRun: true } },
  );
  await runner.preChaos();
  await clock.advance(1000);
  assert.equal(brief(await runner.postChaos()), "failure CMD_PROBE_FAILURE: probe 'bad': failed in run 1");
  const reason =
    'The probe did not measure while the fault was in force: it was a dry run, nothing was injected';
  assert.deepEqual(show(runner), [
    `back N/A ${reason}`,
    `on N/A ${reason}`,
    'bad Failed failed in run 1',
    'edge Passed passed in run 2',
  ]);
});

test('a probe reports its beginning during the chaos, and what it measured of it', async () => {
  const news: string[] = [];
  const { runner, clock } = rig(
    [
      probe('on', 'OnChaos', { probePollingInterval: '4s' }),
      probe('late', 'OnChaos', { initialDelay: '9s' }),
    ],
    { options: { onNews: ({ probe: name, what, text }) => news.push(`${name} ${what}: ${text}`) } },
  );
  await runner.preChaos();
  await runner.prepareChaos();
  runner.chaosBegan();
  await clock.advance(5000);
  await runner.postChaos();
  const place = 'from 2030-01-01T00:00:00.000Z to 2030-01-01T00:00:0';
  assert.deepEqual(news, [
    'on began: measures from now on: the fault is in force',
    'late began: measures in 9 s: the fault is in force',
    `on ended: measured 2 times while the fault was in force, ${place}4.000Z: none of 2 measurements failed; p95 0 ms during`,
    `late unmeasured: The probe did not measure while the fault was in force, ${place}5.000Z: ` +
      'its initialDelay of 9 s was not over; raise TOTAL_CHAOS_DURATION, or lower initialDelay',
  ]);
});

test('a run under way when the chaos ends is finished, up to the status check timeout', async () => {
  const scripts = {
    slow: [{ outcome: 'failure', takesMs: 20_000 }],
    never: [{ outcome: 'hangs' }],
  } as const;
  const options = { probeTimeout: '1h', probePollingInterval: '1s' };
  const { runner, clock, kind } = rig(
    [probe('slow', 'Continuous', options), probe('never', 'Continuous', options), probe('end', 'EOT')],
    { scripts },
  );
  await runner.preChaos();
  runner.chaosBegan();
  await clock.advance(10_000);
  const start = clock.now();
  assert.equal(
    await during(clock, runner.postChaos()),
    "failure CMD_PROBE_FAILURE: probe 'slow': failed in run 1; probe 'never': Probe is failed due to timeout",
  );
  assert.deepEqual([clock.now() - start, kind.interrupted], [180_000, ['never']]);
  assert.deepEqual(show(runner), [
    'slow Failed failed in run 1; 1 of 1 measurement failed during the fault, at +0 ms (1 failed), longest outage 20 s, not recovered',
    'never Failed Probe is failed due to timeout',
    'end Passed passed in run 1',
  ]);
});

test('a probe beside a fault that was never in force is no pass, and no failure', async () => {
  const { runner, clock } = rig([
    probe('on', 'OnChaos', { stopOnFailure: true }),
    probe('back', 'Continuous'),
  ]);
  await runner.preChaos();
  await clock.advance(1000);
  const reason = 'The probe did not measure while the fault was in force: the fault was never in force';
  assert.equal(
    brief(await runner.postChaos()),
    `error CMD_PROBE_ERROR: probe 'on': ${reason}; probe 'back': ${reason}`,
  );
  assert.deepEqual(show(runner), [`on N/A ${reason}`, `back N/A ${reason}`]);
});

test('a fault that announces every round starts a background probe once', async () => {
  const { runner, clock, kind } = rig([probe('on', 'OnChaos', { probePollingInterval: '10s' })]);
  await runner.preChaos();
  await runner.prepareChaos();
  runner.chaosBegan();
  await clock.advance(5000);
  runner.chaosBegan();
  await clock.advance(6000);
  assert.deepEqual(kind.began.get('on'), [0, 10_000]);
  void runner.abort();
});

test('what changes something for good is done once in the background, while the fault is in force', async () => {
  for (const mode of ['Continuous', 'OnChaos'] as const) {
    const { runner, clock, kind } = rig([probe('back', mode)], { changesState: true });
    await runner.preChaos();
    await clock.advance(1000);
    await runner.prepareChaos();
    await clock.advance(1000);
    runner.chaosBegan();
    await clock.advance(60_000);
    assert.equal(brief(await runner.postChaos()), 'ok');
    assert.deepEqual([kind.began.get('back'), show(runner)], [[2000], ['back Passed passed in run 1']], mode);
  }
});

test('an abort ends everything at once', async () => {
  const scripts = { back: [{ outcome: 'hangs' }], stuck: [{ outcome: 'hangs' }] } as const;
  for (const how of ['abort', 'signal'] as const) {
    const { runner, clock, kind, aborting, updates } = rig(
      [probe('back', 'Continuous'), probe('stuck', 'SOT')],
      {
        scripts,
      },
    );
    const phase = runner.preChaos();
    await clock.advance(1000);
    if (how === 'abort') void runner.abort();
    else aborting.abort(new Error('stopped by the user'));
    await assert.rejects(phase, how === 'abort' ? /the probes were aborted/ : /stopped by the user/);
    await clock.advance(0);
    assert.deepEqual([[...kind.interrupted].sort(), updates, clock.pending], [['back', 'stuck'], [], 0], how);
    await assert.rejects(runner.postChaos());
  }
});

test('a run that ends before the chaos leaves nothing behind', async () => {
  const { runner, clock, kind } = rig([probe('back', 'Continuous'), probe('bad', 'SOT')], {
    scripts: { bad: [{ outcome: 'error' }] },
  });
  assert.match(brief(await runner.preChaos()), /^error/);
  await clock.advance(60_000);
  assert.deepEqual([kind.began.get('back')?.length ?? 0, clock.pending], [1, 0]);
});

test('a callback that throws changes no verdict', async () => {
  const fail = (): never => {
    throw new Error('callback');
  };
  const { runner, clock, logged } = rig([probe('back', 'Continuous', { stopOnFailure: true })], {
    scripts: { back: [{ outcome: 'failure' }] },
    options: { onUpdate: fail, onStop: fail },
  });
  await runner.preChaos();
  await clock.advance(0);
  assert.match(brief(await runner.postChaos()), /^failure CMD_PROBE_FAILURE stop/);
  assert.ok(logged.includes(': callback of the probe runner failed'));
});

test('verbosity info logs a pass on the first run only', async () => {
  const polling = { probePollingInterval: '1s' };
  const { runner, clock, logged } = rig([
    probe('chatty', 'Continuous', polling),
    probe('quiet', 'Continuous', { ...polling, verbosity: 'info' }),
  ]);
  await runner.preChaos();
  await clock.advance(2500);
  await runner.postChaos();
  const count = (name: string): number => logged.filter((line) => line === `${name}: probe passed`).length;
  assert.deepEqual([count('chatty'), count('quiet')], [3, 1]);
});

test('a probe that runs a hundred times a second writes ten lines, and one for each change', async () => {
  const often = { probePollingInterval: '10ms' };
  const scripts = {
    flutters: Array.from({ length: 100 }, (_, index) => ({
      outcome: index % 50 === 49 ? ('failure' as const) : ('passed' as const),
    })),
  };
  const { runner, clock, logged } = rig(
    [probe('steady', 'Continuous', often), probe('flutters', 'Continuous', often)],
    { scripts },
  );
  await runner.preChaos();
  for (let time = 0; time < 99; time += 1) await clock.advance(10);
  await runner.abort();
  const count = (line: string): number => logged.filter((one) => one === line).length;
  assert.equal(count('steady: probe passed'), 10);
  assert.equal(count('flutters: probe did not pass'), 2);
});

test('probes of the same name are kept apart', async () => {
  const { runner } = rig([probe('same', 'SOT'), probe('same', 'EOT')]);
  await runner.preChaos();
  assert.deepEqual(show(runner), ['same Passed passed in run 1', 'same Awaited -']);
});

test('long texts are cut, in the status and in the outcome', async () => {
  const { runner, kind } = rig([probe('long', 'SOT'), probe('broken', 'SOT')]);
  const long = 'x'.repeat(5000);
  const cut = /x{2048}… \(5000 characters\)$/;
  kind.measure = async ({ name }) =>
    name === 'long'
      ? { outcome: 'passed', description: long }
      : { outcome: 'error', code: 'CMD_PROBE_ERROR', reason: long };
  assert.match(brief(await runner.preChaos()), cut);
  for (const { status } of runner.statuses()) assert.match(status.description ?? '', cut);
});

test('a probe reports its finding the first time, and whenever it changes', async () => {
  const changes: string[] = [];
  const outcomes = ['passed', 'passed', 'failure'] as const;
  const { runner, clock } = rig(
    [probe('beat', 'Continuous', { probePollingInterval: '10s' }), probe('edge', 'Edge')],
    {
      scripts: { beat: outcomes.map((outcome) => ({ outcome })) },
      options: { onChange: (change) => changes.push(`${change.probe} ${change.outcome}: ${change.text}`) },
    },
  );
  assert.equal(await during(clock, runner.preChaos()), 'ok');
  await clock.advance(25_000);
  await during(clock, runner.postChaos());
  assert.deepEqual(changes, [
    'beat passed: passed in run 1',
    'edge passed: passed in run 1',
    'beat failure: failed in run 3',
  ]);
});
