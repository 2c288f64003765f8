import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerReference, StatefulSet } from '@turnsole/kube/kinds/core';
import type { PersistentVolumeClaim } from '../shared/types.ts';
import { pod } from '../testing/builders.ts';
import { goesWithEarlierPod, wantedOwners } from './claim-retention.ts';

type Policy = 'Retain' | 'Delete';

function setOf(whenDeleted: Policy, whenScaled: Policy): StatefulSet {
  return {
    metadata: { name: 'db', uid: 'uid-set' },
    spec: {
      serviceName: 'db',
      replicas: 2,
      selector: {},
      template: {},
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    },
  };
}

const reference = (kind: string, uid: string, controller = true): OwnerReference => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
  kind,
  name: 'x',
  uid,
  controller,
});

function claimOf(...ownerReferences: OwnerReference[]): PersistentVolumeClaim {
  return { metadata: { name: 'data-db-0', ownerReferences } };
}

const SET = reference('StatefulSet', 'uid-set');
const POD = reference('Pod', 'uid-db');
const OTHER = reference('Backup', 'uid-other', false);

const table: readonly (readonly [
  string,
  StatefulSet,
  number,
  PersistentVolumeClaim,
  string[] | undefined,
])[] = [
  ['kept', setOf('Retain', 'Retain'), 5, claimOf(), undefined],
  ['kept again', setOf('Retain', 'Retain'), 0, claimOf(SET, OTHER), ['uid-other']],
  ['goes with the set', setOf('Delete', 'Retain'), 5, claimOf(OTHER), ['uid-other', 'uid-set']],
  ['goes with the set already', setOf('Delete', 'Delete'), 1, claimOf(SET), undefined],
  ['goes with its pod, that is beyond', setOf('Delete', 'Delete'), 2, claimOf(SET), ['uid-db']],
  ['stays when not scaled', setOf('Retain', 'Delete'), 1, claimOf(), undefined],
  ['stays as the pod is back', setOf('Retain', 'Delete'), 1, claimOf(POD), []],
  ['of another owner', setOf('Delete', 'Delete'), 0, claimOf(reference('Backup', 'uid-other')), undefined],
];
for (const [name, set, ordinal, claim, expected] of table) {
  test(`a claim of a stateful set's pod: ${name}`, () => {
    const owners = wantedOwners(set, pod('db'), ordinal, claim);
    assert.deepEqual(
      owners?.map(({ uid }) => uid),
      expected,
    );
  });
}

test('a claim that a pod owns is not for the next one', () => {
  assert.deepEqual([claimOf(POD), claimOf(SET), claimOf()].map(goesWithEarlierPod), [true, false, false]);
});
