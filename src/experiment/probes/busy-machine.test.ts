import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '@turnsole/kube/base/clock';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { runAttempts } from './attempts.ts';
import { Evidence } from './evidence.ts';
import type { Measurement } from './outcome.ts';

const PASSED: Measurement = { outcome: 'passed', description: 'status 200' };

/** A machine on which the event loop can be held up: time passes, and no timer fires until it has. */
class Machine {
  readonly fake = new FakeClock();
  #stalledMs = 0;
  readonly clock: Clock = {
    now: () => this.fake.now() + this.#stalledMs,
    monotonic: () => this.fake.monotonic() + this.#stalledMs,
    sleep: (ms, signal) => this.fake.sleep(ms, signal),
    setTimer: (ms, callback) => this.fake.setTimer(ms, callback),
  };

  stall(ms: number): void {
    this.#stalledMs += ms;
  }

  run(measure: (signal: AbortSignal, attempt: number) => Promise<Measurement>): Promise<Measurement> {
    let attempt = 0;
    return runAttempts({
      type: 'httpProbe',
      limits: { timeoutMs: 1_000, attempts: 1, intervalMs: 0 },
      clock: this.clock,
      signal: new AbortController().signal,
      subject: () => 'GET http://web/',
      measure: (signal) => {
        attempt += 1;
        return measure(signal, attempt);
      },
    });
  }
}

describe('an attempt of a probe on a busy machine', () => {
  it('fails where the application does not answer in time, and the probe had the processor', async () => {
    const machine = new Machine();
    const result = machine.run(() => new Promise(() => {}));
    await machine.fake.advance(1_000);
    const measurement = await result;
    assert.equal(measurement.outcome, 'failure');
    assert.equal(measurement.latencyMs, 1_000);
  });

  it('is made anew where its limit is over only for want of a processor', async () => {
    const machine = new Machine();
    const answer = Promise.withResolvers<Measurement>();
    const result = machine.run((_signal, attempt) =>
      attempt === 1 ? answer.promise : Promise.resolve(PASSED),
    );
    await machine.fake.advance(100);
    // The application may have answered at once: the loop did not look for 4 s.
    machine.stall(4_000);
    answer.resolve(PASSED);
    assert.deepEqual(await result, { ...PASSED, latencyMs: 0 });
  });

  it('is not measured where no processor is given at all, and says so', async () => {
    const machine = new Machine();
    let tries = 0;
    const result = machine.run(async () => {
      tries += 1;
      machine.stall(4_000);
      return PASSED;
    });
    const measurement = await result;
    assert.equal(tries, 3);
    assert.ok(measurement.outcome === 'error' && measurement.isTooBusy === true);
    assert.match(
      measurement.reason,
      /^not measured: GET http:\/\/web\/: this machine was too busy; the attempt had 4 s, in 4 s of which/,
    );
  });

  it('ends at its cap where each look is late', async () => {
    const machine = new Machine();
    const result = machine.run(() => new Promise(() => {}));
    let isOver = false;
    void result.then(() => {
      isOver = true;
    });
    for (let step = 0; step < 1_000 && !isOver; step += 1) {
      machine.stall(500);
      await machine.fake.advance(1);
    }
    const measurement = await result;
    assert.ok(measurement.outcome === 'error' && measurement.isTooBusy === true);
  });

  it('that fails with an answer fails, however late it was read', async () => {
    const machine = new Machine();
    const failure: Measurement = { outcome: 'failure', code: 'HTTP_PROBE_FAILURE', reason: 'status 503' };
    const result = machine.run(async () => {
      machine.stall(4_000);
      return failure;
    });
    assert.deepEqual(await result, failure);
  });

  it('has no latency where most of the time was the wait of the probe itself', async () => {
    const machine = new Machine();
    const measured = { what: 'response time', value: 700, unit: 'ms' };
    const result = await machine.run(async () => {
      machine.stall(700);
      return { ...PASSED, latencyMs: 700, measured };
    });
    assert.deepEqual(result, PASSED);
  });
});

const TOO_BUSY: Measurement = {
  outcome: 'error',
  code: 'HTTP_PROBE_ERROR',
  reason: 'not measured',
  isTooBusy: true,
};

describe('what runs come to of which some were not measured', () => {
  const decisive = (...runs: readonly Measurement[]): Measurement | undefined => {
    const evidence = new Evidence(false, false);
    evidence.injected(0);
    for (const [index, measurement] of runs.entries()) {
      evidence.add({ measurement, times: { beganMs: index, endedMs: index + 1 } });
    }
    assert.equal(evidence.summary().measurements, runs.filter((run) => run !== TOO_BUSY).length);
    return evidence.decisive?.measurement;
  };
  const failure: Measurement = { outcome: 'failure', code: 'HTTP_PROBE_FAILURE', reason: 'status 503' };

  for (const [name, runs, expected] of [
    ['a few that were not do not matter', [PASSED, TOO_BUSY, PASSED], undefined],
    ['half of them is enough', [PASSED, TOO_BUSY], undefined],
    [
      'fewer are too little: neither a pass nor a failure',
      [TOO_BUSY, PASSED, TOO_BUSY],
      'error 2 of 3 measurements while the fault was in force could not be made, the first: not measured',
    ],
    ['a failure that was measured is one', [TOO_BUSY, failure, TOO_BUSY], 'failure status 503'],
  ] as const) {
    it(name, () => {
      const found = decisive(...runs);
      const text =
        found?.outcome === 'passed' || found === undefined ? undefined : `${found.outcome} ${found.reason}`;
      assert.equal(text, expected);
    });
  }
});
