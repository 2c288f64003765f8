import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { MergePatch } from '@turnsole/kube/text/merge-patch';
import { ResultError } from './errors.ts';
import type { Fault, FaultContext } from './fault.ts';
import { Injector } from './injector.ts';
import { LedgerBook } from './ledger/ledger-book.ts';
import { type PulseInput, runPulse } from './pulse.ts';
import { revertOpen, runSustained } from './sustained.ts';
import { fault } from './testing/builders.ts';
import type { Unwanted } from './while-wanted.ts';

/** An answer that does not come. */
const NEVER = new Promise<never>(() => {});
const START = Date.parse('2030-01-01T00:00:00Z');

/** A fault that notes when it does what, on a clock that is moved by hand. */
function scene(change: Partial<Fault> = {}, settleMs = 0) {
  const clock = new FakeClock(START);
  const stop = new AbortController();
  const log: string[] = [];
  const patches: MergePatch[] = [];
  const write = (verb: string, name: string): void => {
    log.push(`${(clock.now() - START) / 1000} ${verb} ${name}`);
  };
  const acting = fault({
    inject: async ({ target }) => write('hit', target.name),
    revert: async ({ target }) => write('undo', target.name),
    settle: async (injections, { signal }) => {
      if (settleMs > 0) await clock.sleep(settleMs, signal);
      write('settled', injections.map(({ target }) => target.name).join('+'));
    },
    ...change,
  });
  const context: FaultContext = {
    // The faults of this file use no API.
    client: {} as KubeClient,
    clock,
    random: () => 0,
    signal: stop.signal,
    recoveryTimeoutMs: 60_000,
    note: () => {},
  };
  const sink = { write: async (patch: MergePatch): Promise<void> => void patches.push(patch) };
  const ledger = new LedgerBook({
    fault: acting,
    clock,
    holdMs: 0,
    sink,
  });
  const injector = new Injector({ fault: acting, tunables: {}, context, ledger, runId: 'run' });
  return { clock, stop, log, patches, sink, context, ledger, injector, fault: acting, write };
}

const targets = ['a', 'b'].map((name) => ({ kind: 'pod', name }));

function pulse(set: ReturnType<typeof scene>, change: Partial<PulseInput> = {}): Promise<void> {
  return runPulse({
    fault: set.fault,
    injector: set.injector,
    context: set.context,
    durationMs: 15_000,
    interval: { lowMs: 5_000, highMs: 5_000 },
    sequence: 'parallel',
    interPodKillIntervalMs: 0,
    targetsOf: () => Promise.resolve(targets),
    onRound: (round) => set.write('round', String(round)),
    ...change,
  });
}

/** Moves time on until the promise is settled, and gives the outcome and when. */
async function drive(clock: FakeClock, promise: Promise<void>): Promise<string> {
  let outcome: string | undefined;
  promise.then(
    () => {
      outcome = `done at ${(clock.now() - START) / 1000}`;
    },
    (error: Error) => {
      outcome = `${error.message} at ${(clock.now() - START) / 1000}`;
    },
  );
  for (let turn = 0; outcome === undefined && turn < 10_000; turn++) await clock.advance(100);
  return outcome ?? 'never';
}

/** A fault is wanted at first, and no more after a while. */
function soonUnwanted(clock: FakeClock, ms: number): Unwanted {
  return (signal, onWanted) => {
    onWanted();
    return clock.sleep(ms, signal);
  };
}

test('15 s at 5 s are rounds at 0, 5 and 10, and the end is at 15', async () => {
  const set = scene();
  assert.equal(await drive(set.clock, pulse(set)), 'done at 15');
  assert.deepEqual(
    set.log.filter((line) => line.includes('round')),
    ['0 round 0', '5 round 1', '10 round 2'],
  );
  assert.deepEqual(set.log.slice(0, 4), ['0 round 0', '0 hit a', '0 hit b', '0 settled a+b']);
});

