import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialsOf, decideProof, MASK, type Proof, type ProofInput, shownProof } from './proof.ts';

const TOKEN: Proof = { authType: 'TOKEN', userName: '', secret: 'kept' };

const CASES: readonly [what: string, input: ProofInput, kept: Proof | undefined, expected: Proof | RegExp][] =
  [
    [
      'none needs nothing, and keeps nothing',
      { authType: 'NONE', token: 't' },
      TOKEN,
      { authType: 'NONE', userName: '', secret: '' },
    ],
    ['a new token', { authType: 'TOKEN', token: 'new' }, TOKEN, { ...TOKEN, secret: 'new' }],
    ['a token that is left out stays', { authType: 'TOKEN' }, TOKEN, TOKEN],
    ['an empty one stays', { authType: 'TOKEN', token: '' }, TOKEN, TOKEN],
    ['its mask stays', { authType: 'TOKEN', token: MASK }, TOKEN, TOKEN],
    ['for another server nothing stays', { authType: 'TOKEN', token: MASK }, undefined, /^token is missing/],
    ['of another type nothing stays', { authType: 'BASIC', userName: 'u' }, TOKEN, /^password is missing/],
    [
      'user and password',
      { authType: 'BASIC', userName: 'u', password: 'p' },
      undefined,
      { authType: 'BASIC', userName: 'u', secret: 'p' },
    ],
    ['a password takes a user', { authType: 'BASIC', password: 'p' }, undefined, /^userName is missing/],
    [
      'a user with a colon would end in the password',
      { authType: 'BASIC', userName: 'u:x', password: 'p' },
      undefined,
      /^userName has a colon/,
    ],
    [
      'a key',
      { authType: 'SSH', sshPrivateKey: 'k' },
      undefined,
      { authType: 'SSH', userName: '', secret: 'k' },
    ],
    ['no key', { authType: 'SSH', token: 't' }, undefined, /^sshPrivateKey is missing/],
    [
      'a secret that is too long',
      { authType: 'SSH', sshPrivateKey: 'k'.repeat(40_000) },
      undefined,
      /^sshPrivateKey is longer/,
    ],
  ];

for (const [what, input, kept, expected] of CASES) {
  test(`proof: ${what}`, () => {
    if (expected instanceof RegExp)
      assert.throws(() => decideProof(input, kept), { name: 'RemoteError', message: expected });
    else assert.deepEqual(decideProof(input, kept), expected);
  });
}

test('answers show that there is a secret, and not which', () => {
  assert.deepEqual(shownProof({ auth_type: 'BASIC', user_name: 'u', sealed_secret: 'sealed' }), {
    authType: 'BASIC',
    userName: 'u',
    token: null,
    password: MASK,
    sshPrivateKey: null,
  });
  assert.equal(shownProof({ auth_type: 'TOKEN', user_name: '', sealed_secret: null }).token, null);
});

test('a token is sent under the user name of the server’s setting, unless the client has given one', () => {
  assert.deepEqual(credentialsOf(TOKEN, 'litmus'), { kind: 'password', user: 'litmus', password: 'kept' });
  assert.deepEqual(credentialsOf({ ...TOKEN, userName: 'x-token-auth' }, 'litmus'), {
    kind: 'password',
    user: 'x-token-auth',
    password: 'kept',
  });
  assert.deepEqual(credentialsOf({ authType: 'SSH', userName: '', secret: 'k' }, 'x'), {
    kind: 'ssh',
    privateKey: 'k',
  });
  assert.deepEqual(credentialsOf({ authType: 'NONE', userName: '', secret: '' }, 'x'), { kind: 'none' });
});
