import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userNamespace } from './user-namespace.ts';

const CASES = [
  {
    name: 'of the machine',
    texts: { users: '         0          0 4294967295\n', setgroups: 'allow\n' },
    seen: { isMachine: true, has: [0, 1, 65_534, 4_000_000_000], lacks: [], choosesGroups: true },
  },
  {
    name: 'without such namespaces',
    texts: { users: '', setgroups: '' },
    seen: { isMachine: true, has: [0, 1_000], lacks: [], choosesGroups: true },
  },
  {
    name: 'one id',
    texts: { users: '         0      65534          1\n', setgroups: 'deny\n' },
    seen: { isMachine: false, has: [0], lacks: [1, 65_534], choosesGroups: false },
  },
  {
    name: 'sub-ids',
    texts: {
      users: '         0       1000          1\n         1     300000      65535\n',
      setgroups: 'allow\n',
    },
    seen: { isMachine: false, has: [0, 1, 65_535], lacks: [65_536, 300_000], choosesGroups: true },
  },
] as const;

for (const { name, texts, seen } of CASES) {
  test(`a user namespace: ${name}`, () => {
    const { isMachine, choosesGroups, hasUser, hasGroup } = userNamespace({ ...texts, groups: texts.users });
    assert.deepEqual(
      { isMachine, choosesGroups },
      { isMachine: seen.isMachine, choosesGroups: seen.choosesGroups },
    );
    for (const has of [hasUser, hasGroup]) {
      for (const id of seen.has) assert.ok(has(id), `has ${id}`);
      for (const id of seen.lacks) assert.ok(!has(id), `lacks ${id}`);
    }
  });
}
