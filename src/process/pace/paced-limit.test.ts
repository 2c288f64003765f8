import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { describeSpent, type Pace, PacedLimit, type PaceSources, type Spent } from './paced-limit.ts';

/** A machine on which time passes by hand: with turns of the event loop, without any, or with the processor given to others. */
class Machine implements PaceSources {
  readonly #fake = new FakeClock(0);
  #stalledMs = 0;
  ownMs = 0;
  childMs = 0;
  readonly clock = {
    now: () => 0,
    monotonic: () => this.#fake.monotonic() + this.#stalledMs,
    sleep: (ms: number, signal?: AbortSignal) => this.#fake.sleep(ms, signal),
    setTimer: (ms: number, callback: () => void) => this.#fake.setTimer(ms, callback),
  };
  readonly ownDelayMs = (): number => this.ownMs;

  limit(pace: Pace): PacedLimit {
    return new PacedLimit(
      { waitedMs: () => this.childMs, ...pace },
      (spent, isStarved) => new Error(isStarved ? 'starved' : 'over', { cause: spent }),
      this,
    );
  }

  run(ms: number): void {
    this.#fake.advanceSync(ms);
  }

  /** Time passes, and no timer fires until it has. */
  stall(ms: number): void {
    this.#stalledMs += ms;
  }
}

function reasonOf({ signal }: PacedLimit): { readonly message: string; readonly spent: Spent } | undefined {
  if (!signal.aborted) return undefined;
  assert.ok(signal.reason instanceof Error);
  return { message: signal.reason.message, spent: signal.reason.cause as Spent };
}

describe('a limit by pace', () => {
  it('is one of time where nothing else has the processor', () => {
    const machine = new Machine();
    const limit = machine.limit({ limitMs: 1_000 });
    machine.run(999);
    assert.equal(reasonOf(limit), undefined);
    assert.deepEqual(limit.spent(), { wallMs: 999, lostMs: 0 });
    machine.run(1);
    assert.deepEqual(reasonOf(limit), { message: 'over', spent: { wallMs: 1_000, lostMs: 0 } });
  });

  it('does not count the time in which the event loop was late', () => {
    const machine = new Machine();
    const limit = machine.limit({ limitMs: 1_000 });
    machine.run(500);
    machine.stall(4_000);
    machine.run(50);
    assert.equal(limit.signal.aborted, false);
    assert.deepEqual(limit.spent(), { wallMs: 4_550, lostMs: 4_000 });
    machine.run(449);
    assert.equal(limit.signal.aborted, false);
    machine.run(1);
    assert.deepEqual(reasonOf(limit), { message: 'over', spent: { wallMs: 5_000, lostMs: 4_000 } });
  });

  it('lets the loop read what arrived, when its last look is late', () => {
    const machine = new Machine();
    const limit = machine.limit({ limitMs: 1_000 });
    machine.run(990);
    machine.stall(4_000);
    machine.run(10);
    assert.equal(limit.signal.aborted, false, 'the loop has not come round since');
    machine.run(1);
    assert.equal(reasonOf(limit)?.message, 'over');
  });

  for (const who of ['ownMs', 'childMs'] as const) {
    it(`does not count waits for a processor: ${who}`, () => {
      const machine = new Machine();
      const limit = machine.limit({ limitMs: 1_000 });
      for (let step = 0; step < 20; step += 1) {
        machine[who] += 25;
        machine.run(50);
      }
      assert.equal(limit.signal.aborted, false);
      assert.deepEqual(limit.spent(), { wallMs: 1_000, lostMs: 500 });
      machine.run(500);
      assert.deepEqual(reasonOf(limit), { message: 'over', spent: { wallMs: 1_500, lostMs: 500 } });
    });
  }

  it('loses no more than the time that passed, however many processes waited', () => {
    const machine = new Machine();
    using limit = machine.limit({ limitMs: 1_000 });
    machine.childMs += 5_000;
    machine.run(50);
    assert.deepEqual(limit.spent(), { wallMs: 50, lostMs: 50 });
  });

  for (const [name, pace, endsAtMs] of [
    ['the one that was set', { limitMs: 1_000, capMs: 3_000 }, 3_000],
    ['ten times a short limit', { limitMs: 1_000 }, 10_000],
    ['a minute more than a long one', { limitMs: 20_000 }, 80_000],
  ] as const) {
    it(`ends at its cap where nothing gets a processor: ${name}`, () => {
      const machine = new Machine();
      const limit = machine.limit(pace);
      for (let ms = 0; ms < endsAtMs - 10; ms += 10) {
        machine.childMs += 10;
        machine.run(10);
      }
      assert.equal(limit.signal.aborted, false);
      machine.childMs += 10;
      machine.run(10);
      assert.deepEqual(reasonOf(limit), {
        message: 'starved',
        spent: { wallMs: endsAtMs, lostMs: endsAtMs },
      });
    });
  }

  it('never aborts once it is left', () => {
    const machine = new Machine();
    const limit = machine.limit({ limitMs: 1_000 });
    limit[Symbol.dispose]();
    machine.run(20_000);
    assert.equal(limit.signal.aborted, false);
  });
});

for (const [spent, text] of [
  [{ wallMs: 20_040, lostMs: 40 }, '20 s'],
  [
    { wallMs: 52_000, lostMs: 31_960 },
    '52 s, in 32 s of which this machine, being busy, gave it no processor',
  ],
] as const) {
  test(`the time is told: ${text}`, () => assert.equal(describeSpent(spent), text));
}
