import { Seeded } from '../../support/seeded.ts';
import { FAMILIES, type Family, type FaultChoice, SHARES } from './families.ts';

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
    /** API server, controllers and nodes, with all pods: a machine that loses its power. */
    | 'kill cluster'
    /** The same process and its reaper: pods go on with no API server and no node agent, until these are started again. */
    | 'kill agent'
    /** One node's agent says and does nothing for a while; its pods go on. */
    | 'stop agent'
    /** One node loses its power for a while. */
    | 'power off'
    | 'drop connections'
    | 'stop engine'
    | 'delete engine';
  /** How long agent or node are away. */
  readonly awayMs: number;
}

/** What happens to one engine. */
export interface Scenario {
  readonly seed: number;
  readonly fault: FaultChoice;
  readonly durationSeconds: number;
  /** LEASE_SECONDS. */
  readonly leaseSeconds: number;
  readonly policy: 'retain' | 'delete';
  readonly blows: readonly Blow[];
}

/** What scenarios are drawn from. */
export interface Draw {
  /** Only faults of this family, and only SIGKILL of experiment, helper and node agent. @default all */
  readonly family?: Family | undefined;
  /** Whether pods have namespaces of their own; without, there are only marks. */
  readonly isolated: boolean;
  readonly leaseSeconds: number;
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
const FAMILY_KINDS: readonly Blow['what'][] = ['kill experiment', 'kill helper'];
/** What falls for all engines of a batch falls now and then: it takes a second or two to come back. */
const SHARED_SHARE = 0.04;
const FAMILY_SHARED_SHARE = 0.12;
const AGENT_KINDS: readonly Blow['what'][] = ['stop agent', 'power off', 'kill agent'];

/** Whether it waits for a process of the engine. */
export function isOfProcess(what: Blow['what']): boolean {
  return what === 'kill runner' || what === 'kill experiment' || what === 'kill helper';
}

/** The scenario of a seed; the same for the same seed and draw. What the world does meanwhile is not. */
export function scenarioOf(seed: number, { family, isolated, leaseSeconds }: Draw): Scenario {
  const random = new Seeded(Math.imul(seed, 0x9e3779b1));
  const drawn = family ?? (isolated ? random.pick(SHARES) : 'marks');
  const choices: readonly FaultChoice[] = FAMILIES[drawn];
  const fault = random.pick(choices.filter(({ alone }) => family !== undefined || alone !== true));
  const durationSeconds = drawn === 'marks' ? random.between(1, 2) : random.between(5, 10);
  const kinds = (family === undefined ? KINDS : FAMILY_KINDS).filter(
    (what) => what !== 'kill helper' || fault.where === 'node',
  );
  const shared: readonly Blow['what'][] = [
    ...(family === undefined ? ['kill cluster' as const] : []),
    ...(isolated ? AGENT_KINDS : []),
  ];
  const share = family === undefined ? SHARED_SHARE : FAMILY_SHARED_SHARE;
  const blow = (): Blow => {
    const what = shared.length > 0 && random.chance(share) ? random.pick(shared) : random.pick(kinds);
    // Of what is done at once nothing is ever seen in force.
    const inForce = random.chance(family === undefined ? 0.6 : 0.8) && fault.instant !== true;
    const latestMs = inForce
      ? durationSeconds * 500
      : durationSeconds * 1000 + (isOfProcess(what) ? 600 : 2000);
    return { what, inForce, afterMs: random.between(0, latestMs), awayMs: random.between(200, 3000) };
  };
  return {
    seed,
    fault,
    durationSeconds,
    leaseSeconds,
    policy: random.pick(['retain', 'delete'] as const),
    blows: Array.from({ length: random.between(1, family === undefined ? 3 : 2) }, blow),
  };
}
