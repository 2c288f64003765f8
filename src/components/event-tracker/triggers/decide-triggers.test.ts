import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventTrackerPolicySpec, EventTrackerPolicyStatus, PolicyTrigger } from '../../../api/index.ts';
import type { SeenWorkload } from '../policy/workload.ts';
import { decideTriggers, MAX_PENDING, MAX_TRACKED } from './decide-triggers.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

/** What a workload looks like; `value` is that of the policy's only key, undefined where it could not be evaluated. */
interface Look {
  readonly value: unknown;
  readonly rolling?: boolean;
  readonly generation?: number;
  readonly uid?: string;
  readonly name?: string;
}

function seen({
  value,
  rolling = false,
  generation = 1,
  name = 'web',
  uid = `uid-of-${name}`,
}: Look): SeenWorkload {
  const isKnown = value !== undefined;
  return {
    key: `Deployment/shop/${name}`,
    ...{ kind: 'Deployment', namespace: 'shop', name, uid, generation, experimentID: 'e-1' },
    isRollingOut: rolling,
    values: [value],
    digests: [isKnown ? String(value) : undefined],
    problems: [],
  };
}

class Scene {
  status: EventTrackerPolicyStatus = {};
  nowMs = NOW;
  readonly #spec: EventTrackerPolicySpec;
  readonly #digest: string;

  constructor(spec: Partial<EventTrackerPolicySpec> = {}, digest = 'keys') {
    this.#spec = { condition_type: 'or', conditions: [{ key: 'k', operator: 'Change' }], ...spec };
    this.#digest = digest;
  }

