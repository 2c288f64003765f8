import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../kube/client/types.ts';
import { FakeClock } from '../../kube/runtime/fake-clock.ts';
import type { Fault, FaultContext } from '../fault.ts';
import { LedgerBook } from '../ledger/ledger-book.ts';
import type { MergePatch } from '../result/merge-patch.ts';
import { fault } from '../testing/builders.ts';
import { Injector } from './injector.ts';
import { type PulseInput, runPulse } from './pulse.ts';
import { revertOpen, runSustained } from './sustained.ts';

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
  const ledger = new LedgerBook({
    fault: acting,
    clock,
    holdMs: 0,
    sink: { write: async (patch) => void patches.push(patch) },
  });
  const injector = new Injector({ fault: acting, tunables: {}, context, ledger, runId: 'run' });
  return { clock, stop, log, patches, context, ledger, injector, fault: acting, write };
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
  assert.equal(await drive(flaky.clock, sustained(flaky)), 'done at 10.4');
  assert.deepEqual(flaky.ledger.open, []);
  const broken = scene({ ...held, revert: () => Promise.reject(new Error('busy')) });
  assert.match(await drive(broken.clock, sustained(broken)), /cannot revert test-fault on pod a.*at 40$/);
  assert.deepEqual(
    broken.ledger.open.map(({ id }) => id),
    ['run.r0.a', 'run.r0.b'],
  );
});

test('open entries of a fault that leaves nothing behind are closed without doing anything', async () => {
  const set = scene();
  await set.ledger.plan([{ id: 'r0.a', target: { kind: 'pod', name: 'a' }, parameters: {} }]);
  await revertOpen(set);
  assert.deepEqual(set.log, []);
  assert.equal(set.ledger.ledger['r0.a']?.state, 'failed');
});