test('recovering goes on beside the interval; a longer one delays the next round and the end', async () => {
  const set = scene({}, 7_000);
  assert.equal(await drive(set.clock, pulse(set)), 'done at 21');
  assert.deepEqual(
    set.log.filter((line) => line.includes('round') || line.includes('settled')),
    ['0 round 0', '7 settled a+b', '7 round 1', '14 settled a+b', '14 round 2', '21 settled a+b'],
  );
});

test('serial hits one by one with an interval after each, and more between two pods of a round', async () => {
  const set = scene();
  const done = pulse(set, { sequence: 'serial', interPodKillIntervalMs: 1_000 });
  assert.equal(await drive(set.clock, done), 'done at 15');
  assert.deepEqual(
    set.log.filter((line) => !line.includes('settled')),
    ['0 round 0', '0 hit a', '6 hit b', '11 round 1', '11 hit a'],
  );
});

test('what is done only once is done at the beginning; then its time passes, or longer if it has to recover', async () => {
  for (const [settleMs, end] of [
    [0, 15],
    [20_000, 20],
  ] as const) {
    const set = scene({ once: true }, settleMs);
    assert.equal(await drive(set.clock, pulse(set)), `done at ${end}`);
    assert.deepEqual(
      set.log.filter((line) => !line.includes('settled')),
      ['0 round 0', '0 hit a', '0 hit b'],
    );
  }
});

test('a recovery that fails ends the rounds at once', async () => {
  const set = scene({ settle: () => Promise.reject(new Error('not ready')) });
  assert.equal(await drive(set.clock, pulse(set)), 'not ready at 0');
});

test('what has to be refused is refused before anything is hit', async () => {
  const refusing: Fault['plan'] = ({ targets: [target, other] }) => {
    if (target?.name === 'b' || other?.name === 'b') throw new Error('b is refused');
    return target === undefined ? [] : [{ id: target.name, target, parameters: {} }];
  };
  const set = scene({ plan: refusing });
  assert.equal(await drive(set.clock, pulse(set, { sequence: 'serial' })), 'b is refused at 0');
  assert.deepEqual(set.log, []);
});

test('an abort ends the wait at once', async () => {
  const set = scene();
  const done = pulse(set);
  await set.clock.advance(7_000);
  set.stop.abort(new Error('stopped'));
  assert.equal(await drive(set.clock, done), 'stopped at 7');
  assert.deepEqual(
    set.log.filter((line) => line.includes('round')),
    ['0 round 0', '5 round 1'],
  );
});

test('everything is in the ledger as planned before it is hit, and marked after', async () => {
  const set = scene({
    inject: async ({ id }) =>
      set.write(set.patches.some((patch) => JSON.stringify(patch).includes(id)) ? 'known' : 'unknown', id),
  });
  await drive(set.clock, pulse(set, { durationMs: 1_000 }));
  assert.deepEqual(
    set.log.filter((line) => line.includes('known')),
    ['0 known run.r0.a', '0 known run.r0.b'],
  );
  assert.deepEqual(
    Object.values(set.ledger.ledger).map(({ state }) => state),
    ['done', 'done'],
  );
  assert.deepEqual(set.ledger.targets, [
    { kind: 'pod', name: 'a', chaosStatus: 'targeted' },
    { kind: 'pod', name: 'b', chaosStatus: 'targeted' },
  ]);
});

const held = { shape: 'sustained' } as const;

function sustained(
  set: ReturnType<typeof scene>,
  sequence: 'serial' | 'parallel' = 'parallel',
): Promise<void> {
  const { injector, ledger, context } = set;
  const onStep = (): void => set.write('step', '');
  return runSustained({ injector, ledger, context, durationMs: 10_000, sequence, targets, onStep });
}

test('a fault that is held is reverted after its time; serial takes the whole time for each', async () => {
  const parallel = scene(held);
  assert.equal(await drive(parallel.clock, sustained(parallel)), 'done at 10');
  assert.deepEqual(parallel.log, ['0 step ', '0 hit a', '0 hit b', '10 undo a', '10 undo b']);
  const serial = scene(held);
  assert.equal(await drive(serial.clock, sustained(serial, 'serial')), 'done at 20');
  assert.deepEqual(serial.log, ['0 step ', '0 hit a', '10 undo a', '10 step ', '10 hit b', '20 undo b']);
  assert.deepEqual(
    serial.ledger.targets.map(({ chaosStatus }) => chaosStatus),
    ['reverted', 'reverted'],
  );
});

