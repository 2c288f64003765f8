import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import { isTransient } from './refusals.ts';

const NO_ACCOUNT = 'pods "w" is forbidden: error looking up service account n/';

const REFUSALS: readonly [name: string, code: number, message: string, isTransient: boolean][] = [
  ['a quota that is full', 403, 'pods "w" is forbidden: exceeded quota: q', true],
  [
    'a namespace whose account is not there yet',
    403,
    `${NO_ACCOUNT}default: serviceaccount "default" not found`,
    true,
  ],
  ['an account that does not exist', 403, `${NO_ACCOUNT}builder: serviceaccount "builder" not found`, false],
  ['a missing right', 403, 'pods is forbidden: User "u" cannot create resource "pods"', false],
  ['a pod that is no pod', 422, 'Pod "w" is invalid', false],
  ['a server that is busy', 429, 'too many requests', true],
];

for (const [name, code, message, expected] of REFUSALS) {
  test(`${name}: ${expected ? 'is tried again' : 'is an error of the node'}`, () => {
    assert.equal(isTransient(new ApiError('POST pods', code, { code, message })), expected);
  });
}
