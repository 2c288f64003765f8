import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../testing/fake-clock.ts';
import { type QueueState, WorkQueue } from './work-queue.ts';

test('a key is ready once however often it was added', async () => {
  const queue = new WorkQueue();
  queue.add('a');
  queue.add('b');
  queue.add('a');
  assert.equal(queue.state.ready, 2);
  assert.equal(await queue.get(), 'a');
  assert.equal(await queue.get(), 'b');
  assert.equal(queue.state.ready, 0);
});

test('a key that is added while taken comes back after done, at the end of the line', async () => {
  const queue = new WorkQueue();
  queue.add('a');
  assert.equal(await queue.get(), 'a');
  queue.add('a');
  queue.add('b');
  assert.equal(queue.state.ready, 1);
  queue.done('a');
  assert.deepEqual([await queue.get(), await queue.get()], ['b', 'a']);
});

test('failures of a key space its tries out until it is forgotten; other keys are not touched', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, backoff: { baseMs: 10, maxMs: 60, jitter: 'none' } });
  const delays = [1, 2, 3, 4, 5].map(() => queue.addRateLimited('a'));
  assert.deepEqual(delays, [10, 20, 40, 60, 60]);
  assert.equal(queue.failures('a'), 5);
  assert.equal(queue.addRateLimited('b'), 10);
  queue.forget('a');
  assert.equal(queue.addRateLimited('a'), 10);
  // Of one key's delays the earliest counts.
  assert.equal(queue.delayed, 2);
  await clock.advance(10);
  assert.deepEqual([queue.state.ready, queue.delayed, clock.pending], [2, 0, 0]);
});

test('shutdown hands out what is ready or drops it, and waits for what is taken', async () => {
  for (const drain of [true, false]) {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('later', 1_000);
    assert.equal(await queue.get(), 'a');
    queue.add('a');
    let isOver = false;
    const over = queue.shutdown({ drain }).then(() => {
      isOver = true;
    });
    queue.add('ignored');
    queue.addAfter('ignored', 5);
    assert.equal(clock.pending, 0);
    const rest: (string | undefined)[] = [];
    const worker = (async () => {
      for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
        rest.push(key);
        queue.done(key);
      }
    })();
    await clock.advance(0);
    assert.equal(isOver, false);
    queue.done('a');
    await Promise.all([over, worker]);
    assert.deepEqual(rest, drain ? ['b', 'a'] : []);
  }
});

test('tells how long keys waited and were worked on, and what it holds when it is asked', async () => {
  const clock = new FakeClock();
  const reported: string[] = [];
  let read: (() => QueueState) | undefined;
  const queue = new WorkQueue({
    clock,
    metrics: {
      opened: (reader) => {
        read = reader;
      },
      added: () => reported.push('added'),
      waited: (seconds) => reported.push(`waited ${seconds}`),
      worked: (seconds) => reported.push(`worked ${seconds}`),
      retried: () => reported.push('retried'),
    },
  });
  const idle = { ready: 0, taken: 0, unfinishedSeconds: 0, longestSeconds: 0 };
  assert.deepEqual(read?.(), idle);
  queue.add('a');
  queue.add('a');
  queue.add('b');
  assert.deepEqual(read?.(), { ...idle, ready: 2 });
  clock.advanceSync(2_000);
  await queue.get();
  clock.advanceSync(500);
  await queue.get();
  clock.advanceSync(250);
  assert.deepEqual(read?.(), { ready: 0, taken: 2, unfinishedSeconds: 1, longestSeconds: 0.75 });
  queue.addRateLimited('a');
  queue.done('a');
  queue.done('b');
  assert.deepEqual(read?.(), idle);
  assert.deepEqual(reported, [
    'added',
    'added',
    'waited 2',
    'waited 2.5',
    'retried',
    'worked 0.75',
    'worked 0.25',
  ]);
});

/** The queue said as simply as possible: lists, and a look at everything each time. */
class Model {
  now = 0;
  ready: string[] = [];
  taken = new Map<string, boolean>();
  delayed: { key: string; at: number; order: number }[] = [];
  #order = 0;

  add(key: string): void {
    if (this.taken.has(key)) this.taken.set(key, true);
    else if (!this.ready.includes(key)) this.ready.push(key);
  }

