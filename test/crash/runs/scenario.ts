import { Seeded } from '../../support/seeded.ts';

/** One thing that goes wrong, this long after the engine was made, or after the process that is killed began. */
export interface Blow {
  readonly afterMs: number;
  /** Counts from when the engine has something in force. */
  readonly inForce: boolean;
  readonly what:
    | 'kill runner'
    | 'kill experiment'
    | 'kill helper'
    | 'kill operator'
    | 'kill cluster'
    | 'drop connections'
    | 'stop engine'
    | 'delete engine';
}

/** What happens to one engine. */
export interface Scenario {
  readonly seed: number;
  readonly fault: 'mark-by-api' | 'mark-on-node';
  readonly durationSeconds: number;
  readonly policy: 'retain' | 'delete';
  readonly blows: readonly Blow[];
}

const KINDS: readonly Blow['what'][] = [
  'kill runner',
  'kill experiment',
  'kill experiment',
  'kill helper',
  'kill helper',
  'kill operator',
  'drop connections',
  'stop engine',
  'delete engine',
];
/** The whole cluster falls now and then: it takes a second or two to come back. */
const CLUSTER_SHARE = 0.04;

/** Whether it waits for a process of the engine. */
export function isOfProcess(what: Blow['what']): boolean {
  return what === 'kill runner' || what === 'kill experiment' || what === 'kill helper';
}

/** The scenario of a seed; the same for the same seed. What the world does meanwhile is not. */
export function scenarioOf(seed: number): Scenario {
  const random = new Seeded(Math.imul(seed, 0x9e3779b1));
  const fault = random.pick(['mark-by-api', 'mark-on-node'] as const);
  const durationSeconds = random.between(1, 2);
  const kinds = fault === 'mark-by-api' ? KINDS.filter((what) => what !== 'kill helper') : KINDS;
  const blow = (): Blow => {
    const what = random.chance(CLUSTER_SHARE) ? 'kill cluster' : random.pick(kinds);
    const inForce = random.chance(0.6);
    const latestMs = inForce
      ? durationSeconds * 600
      : durationSeconds * 1000 + (isOfProcess(what) ? 600 : 2000);
    return { what, inForce, afterMs: random.between(0, latestMs) };
  };
  return {
    seed,
    fault,
    durationSeconds,
    policy: random.pick(['retain', 'delete'] as const),
    blows: Array.from({ length: random.between(1, 3) }, blow),
  };
}
