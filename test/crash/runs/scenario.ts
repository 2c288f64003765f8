import { Seeded } from '../../support/seeded.ts';

/** One thing that goes wrong, this long after the engine was made. */
export interface Blow {
  readonly afterMs: number;
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

/** The scenario of a seed; the same for the same seed. What the world does meanwhile is not. */
export function scenarioOf(seed: number): Scenario {
  const random = new Seeded(seed);
  const durationSeconds = random.between(1, 2);
  const latestMs = 1500 + durationSeconds * 1000;
  const blows = Array.from(
    { length: random.between(1, 3) },
    (): Blow => ({
      afterMs: random.between(0, latestMs),
      what: random.chance(CLUSTER_SHARE) ? 'kill cluster' : random.pick(KINDS),
    }),
  );
  return {
    seed,
    fault: random.pick(['mark-by-api', 'mark-on-node'] as const),
    durationSeconds,
    policy: random.pick(['retain', 'delete'] as const),
    blows: blows.sort((a, b) => a.afterMs - b.afterMs),
  };
}
