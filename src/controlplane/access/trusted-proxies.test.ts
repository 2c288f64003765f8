import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asReached, isTrusted, parseTrustedProxies } from './trusted-proxies.ts';

const CASES: readonly [text: string, address: string, hop: number, trusted: boolean][] = [
  ['1', '203.0.113.9', 0, true],
  ['1', '203.0.113.9', 1, false],
  ['2', '203.0.113.9', 1, true],
  ['10.0.0.0/8', '10.1.2.3', 0, true],
  ['10.0.0.0/8', '10.1.2.3', 5, true],
  ['10.0.0.0/8', '203.0.113.9', 0, false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', 0, true],
  ['192.168.1.7, fd00::/8', 'fd00::1', 0, true],
  ['192.168.1.7, fd00::/8', '192.168.1.7', 0, true],
  ['192.168.1.7, fd00::/8', '192.168.1.8', 0, false],
  ['192.168.1.7', 'unknown', 0, false],
];

for (const [text, address, hop, trusted] of CASES) {
  test(`of ${text}, ${address} at hop ${hop} is ${trusted ? '' : 'not '}trusted`, () => {
    assert.equal(isTrusted(parseTrustedProxies(text), address, hop), trusted);
  });
}

test('without the option, no proxy is trusted', () => {
  assert.equal(isTrusted(undefined, '127.0.0.1', 0), false);
});

for (const text of [
  '0',
  '11',
  '',
  'all',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0/8',
  '10.0.0.0/',
  'fd00::/129',
  '10.0.0.1,',
]) {
  test(`refused: ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseTrustedProxies(text), /^RangeError: .*expected /);
  });
}

const FORWARDED = {
  host: '10.0.0.7:9002',
  'x-forwarded-proto': 'ftp, https',
  'x-forwarded-host': 'evil.example, chaos.example.com',
};
const from = (remoteAddress: string, encrypted = false) =>
  ({ headers: FORWARDED, socket: { remoteAddress, encrypted } }) as unknown as Parameters<
    typeof asReached
  >[0];

test('how the server was reached: by the connection, or as the nearest trusted proxy says', () => {
  const networks = parseTrustedProxies('10.0.0.0/8');
  assert.deepEqual(asReached(from('10.0.0.1'), networks), { protocol: 'https', host: 'chaos.example.com' });
  assert.deepEqual(asReached(from('203.0.113.9'), networks), { protocol: 'http', host: '10.0.0.7:9002' });
  assert.deepEqual(asReached(from('10.0.0.1', true), undefined), {
    protocol: 'https',
    host: '10.0.0.7:9002',
  });
});
