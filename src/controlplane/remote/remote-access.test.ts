import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRemoteAccess } from './remote-access.ts';

test('without variables nothing of the own network is asked, and sizes and times have limits', () => {
  const { reach, ...numbers } = readRemoteAccess({});
  assert.deepEqual(numbers, {
    zipBytes: 5_000_000,
    gitBytes: 104_857_600,
    timeoutMs: 120_000,
    tokenUser: 'litmus',
  });
  assert.equal(reach.allowed.isAddress('127.0.0.1'), false);
});

test('variables change them, and wrong ones are named', () => {
  const env = {
    REMOTE_ALLOWED_ADDRESSES: '10.0.0.0/8',
    REMOTE_HUB_MAX_SIZE: '10',
    REMOTE_TIMEOUT_SECONDS: '5',
    GIT_USERNAME: 'x-token-auth',
  };
  const { reach, zipBytes, timeoutMs, tokenUser } = readRemoteAccess(env);
  assert.deepEqual(
    [reach.allowed.isAddress('10.1.1.1'), zipBytes, timeoutMs, tokenUser],
    [true, 10, 5000, 'x-token-auth'],
  );
  for (const [name, text] of [
    ['REMOTE_HUB_MAX_SIZE', '0'],
    ['REMOTE_GIT_MAX_SIZE', '1e9'],
    ['REMOTE_TIMEOUT_SECONDS', '-1'],
    ['REMOTE_ALLOWED_ADDRESSES', '10.0.0.0/40'],
  ] as const)
    assert.throws(() => readRemoteAccess({ [name]: text }), new RegExp(`^RangeError: ${name}`));
});