  look(...looks: readonly Look[]): readonly PolicyTrigger[] {
    const policy = { spec: this.#spec, keys: [], digest: this.#digest };
    const decision = decideTriggers({
      uid: 'p',
      policy,
      status: this.status,
      workloads: looks.map(seen),
      nowMs: this.nowMs,
    });
    this.status = decision.status;
    return decision.triggered;
  }

  /** How many triggers each look gives. */
  counts(looks: readonly Look[]): number[] {
    return looks.map((look) => this.look(look).length);
  }
}

const at = (value: unknown, generation = 1, rolling = false): Look => ({ value, generation, rolling });

const TABLE: readonly (readonly [
  name: string,
  rollout: EventTrackerPolicySpec['rollout'],
  looks: readonly (readonly [Look, triggers: number])[],
])[] = [
  [
    'the first look triggers nothing, a change does',
    undefined,
    [
      [at('a'), 0],
      [at('a'), 0],
      [at('b'), 1],
      [at('b'), 0],
    ],
  ],
  [
    'a namesake made anew is looked at for the first time',
    undefined,
    [
      [at('a'), 0],
      [{ value: 'b', uid: 'other' }, 0],
    ],
  ],
  [
    'once: what follows in the same rollout does not trigger, up to its end',
    'once',
    [
      [at('a'), 0],
      [at('b', 2, true), 1],
      [at('c', 2, true), 0],
      [at('d', 2), 0],
      [at('e', 2), 1],
    ],
  ],
  [
    'once: another change of the spec is another rollout',
    undefined,
    [
      [at('a'), 0],
      [at('b', 2, true), 1],
      [at('c', 3, true), 1],
      [at('d', 3), 0],
    ],
  ],
  [
    'each: every change triggers',
    'each',
    [
      [at('a'), 0],
      [at('b', 2, true), 1],
      [at('c', 2, true), 1],
      [at('d', 2), 1],
    ],
  ],
  [
    'settled: one trigger, when the rollout is over',
    'settled',
    [
      [at('a'), 0],
      [at('b', 2, true), 0],
      [at('c', 2, true), 0],
      [at('d', 2), 1],
      [at('d', 2), 0],
    ],
  ],
  [
    'settled: a rollout that is rolled back triggers nothing',
    'settled',
    [
      [at('a'), 0],
      [at('b', 2, true), 0],
      [at('a', 3), 0],
    ],
  ],
  [
    'a key that cannot be evaluated keeps what was known',
    undefined,
    [
      [at('a'), 0],
      [at(undefined), 0],
      [at('a'), 0],
      [at(undefined), 0],
      [at('b'), 1],
    ],
  ],
  [
    'a key that never could be evaluated has nothing to compare with',
    undefined,
    [
      [at(undefined), 0],
      [at('a'), 0],
      [at('b'), 1],
    ],
  ],
];

for (const [name, rollout, looks] of TABLE) {
  test(name, () => {
    const scene = new Scene(rollout === undefined ? {} : { rollout });
    assert.deepEqual(
      scene.counts(looks.map(([look]) => look)),
      looks.map(([, count]) => count),
    );
  });
}

test('a trigger says what it is about, and no two have the same id', () => {
  const scene = new Scene({ rollout: 'each' });
  scene.look(at('a'));
  const [first] = scene.look(at('b'));
  const [second] = scene.look(at('a'));
  assert.deepEqual(
    { ...first, id: '' },
    {
      ...{ id: '', time: '2030-01-01T00:00:00Z', resource: 'Deployment', namespace: 'shop', name: 'web' },
      ...{ experimentID: 'e-1', reason: 'k Change', state: 'Pending' },
    },
  );
  assert.match(first?.id ?? '', /^[0-9a-f]{32}$/);
  assert.notEqual(first?.id, second?.id);
  assert.equal(scene.status.count, 2);
});

test('other keys: what was known of a workload says nothing about them', () => {
  const scene = new Scene();
  scene.look(at('a'));
  const other = new Scene({}, 'other keys');
  other.status = scene.status;
  assert.deepEqual(other.counts([at('b'), at('c')]), [0, 1]);
});

test('a workload that is gone, or asks no more, is forgotten', () => {
  const scene = new Scene();
  scene.look(at('a'));
  scene.look();
  assert.deepEqual(scene.status.tracked, {});
  assert.deepEqual(scene.counts([at('b')]), [0]);
});

test('with too many triggers waiting a change waits as the workload, and is found when there is room', () => {
  const scene = new Scene({ rollout: 'each' });
  scene.look(at(-1));
  const counts = scene.counts(Array.from({ length: MAX_PENDING + 5 }, (_, index) => at(index)));
  assert.equal(counts.filter((count) => count === 1).length, MAX_PENDING);
  const triggers = (scene.status.triggers ?? []).map((one) => ({ ...one, state: 'Sent' }));
  scene.status = { ...scene.status, triggers };
  assert.equal(scene.look(at(MAX_PENDING + 4)).length, 1);
});

test('of too many workloads those that are known stay', () => {
  const scene = new Scene();
  const look = (name: string, value: string): Look => ({ name, value });
  const names = Array.from({ length: MAX_TRACKED }, (_, index) => `w-${index}`);
  scene.look(...names.map((name) => look(name, 'a')));
  const triggers = scene.look(
    look('aa-new', 'a'),
    ...names.map((name) => look(name, name === 'w-7' ? 'b' : 'a')),
  );
  assert.deepEqual(
    triggers.map(({ name }) => name),
    ['w-7'],
  );
  assert.equal(Object.keys(scene.status.tracked ?? {}).length, MAX_TRACKED);
});

test('chaos that changes the workload whose change has started it starts itself for ever, but for a cool-down', () => {
  /** Triggers of twenty looks, ten seconds apart, each at what the chaos of the trigger before it has changed. */
  const triggersOf = (spec: Partial<EventTrackerPolicySpec>): number[] => {
    const scene = new Scene(spec);
    let value = 0;
    scene.look(at(value));
    value += 1;
    return Array.from({ length: 20 }, () => {
      const count = scene.look(at(value, value)).length;
      scene.nowMs += 10_000;
      value += count;
      return count;
    });
  };
  const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
  assert.equal(total(triggersOf({})), 20);
  assert.equal(total(triggersOf({ cooldownSeconds: 60 })), 1);
});

test('a cool-down is that of one workload, takes changes as seen, and is over in time', () => {
  const scene = new Scene({ cooldownSeconds: 60 });
  const look = (afterMs: number, value: unknown, name = 'web'): number => {
    scene.nowMs = NOW + afterMs;
    return scene.look({ value, name }, { value: 'same', name: 'other' }).length;
  };
  look(0, 'a');
  assert.equal(look(1_000, 'b'), 1);
  assert.equal(look(30_000, 'c'), 0);
  assert.equal(scene.look({ value: 'c' }, { value: 'changed', name: 'other' }).length, 1, 'another workload');
  assert.equal(look(60_999, 'd'), 0, 'the last moment');
  assert.equal(look(61_000, 'd'), 0, 'what has changed meanwhile is no change any more');
  assert.equal(look(61_000, 'e'), 1);
  assert.equal(look(-3_600_000, 'f'), 1, 'a clock that was set back');
});
