import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressRefusal, allowedAddresses } from './addresses.ts';

const NONE = allowedAddresses('');

const REFUSED: readonly [address: string, why: string][] = [
  ['127.0.0.1', 'of this machine'],
  ['127.255.255.254', 'of this machine'],
  ['0.0.0.0', 'of this machine'],
  ['::1', 'of this machine'],
  ['::', 'of this machine'],
  ['169.254.169.254', 'link-local'],
  ['fe80::1', 'link-local'],
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['fd00:ec2::254', 'private'],
  ['224.0.0.1', 'no address of one machine'],
  ['255.255.255.255', 'reserved'],
  // Those of IPv4 in the forms of IPv6.
  ['::ffff:127.0.0.1', 'of this machine'],
  ['::ffff:7f00:1', 'of this machine'],
  ['0:0:0:0:0:ffff:0a01:0203', 'private'],
  ['::7f00:1', 'of this machine'],
  ['64:ff9b::a9fe:a9fe', 'link-local'],
  ['2002:7f00:1::', 'of this machine'],
  ['::ffff:0:127.0.0.1', 'of this machine'],
  ['2001:0:53aa:64c::1', 'a tunnel'],
  ['2001:10::1', 'reserved'],
  ['2001:2f:ffff::1', 'reserved'],
  ['3fff:fff::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['168.63.129.16', 'link-local'],
];

for (const [address, why] of REFUSED) {
  test(`${address} is refused: ${why}`, () => assert.equal(addressRefusal(address, NONE), why));
}

for (const address of [
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1',
  '64:ff9b::808:808',
  '::ffff:8.8.8.8',
]) {
  test(`${address} may be asked`, () => assert.equal(addressRefusal(address, NONE), undefined));
}

test('what the setting names may be asked, also in the form of IPv6, and nothing beside it', () => {
  const allowed = allowedAddresses(' Git.Corp.example, 10.2.0.0/16,127.0.0.1, fd00::/8 ');
  for (const address of ['10.2.3.4', '127.0.0.1', '::ffff:10.2.3.4', 'fd12::1'])
    assert.equal(addressRefusal(address, allowed), undefined, address);
  for (const address of ['10.3.0.1', '127.0.0.2', 'fe80::1'])
    assert.notEqual(addressRefusal(address, allowed), undefined, address);
  assert.deepEqual([allowed.isHost('git.CORP.example'), allowed.isHost('corp.example')], [true, false]);
});

test('a network that is none is refused by its text', () => {
  for (const text of ['10.0.0.0/33', 'x/8', '10.0.0.0/', 'fd00::/129'])
    assert.throws(
      () => allowedAddresses(text),
      new RegExp(`"${text.replaceAll('.', '\\.')}" is no network`),
      text,
    );
});
