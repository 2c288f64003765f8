import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import { at, pod, START_MS } from '../testing/builders.ts';
import { NO_FAILURES } from './backoff.ts';
import { decideJob, type JobStep } from './decide-job.ts';
import { terminalCondition } from './job-conditions.ts';
import { isTracked, newJobPod } from './job-pods.ts';

/** What befalls a pod, or the controller. A crash keeps what was stored up to some point of a step and nothing after. */
type Move =
  | { readonly type: 'succeed' | 'fail' | 'delete'; readonly pick: number }
  | { readonly type: 'step'; readonly crashAfter: 'nothing' | 'pods' | 'status' | 'release' };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    type: fc.constantFrom('succeed' as const, 'fail' as const, 'delete' as const),
    pick: fc.nat({ max: 20 }),
  }),
  fc.record({
    type: fc.constant('step' as const),
    crashAfter: fc.constantFrom('nothing' as const, 'pods' as const, 'status' as const, 'release' as const),
  }),
);

/** A job and its pods on a server without watch, and what really became of each pod. */
class World {
  job: Job;
  pods: Pod[] = [];
  readonly outcomes = new Map<string, 'succeeded' | 'failed' | 'removed'>();
  #serial = 0;

  constructor(completions: number, parallelism: number, backoffLimit: number) {
    const template = { spec: { containers: [{ name: 'm', image: 'i' }], restartPolicy: 'Never' } };
    this.job = {
      metadata: { name: 'work', namespace: 'default', uid: 'uid-work' },
      spec: { completions, parallelism, backoffLimit, template },
    };
  }

  befall(type: 'succeed' | 'fail' | 'delete', pick: number): void {
    const running = this.pods.filter(({ status }) => status?.phase === 'Running');
    const candidates = type === 'delete' ? this.pods : running;
    const chosen = candidates[pick % Math.max(1, candidates.length)];
    if (chosen === undefined) return;
    const { name, deletionTimestamp } = chosen.metadata;
    if (type === 'delete') {
      // Deleted while it ran: it counts as failed from this moment on.
      if (!this.outcomes.has(name)) this.outcomes.set(name, 'failed');
      this.#replace(name, { metadata: { ...chosen.metadata, deletionTimestamp: at(0) } });
      return;
    }
    const phase = type === 'succeed' ? 'Succeeded' : 'Failed';
    // A pod that was deleted may still end well; how it counts depends on what was seen first.
    if (deletionTimestamp !== undefined && type === 'succeed') return;
    if (!this.outcomes.has(name)) this.outcomes.set(name, type === 'succeed' ? 'succeeded' : 'failed');
    this.#replace(name, { status: { ...chosen.status, phase } });
  }

  step(crashAfter: 'nothing' | 'pods' | 'status' | 'release'): JobStep {
    const step = decideJob({
      job: this.job,
      pods: this.pods,
      streak: NO_FAILURES,
      backoff: { baseMs: 0, maxMs: 0 },
      nowMs: START_MS,
    });
    for (const { metadata } of step.delete) {
      this.outcomes.set(metadata.name, step.deleteUncounted ? 'removed' : 'failed');
      if (step.deleteUncounted) this.#release(metadata.name);
      const present = this.pods.find((one) => one.metadata.name === metadata.name);
      if (present !== undefined) {
        this.#replace(metadata.name, { metadata: { ...present.metadata, deletionTimestamp: at(0) } });
      }
    }
    for (const index of step.create) {
      const name = `work-${this.#serial++}`;
      const made = newJobPod(this.job, index);
      this.pods.push(pod(name, { finalizers: made.metadata.finalizers ?? [] }));
    }
    if (crashAfter === 'pods') return step;
    if (step.status !== undefined) this.job = { ...this.job, status: step.status };
    if (crashAfter === 'status') return step;
    for (const [index, { metadata }] of step.release.entries()) {
      if (crashAfter === 'release' && index > 0) return step;
      this.#release(metadata.name);
    }
    return step;
  }

  #release(name: string): void {
    const present = this.pods.find((one) => one.metadata.name === name);
    if (present === undefined) return;
    const { finalizers: _, ...metadata } = present.metadata;
    this.#replace(name, { metadata });
  }

  /** What is going and held by nothing is gone. */
  #replace(name: string, change: Partial<Pod>): void {
    this.pods = this.pods
      .map((one) => (one.metadata.name === name ? { ...one, ...change } : one))
      .filter((one) => one.metadata.deletionTimestamp === undefined || isTracked(one));
  }
}

test('each pod is counted once and right, whatever ends, is deleted, or crashes when', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 4 }),
      fc.array(move, { maxLength: 60 }),
      (completions, parallelism, backoffLimit, moves) => {
        const world = new World(completions, parallelism, backoffLimit);
        for (const one of moves) {
          if (one.type === 'step') world.step(one.crashAfter);
          else world.befall(one.type, one.pick);
          const active = world.pods.filter(
            ({ status, metadata }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined,
          );
          assert.ok(active.length <= parallelism, `${active.length} pods run`);
        }
        // From here on all goes well: what runs succeeds, and nothing crashes.
        for (let round = 0; round < 60 && terminalCondition(world.job) === undefined; round++) {
          for (let pick = 0; pick < 5; pick++) world.befall('succeed', 0);
          world.step('nothing');
        }
        world.step('nothing');
        const end = terminalCondition(world.job);
        assert.ok(end !== undefined, 'the job ends');
        const count = (outcome: string) =>
          [...world.outcomes.values()].filter((one) => one === outcome).length;
        assert.equal(world.job.status?.failed ?? 0, count('failed'));
        assert.equal(world.job.status?.succeeded ?? 0, count('succeeded'));
        assert.deepEqual(world.job.status?.uncountedTerminatedPods, {});
        assert.equal(end.type, count('failed') > backoffLimit ? 'Failed' : 'Complete');
        assert.ok(!world.pods.some(isTracked), 'no finalizer is left');
      },
    ),
    { numRuns: 300 },
  );
});
