import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import { REPLICA_SETS } from '@turnsole/kube/kinds/resources';
import fc from 'fast-check';
import { at, deployment, pod, START_MS } from '../testing/builders.ts';
import { apply, observe, rollToEnd, sizes, withImage } from '../testing/rollout.ts';
import { decideDeployment } from './decide-deployment.ts';
import { REVISION } from './revisions.ts';
import { rolloutBounds } from './rollout-size.ts';

describe('a new deployment', () => {
  const plan = observe(deployment('web', 3), []);

  test('gets a replica set with the template, the hash and an owner', () => {
    const hash = plan.create?.metadata.labels?.['pod-template-hash'];
    assert.match(hash ?? '', /^[bcdfghjklmnpqrstvwxz2456789]{8,10}$/);
    assert.equal(plan.create?.metadata.name, `web-${hash}`);
    assert.deepEqual(plan.create?.spec?.selector.matchLabels, { app: 'web', 'pod-template-hash': hash });
    assert.deepEqual(plan.create?.spec?.template?.metadata?.labels, {
      app: 'web',
      'pod-template-hash': hash,
    });
    assert.deepEqual(plan.create?.metadata.ownerReferences, [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        uid: 'uid-web',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.deepEqual(plan.create?.metadata.annotations, {
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
      'deployment.kubernetes.io/revision': '1',
    });
  });

  test('of no replicas has a set, and nothing to say of its size', () => {
    const empty = observe(deployment('web', 0), []);
    assert.equal(empty.create?.spec?.replicas, 0);
    assert.deepEqual(empty.events, []);
  });

  test('records an Event about its new set', () => {
    const name = plan.create?.metadata.name;
    assert.deepEqual(plan.events, [
      { type: 'Normal', reason: 'ScalingReplicaSet', message: `Scaled up replica set ${name} from 0 to 3` },
    ]);
    assert.equal(plan.revision, '1');
    assert.deepEqual(
      plan.status.conditions?.map((c) => [c.type, c.status, c.reason, c.message]),
      [
        [
          'Available',
          'False',
          'MinimumReplicasUnavailable',
          'Deployment does not have minimum availability.',
        ],
        ['Progressing', 'True', 'NewReplicaSetCreated', `Created new replica set "${name}"`],
      ],
    );
  });

  test('is complete when all its pods are available', () => {
    const { owner, sets } = rollToEnd(deployment('web', 3), []);
    assert.deepEqual(sizes(sets), [3]);
    assert.equal(owner.status?.availableReplicas, 3);
    assert.equal(owner.status?.unavailableReplicas, undefined, 'zero counts are left out');
    assert.deepEqual(
      owner.status?.conditions?.map((c) => [c.type, c.status, c.reason, c.message]),
      [
        ['Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
        [
          'Progressing',
          'True',
          'NewReplicaSetAvailable',
          `ReplicaSet "${sets[0]?.metadata.name}" has successfully progressed.`,
        ],
      ],
    );
  });
});

describe('a rolling update', () => {
  const first = rollToEnd(deployment('web', 4), []);
  const second = withImage(first.owner, 'sample:2');

  test('first makes the new set as large as surge allows, then takes from the old', () => {
    const created = observe(second, first.sets);
    assert.equal(created.create?.spec?.replicas, 1);
    assert.equal(created.revision, '2');
    let state = apply(second, first.sets, created);
    const shrink = observe(state.owner, state.sets);
    assert.deepEqual(sizes(shrink.update), [3], '25% of 4 may be missing');
    assert.match(shrink.events[0]?.message ?? '', /^Scaled down replica set web-\w+ from 4 to 3$/);
    state = apply(state.owner, state.sets, shrink);
    const grow = observe(state.owner, state.sets);
    assert.deepEqual(sizes(grow.update), [2], 'one old pod less leaves room for one more new pod');
  });

  test('removes broken old pods before healthy ones', () => {
    const broken = first.sets.map((set) => ({
      ...set,
      status: { ...set.status, replicas: 4, availableReplicas: 2 },
    }));
    const state = apply(second, broken, observe(second, broken));
    const plan = observe(state.owner, state.sets);
    // 5 pods, at least 3 to be available, 1 new one not yet: one may go.
    assert.deepEqual(sizes(plan.update), [3]);
  });

  test('ends with the new set alone and the old one kept for a rollback', () => {
    const { owner, sets } = rollToEnd(second, first.sets);
    assert.deepEqual(sizes(sets), [0, 4]);
    assert.equal(owner.metadata.annotations?.[REVISION], '2');
  });

  test('rolled back: the former set is used again and gets a new revision', () => {
    const state = rollToEnd(second, first.sets);
    const back = rollToEnd(withImage(state.owner, 'sample:1'), state.sets);
    assert.deepEqual(sizes(back.sets), [4, 0]);
    assert.equal(back.owner.metadata.annotations?.[REVISION], '3');
    assert.equal(back.sets[0]?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
  });

  test('keeps as many old sets as the history limit says', () => {
    let state = first;
    for (let version = 2; version < 7; version++) {
      const owner = withImage(state.owner, `sample:${version}`);
      state = rollToEnd(
        {
          ...owner,
          spec: {
            ...owner.spec,
            revisionHistoryLimit: 2,
            selector: {},
            template: owner.spec?.template ?? {},
          },
        },
        state.sets,
      );
    }
    assert.deepEqual(sizes(state.sets), [0, 0, 4]);
    assert.deepEqual(
      state.sets.map((set) => set.metadata.annotations?.[REVISION]),
      ['4', '5', '6'],
    );
  });

  test('never has too many or too few pods, whatever becomes ready when', () => {
    const share = fc.oneof(
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        share,
        share,
        fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 40 }),
        (replicas, maxSurge, maxUnavailable, moves) => {
          const strategy = { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge, maxUnavailable } };
          const start = rollToEnd(deployment('web', replicas, { spec: { strategy } }), []);
          let state = { owner: withImage(start.owner, 'sample:2'), sets: start.sets };
          const bounds = rolloutBounds(state.owner);
          for (const [pick, act] of moves) {
            if (act) state = apply(state.owner, state.sets, observe(state.owner, state.sets));
            // The replica set controller makes or removes pods at once; one more of some set becomes ready.
            state.sets = state.sets.map((set, index) => {
              const wanted = set.spec?.replicas ?? 0;
              const available = Math.min(
                wanted,
                (set.status?.availableReplicas ?? 0) + (pick % 2 === index ? 1 : 0),
              );
              return {
                ...set,
                status: {
                  replicas: wanted,
                  readyReplicas: available,
                  availableReplicas: available,
                  observedGeneration: 9,
                },
              };
            });
            const total = sizes(state.sets).reduce((a, b) => a + b, 0);
            const available = state.sets.reduce((sum, set) => sum + (set.status?.availableReplicas ?? 0), 0);
            assert.ok(
              total <= replicas + bounds.maxSurge,
              `${total} pods of at most ${replicas + bounds.maxSurge}`,
            );
            assert.ok(available >= replicas - bounds.maxUnavailable, `${available} available`);
          }
          const end = rollToEnd(state.owner, state.sets);
          assert.deepEqual(sizes(end.sets), [0, replicas]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('scaling', () => {
  test('of a settled deployment resizes its set and keeps the revision', () => {
    const { owner, sets } = rollToEnd(deployment('web', 2), []);
    const plan = observe(
      { ...owner, spec: { ...owner.spec, replicas: 5, selector: {}, template: owner.spec?.template ?? {} } },
      sets,
    );
    assert.deepEqual(sizes(plan.update), [5]);
    assert.equal(plan.revision, undefined);
    assert.equal(plan.update[0]?.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'], '5');
    assert.match(plan.events[0]?.message ?? '', /from 2 to 5$/);
  });

  test('in the middle of a rolling update is shared in proportion', () => {
    const { owner, sets } = rollToEnd(deployment('web', 10), []);
    const old = sets[0];
    assert.ok(old);
    const annotations = (replicas: string) => ({
      ...old.metadata.annotations,
      'deployment.kubernetes.io/desired-replicas': '10',
      'deployment.kubernetes.io/max-replicas': replicas,
    });
    const next = withImage(
      { ...owner, spec: { ...owner.spec, replicas: 20, selector: {}, template: {} } },
      'sample:2',
    );
    const created = observe(withImage(owner, 'sample:2'), sets).create;
    assert.ok(created);
    const during = [
      {
        ...old,
        metadata: { ...old.metadata, annotations: annotations('13') },
        spec: { ...old.spec, selector: {}, replicas: 8 },
      },
      {
        ...created,
        metadata: { ...created.metadata, uid: 'n', creationTimestamp: at(9), annotations: annotations('13') },
        spec: { ...created.spec, selector: {}, replicas: 5 },
      },
    ];
    const plan = observe(next, during);
    // 20 plus 25% are 25 in all, shared 8:5.
    assert.deepEqual(sizes(plan.update), [15, 10]);
  });

  test('works while paused, but no new set is made', () => {
    const { owner, sets } = rollToEnd(deployment('web', 2), []);
    const next = withImage(owner, 'sample:2');
    const plan = observe(
      {
        ...next,
        spec: { ...next.spec, paused: true, replicas: 3, selector: {}, template: next.spec?.template ?? {} },
      },
      sets,
    );
    assert.equal(plan.create, undefined);
    assert.deepEqual(sizes(plan.update), [3]);
    assert.equal(findCondition(plan.status.conditions, 'Progressing')?.reason, 'DeploymentPaused');
  });
});

describe('recreate', () => {
  const strategy = { type: 'Recreate' as const };
  const first = rollToEnd(deployment('web', 2, { spec: { strategy } }), []);
  const second = withImage(first.owner, 'sample:2');

  test('first removes every old pod', () => {
    const plan = observe(second, first.sets);
    assert.equal(plan.create, undefined);
    assert.deepEqual(sizes(plan.update), [0]);
  });

  test('waits for old pods that are still going', () => {
    const sets = first.sets.map((set) => ({
      ...set,
      spec: { ...set.spec, selector: {}, replicas: 0 },
      status: { replicas: 0 },
    }));
    const set = sets[0];
    assert.ok(set);
    const going = pod('web-1', { owner: [REPLICA_SETS, set], deleted: at(1) });
    const waiting = decideDeployment({
      deployment: second,
      replicaSets: sets,
      pods: [going],
      nowMs: START_MS,
    });
    assert.equal(waiting.create, undefined);
    assert.equal(observe(second, sets).create?.spec?.replicas, 2);
  });
});

describe('the progress deadline', () => {
  const spec = { progressDeadlineSeconds: 10 };
  const made = apply(deployment('web', 1, { spec }), [], observe(deployment('web', 1, { spec }), []));

  test('is looked at again when it is due', () => {
    assert.equal(observe(made.owner, made.sets).requeueAfterMs, 11_000);
  });

  test('sets Progressing to False when it passes without progress', () => {
    const plan = observe(made.owner, made.sets, START_MS + 11_000);
    const condition = findCondition(plan.status.conditions, 'Progressing');
    assert.equal(condition?.status, 'False');
    assert.equal(condition?.reason, 'ProgressDeadlineExceeded');
    assert.equal(
      condition?.message,
      `ReplicaSet "${made.sets[0]?.metadata.name}" has timed out progressing.`,
    );
    assert.equal(plan.requeueAfterMs, undefined);
  });
});

test('a failure of the replica set becomes the deployment’s', () => {
  const { owner, sets } = rollToEnd(deployment('web', 1), []);
  const failing = sets.map((set) => ({
    ...set,
    status: {
      ...set.status,
      replicas: 0,
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' }],
    },
  }));
  const plan = observe(owner, failing);
  assert.equal(findCondition(plan.status.conditions, 'ReplicaFailure')?.message, 'quota');
});

test('a deployment that is going only counts', () => {
  const owner = deployment('web', 3, { metadata: { deletionTimestamp: at(1) } });
  const plan = observe(owner, []);
  assert.equal(plan.create, undefined);
  assert.equal(plan.status.observedGeneration, 1);
});