test('what was injected is reverted when another target fails, and the one that failed too', async () => {
  const set = scene({
    ...held,
    inject: async ({ target }) => {
      if (target.name === 'b') throw new Error('no tc here');
      set.write('hit', target.name);
    },
  });
  assert.match(await drive(set.clock, sustained(set)), /^cannot inject test-fault into pod b at 0$/);
  assert.deepEqual(set.log, ['0 step ', '0 hit a', '0 undo a', '0 undo b']);
});

test('what was held is waited for after its revert, but not when it was ended before its time', async () => {
  const whole = scene({ shape: 'sustained' });
  const held = (set: ReturnType<typeof scene>, more: object = {}): Promise<void> =>
    runSustained({
      ...{ injector: set.injector, ledger: set.ledger, context: set.context, durationMs: 15_000 },
      sequence: 'parallel',
      targets,
      onStep: () => {},
      settle: async (injections) => set.fault.settle?.(injections, set.context),
      ...more,
    });
  assert.equal(await drive(whole.clock, held(whole)), 'done at 15');
  assert.deepEqual(whole.log.slice(-3), ['15 undo a', '15 undo b', '15 settled a+b']);
  const unwanted = scene({ shape: 'sustained' });
  const soon = soonUnwanted(unwanted.clock, 3_000);
  assert.equal(await drive(unwanted.clock, held(unwanted, { unwanted: soon })), 'done at 3');
  assert.deepEqual(unwanted.log.slice(-2), ['3 undo a', '3 undo b']);
});

test('an abort while a fault is held reverts it', async () => {
  const set = scene(held);
  const done = sustained(set);
  await set.clock.advance(3_000);
  set.stop.abort(new Error('stopped'));
  assert.equal(await drive(set.clock, done), 'stopped at 3');
  assert.deepEqual(set.log.slice(-2), ['3 undo a', '3 undo b']);
  assert.deepEqual(set.ledger.open, []);
});

test('a revert that fails is tried again; in the end its entry stays open', async () => {
  let failures = 3;
  const flaky = scene({
    ...held,
    revert: async () => {
      if (failures-- > 0) throw new Error('busy');
    },
  });
  assert.equal(await drive(flaky.clock, sustained(flaky)), 'done at 10.6');
  assert.deepEqual(flaky.ledger.open, []);
  const broken = scene({ ...held, revert: () => Promise.reject(new Error('busy')) });
  assert.match(await drive(broken.clock, sustained(broken)), /cannot revert test-fault on pod a.*at 41$/);
  assert.deepEqual(
    broken.ledger.open.map(({ id }) => id),
    ['run.r0.a', 'run.r0.b'],
  );
});

test('a fault that is not wanted any more is reverted then, whatever the server says of its ledger', async () => {
  const set = scene(held);
  const { injector, ledger, context } = set;
  // Falls silent as soon as everything is planned.
  set.sink.write = (patch) => {
    set.patches.push(patch);
    return set.patches.length === 1 || set.clock.now() > START + 20_000 ? Promise.resolve() : NEVER;
  };
  const done = runSustained({
    injector,
    ledger,
    context,
    durationMs: 60_000,
    sequence: 'parallel',
    targets,
    onStep: () => {},
    unwanted: async (signal, onWanted) => {
      onWanted();
      await set.clock.sleep(5_000, signal);
      throw new Error('out of reach');
    },
  });
  done.catch(() => {});
  for (let turn = 0; turn < 100; turn++) await set.clock.advance(100);
  assert.deepEqual(set.log, ['0 hit a', '0 hit b', '5 undo a', '5 undo b']);
});

