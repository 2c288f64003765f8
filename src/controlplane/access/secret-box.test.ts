import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyHash, keyMatches, secretBox } from './secret-box.ts';

const KEY = Buffer.alloc(32, 1);

test('a sealed text opens for its purpose, by its key, unchanged; and never looks the same twice', () => {
  const box = secretBox(KEY);
  const sealed = box.seal('git token', 'ghp_1!');

  assert.equal(box.open('git token', sealed), 'ghp_1!');
  assert.notEqual(box.seal('git token', 'ghp_1!'), sealed);
  assert.ok(!sealed.includes('ghp_1!'));
  assert.throws(() => box.open('access key', sealed), /cannot open the access key/);
  assert.throws(() => secretBox(Buffer.alloc(32, 2)).open('git token', sealed), /sealed by another key/);
  assert.throws(() => box.open('git token', 'ghp_1'), /no sealed git token/);
});

test('each changed byte of a sealed text is noticed', () => {
  const box = secretBox(KEY);
  const sealed = box.seal('x', 'secret');
  const bytes = Buffer.from(sealed.slice('v1.'.length), 'base64url');
  for (const place of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 1;
    assert.throws(() => box.open('x', `v1.${changed.toString('base64url')}`), `byte ${place}`);
  }
});

test('a short key is refused', () => {
  assert.throws(() => secretBox(Buffer.alloc(31)), /has 31 bytes; it needs 32/);
});

test('keyMatches: the key with this hash and no other, and none where there is no hash', () => {
  assert.equal(keyMatches('a', keyHash('a')), true);
  assert.equal(keyMatches('b', keyHash('a')), false);
  assert.equal(keyMatches('', null), false);
  assert.equal(keyMatches('', ''), false);
});
