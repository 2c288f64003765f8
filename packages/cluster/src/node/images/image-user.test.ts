import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { imageUser, nonRootProblem } from './image-user.ts';

const TEXTS = {
  passwd: 'root:x:0:0:root:/root:/bin/sh\nredis:x:999:1000::/data:/sbin/nologin\napp:x:7:7::/app:\nbroken\n',
  group: 'root:x:0:\nredis:x:1000:\nlogs:x:44:app,redis\nmore:x:45:redis\n',
};

type Contexts = { readonly pod?: object; readonly own?: object };

function userOf(wanted: string, { pod = {}, own = {} }: Contexts = {}, texts = TEXTS) {
  const container = { name: 'c', securityContext: own };
  const spec: PodSpec = { containers: [container], securityContext: pod };
  const subject: Pod = { metadata: { name: 'p' }, spec };
  const { uid, gid, groups, home } = imageUser(subject, container, wanted, texts);
  return `${uid}:${gid} [${groups.join(' ')}] ${home}`;
}

const rows: [name: string, wanted: string, contexts: Contexts, expected: string][] = [
  ['nobody in particular is root', '', {}, '0:0 [] /root'],
  ['a name has its group, its further groups and its home', 'redis', {}, '999:1000 [44 45] /data'],
  ['a number that the image knows has them as well', '999', {}, '999:1000 [44 45] /data'],
  ['a number that it does not know has the group of root', '1234', {}, '1234:0 [] /'],
  ['user and group by name', 'app:redis', {}, '7:1000 [44] /app'],
  ['user and group by number', '65532:65533', {}, '65532:65533 [] /'],
  [
    'the container wins over pod and image',
    'redis',
    { pod: { runAsUser: 5 }, own: { runAsUser: 7 } },
    '7:7 [44] /app',
  ],
  [
    'the pod wins over the image, whose group goes with its user',
    'redis:logs',
    { pod: { runAsUser: 5 } },
    '5:0 [] /',
  ],
  ['a group that is asked for wins', 'redis', { pod: { runAsGroup: 3 } }, '999:3 [44 45] /data'],
  ['a group is no further one of itself', 'redis', { own: { runAsGroup: 45 } }, '999:45 [44] /data'],
  [
    'strict groups are those of the pod alone',
    'redis',
    { pod: { supplementalGroupsPolicy: 'Strict' } },
    '999:1000 [] /data',
  ],
];

for (const [name, wanted, contexts, expected] of rows) {
  test(`user of an image: ${name}`, () => assert.equal(userOf(wanted, contexts), expected));
}

test('an image without these files has users by number only', () => {
  const none = { passwd: '', group: '' };
  assert.equal(userOf('', {}, none), '0:0 [] /');
  assert.equal(userOf('5:6', {}, none), '5:6 [] /');
  assert.throws(() => userOf('app', {}, none), /unable to find user app: no matching entries in passwd file/);
  assert.throws(() => userOf('app:nope'), /unable to find group nope: no matching entries in group file/);
});

test('an image that may run as root is refused where that is forbidden', () => {
  assert.match(nonRootProblem('') ?? '', /image will run as root$/);
  assert.match(nonRootProblem('0:5') ?? '', /image will run as root$/);
  assert.match(nonRootProblem('redis') ?? '', /non-numeric user \(redis\), cannot verify user is non-root$/);
  assert.equal(nonRootProblem('999:0'), undefined);
});