test('an injection under way that is not wanted any more is ended before the revert', async () => {
  const set = scene({
    ...held,
    inject: async ({ target }, { signal }) => {
      set.write('begin', target.name);
      await set.clock.sleep(60_000, signal).catch((error: unknown) => {
        set.write('end', target.name);
        throw error;
      });
    },
  });
  const { injector, ledger, context } = set;
  const unwanted = soonUnwanted(set.clock, 5_000);
  const onStep = (): void => {};
  const done = runSustained({
    injector,
    ledger,
    context,
    durationMs: 60_000,
    sequence: 'parallel',
    targets,
    onStep,
    unwanted,
  });
  assert.equal(await drive(set.clock, done), 'done at 5');
  assert.deepEqual(set.log, ['0 begin a', '0 begin b', '5 end a', '5 end b', '5 undo a', '5 undo b']);
});

test('nothing is injected before it is known that the fault is wanted, and nothing at all when it is not', async () => {
  for (const isWanted of [true, false]) {
    const set = scene({ shape: 'sustained' });
    const { injector, ledger, context } = set;
    const unwanted: Unwanted = async (signal, onWanted) => {
      // As long as the server takes to answer.
      await set.clock.sleep(2_000, signal);
      if (!isWanted) return;
      onWanted();
      await set.clock.sleep(100_000, signal);
    };
    const onStep = (): void => {};
    const sequence = 'parallel';
    const options = {
      injector,
      ledger,
      context,
      durationMs: 10_000,
      sequence,
      targets,
      onStep,
      unwanted,
    } as const;
    assert.equal(await drive(set.clock, runSustained(options)), isWanted ? 'done at 12' : 'done at 2');
    assert.deepEqual(set.log, isWanted ? ['2 hit a', '2 hit b', '12 undo a', '12 undo b'] : []);
    const states = Object.values(ledger.ledger).map(({ state }) => state);
    assert.deepEqual(states, isWanted ? ['reverted', 'reverted'] : ['failed', 'failed']);
  }
});

test('an injection that does not listen is reverted in time, and once more when it has ended, open until then', async () => {
  let openWhenHit: readonly string[] = [];
  const set = scene({
    ...held,
    inject: async ({ target }) => {
      await set.clock.sleep(20_000);
      set.write('hit', target.name);
      openWhenHit = set.ledger.open.map(({ id }) => id);
    },
  });
  const { injector, ledger, context } = set;
  const done = runSustained({
    injector,
    ledger,
    context,
    durationMs: 60_000,
    sequence: 'parallel',
    targets: targets.slice(0, 1),
    onStep: () => {},
    unwanted: soonUnwanted(set.clock, 5_000),
  });
  assert.equal(await drive(set.clock, done), 'done at 20');
  assert.deepEqual(set.log, ['6 undo a', '20 hit a', '20 undo a']);
  assert.equal(openWhenHit.length, 1, 'a closed entry would say that nothing is in force');
  assert.deepEqual(ledger.open, []);
});

test('what was reverted while the server was out of reach is stored when it is back', async () => {
  const set = scene(held);
  const backAt = START + 300_000;
  set.sink.write = async (patch) => {
    const now = set.clock.now();
    if (now > START && now < backAt) {
      await set.clock.sleep(30_000);
      throw new ResultError('cannot write', { cause: new ConnectionError('PATCH', 'refused') });
    }
    set.patches.push(patch);
  };
  const outcome = await drive(set.clock, sustained(set));
  assert.match(outcome, /^done at 3[0-3]\d(\.\d)?$/);
  assert.deepEqual(set.log.slice(-2), ['10 undo a', '10 undo b']);
  assert.match(JSON.stringify(set.patches.at(-1)), /"run.r0.a":.*"state":"reverted"/);
});

test('open entries of a fault that leaves nothing behind are closed without doing anything', async () => {
  const set = scene();
  await set.ledger.plan([{ id: 'r0.a', target: { kind: 'pod', name: 'a' }, parameters: {} }]);
  await revertOpen(set);
  assert.deepEqual(set.log, []);
  assert.equal(set.ledger.ledger['r0.a']?.state, 'failed');
});
