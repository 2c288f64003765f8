import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { test } from 'node:test';
import { Passwords } from './passwords.ts';

const passwords = new Passwords();

test('a password matches its hash and no other; the hash says what it costs', async () => {
  const hash = await passwords.hash('Caf\u00e9-1234');
  assert.match(hash, /^\$scrypt\$ln=17,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
  assert.equal(await passwords.match('Cafe\u0301-1234', hash), true);
  assert.equal(await passwords.match('Caf\u00e9-1235', hash), false);
  assert.equal(passwords.isOutdated(hash), false);
});

test('a hash of another cost still matches, and is worth making anew', async () => {
  const salt = Buffer.from('0123456789abcdef');
  const key = scryptSync('secret', salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  const hash = `$scrypt$ln=10,r=8,p=1$${salt.toString('base64url')}$${key.toString('base64url')}`;
  assert.equal(await passwords.match('secret', hash), true);
  assert.equal(passwords.isOutdated(hash), true);
});

test('no password fits a user who does not exist', async () => {
  assert.equal(await passwords.match('', null), false);
});
