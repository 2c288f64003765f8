import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endForWantOfUsers, imageUserWithout } from './unsupported.ts';

/** Of a user without sub-ids, and of one with 65,535. */
const ONE = { hasUser: (id: number) => id === 0, hasGroup: (id: number) => id === 0 };
const MANY = { hasUser: (id: number) => id <= 65_535, hasGroup: (id: number) => id <= 65_535 };

test('an image’s user that the cluster has not is told of, once', () => {
  const cases = [
    ['root is always there', { uid: 0, gid: 0 }, ONE, {}, undefined],
    ['one that is there', { uid: 999, gid: 1000 }, MANY, {}, undefined],
    ['its user is not', { uid: 65_532, gid: 0 }, ONE, {}, /^container web: the image’s user 65532:0: /],
    [
      'its group is not',
      { uid: 0, gid: 5 },
      ONE,
      {},
      /user 0:5: it runs as root of the container; .*newuidmap/,
    ],
    ['beyond what it was given', { uid: 100_000, gid: 0 }, MANY, {}, /user 100000:0: /],
    // It has an Event of its own.
    ['the pod has asked for it', { uid: 7, gid: 7 }, ONE, { runAsUser: 7 }, undefined],
  ] as const;
  for (const [name, user, users, securityContext, expected] of cases) {
    const container = { name: 'web', securityContext };
    const pod = { metadata: { name: 'p' }, spec: { containers: [container] } };
    const said = imageUserWithout(pod, container, user, users);
    if (expected === undefined) assert.equal(said, undefined, name);
    else assert.match(said ?? '', expected, name);
  }
});

test('an end with a code of the program’s own may be for want of users', () => {
  const cases = [
    ['it fails', 1, ONE, true],
    ['users are there', 1, MANY, false],
    ['it does not fail', 0, ONE, false],
    ['its program was not found', 127, ONE, false],
    ['a signal ended it', 143, ONE, false],
  ] as const;
  for (const [name, code, users, isTold] of cases) {
    const said = endForWantOfUsers('db', code, users);
    assert.equal(said !== undefined, isTold, name);
    if (isTold) assert.match(said ?? '', /^container db ended with code 1: .*chown.*\/etc\/subuid/);
  }
});
