import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PressureWatch } from './pressure-watch.ts';

/** A machine whose figures are set, and on which time passes with turns of the event loop or without. */
class Machine {
  readonly #fake = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  #stalledMs = 0;
  looks = 0;
  figures: { load?: number; cpuWaitPercent?: number } = {};
  readonly reader = {
    clock: {
      now: () => this.#fake.now() + this.#stalledMs,
      monotonic: () => this.#fake.monotonic() + this.#stalledMs,
      sleep: (ms: number, signal?: AbortSignal) => this.#fake.sleep(ms, signal),
      setTimer: (ms: number, callback: () => void) => this.#fake.setTimer(ms, callback),
    },
    cores: () => 2,
    load: () => {
      this.looks += 1;
      return this.figures.load;
    },
    cpuWaitPercent: () => this.figures.cpuWaitPercent,
  };

  run(ms: number): void {
    this.#fake.advanceSync(ms);
  }

  stall(ms: number): void {
    this.#stalledMs += ms;
  }

  get pending(): number {
    return this.#fake.pending;
  }
}

const at = (seconds: number): string =>
  new Date(Date.parse('2030-01-01T00:00:00Z') + seconds * 1000).toISOString();

test('a machine that counts nothing, and was never late', () => {
  const machine = new Machine();
  using watch = new PressureWatch(machine.reader);
  machine.run(10_000);
  assert.deepEqual(watch.worst(), { cores: 2, eventLoopLateMs: { value: 0, time: at(0) } });
});

test('the highest of each figure stays, with when it was read', () => {
  const machine = new Machine();
  using watch = new PressureWatch(machine.reader);
  machine.figures = { load: 3, cpuWaitPercent: 80 };
  machine.run(2_000);
  machine.figures = { load: 53, cpuWaitPercent: 20 };
  machine.run(2_000);
  machine.figures = { load: 1, cpuWaitPercent: 0 };
  machine.run(60_000);
  assert.deepEqual(watch.worst(), {
    cores: 2,
    eventLoopLateMs: { value: 0, time: at(0) },
    load: { value: 53, time: at(4) },
    cpuWaitPercent: { value: 80, time: at(2) },
  });
});

test('lateness is that of the worst turn, and no sum', () => {
  const machine = new Machine();
  using watch = new PressureWatch(machine.reader);
  machine.run(50);
  machine.stall(4_000);
  machine.run(50);
  machine.stall(700);
  machine.run(10_000);
  assert.deepEqual(watch.worst().eventLoopLateMs, { value: 4_000, time: at(4.1) });
});

test('lateness that has not ended counts until now, and the machine is looked at once more', () => {
  const machine = new Machine();
  using watch = new PressureWatch(machine.reader);
  machine.stall(1_100);
  machine.figures = { load: 53 };
  const { eventLoopLateMs, load } = watch.worst();
  assert.deepEqual([eventLoopLateMs.value, load?.value], [1_000, 53]);
});

test('it begins without a look, looks each two seconds, and ends', () => {
  const machine = new Machine();
  const watch = new PressureWatch(machine.reader);
  assert.equal(machine.looks, 0);
  machine.run(20_000);
  assert.equal(machine.looks, 10);
  watch[Symbol.dispose]();
  assert.equal(machine.pending, 0);
});