  addAfter(key: string, ms: number): void {
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const at = this.now + ms;
    const known = this.delayed.find((entry) => entry.key === key);
    if (known === undefined) this.delayed.push({ key, at, order: this.#order++ });
    else if (known.at > at) Object.assign(known, { at, order: this.#order++ });
  }

  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const due = this.delayed.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      const next = due[0];
      if (next === undefined) break;
      this.now = next.at;
      // Keys due at the same moment become ready together; their order does not matter.
      const together = due.filter(({ at }) => at === next.at);
      this.delayed = this.delayed.filter((entry) => !together.includes(entry));
      for (const { key } of together) this.add(key);
    }
    this.now = end;
  }

  take(): string | undefined {
    const key = this.ready.shift();
    if (key !== undefined) this.taken.set(key, false);
    return key;
  }

  done(key: string): void {
    const again = this.taken.get(key);
    this.taken.delete(key);
    if (again === true) this.add(key);
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
/** Delays that never fall due at the same moment, as the order of such keys is left open. */
const command = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key }),
  fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: -1, max: 50 }) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(40) }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), index: fc.nat(4) }),
);

test('does what a trivial model does, whatever the order of calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60, size: 'max' }), async (commands) => {
      const clock = new FakeClock(0);
      const queue = new WorkQueue({ clock });
      const model = new Model();
      for (const [index, step] of commands.entries()) {
        switch (step.do) {
          case 'add':
            queue.add(step.key);
            model.add(step.key);
            break;
          case 'addAfter': {
            const ms = step.ms <= 0 ? step.ms : step.ms + index / 1_024;
            queue.addAfter(step.key, ms);
            model.addAfter(step.key, ms);
            break;
          }
          case 'pass':
            clock.advanceSync(step.ms);
            model.pass(step.ms);
            break;
          case 'take':
            if (model.ready.length > 0) assert.equal(await queue.get(), model.take());
            break;
          case 'done': {
            const taken = [...model.taken.keys()][step.index];
            if (taken === undefined) break;
            queue.done(taken);
            model.done(taken);
            break;
          }
        }
        assert.deepEqual(
          [queue.state.ready, queue.state.taken, queue.delayed],
          [model.ready.length, model.taken.size, model.delayed.length],
        );
      }
    }),
    { numRuns: 300 },
  );
});

test('with several workers: never one key twice at a time, and every add is followed by a pass', async () => {
  const work = fc.record({
    adds: fc.array(fc.record({ key, atMs: fc.nat(100), how: fc.constantFrom('add', 'after', 'limited') }), {
      maxLength: 40,
      size: 'max',
    }),
    workers: fc.integer({ min: 1, max: 4 }),
    passMs: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(work, async ({ adds, workers, passMs }) => {
      const clock = new FakeClock(0);
      const queue = new WorkQueue({ clock, random: () => 0.5 });
      const busy = new Set<string>();
      const lastStart = new Map<string, number>();
      const owed = new Map<string, number>();
      let passes = 0;
      const run = async (): Promise<void> => {
        for (let taken = await queue.get(); taken !== undefined; taken = await queue.get()) {
          assert.equal(busy.has(taken), false, 'two workers have one key');
          busy.add(taken);
          lastStart.set(taken, clock.now());
          owed.delete(taken);
          passes += 1;
          await clock.sleep(passMs[passes % passMs.length] ?? 0);
          busy.delete(taken);
          queue.done(taken);
        }
      };
      const all = Promise.all(Array.from({ length: workers }, run));
      for (const { key: added, atMs, how } of adds) {
        clock.setTimer(atMs, () => {
          owed.set(added, clock.now());
          if (how === 'add') queue.add(added);
          else if (how === 'after') queue.addAfter(added, 20);
          else queue.addRateLimited(added);
        });
      }
      // Workers and timers move on together: each timer, then what it woke.
      while (clock.pending > 0) await clock.advance(clock.nextInMs ?? 0);
      assert.deepEqual([...owed.keys()], [], 'an add was never followed by a pass');
      assert.ok(passes <= adds.length, 'more passes than adds');
      await queue.shutdown({ drain: true });
      await all;
    }),
    { numRuns: 40 },
  );
});
