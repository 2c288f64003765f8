import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lackingCapabilities } from '@turnsole/kube/text/capabilities';
import { CapabilityError, requireCapabilities } from './capabilities.ts';
import { MissingToolError, requireTools } from './tools.ts';

// Bits 12 (NET_ADMIN) and 21 (SYS_ADMIN); then what containers have that ask for nothing.
const both = 'Name:\tnode\nCapPrm:\t0000000000000000\nCapEff:\t0000000000201000\nCapBnd:\tffffffffffffffff\n';
const ordinary = 'CapEff:\t00000000a80425fb\n';

test('missing capabilities are listed by name, from the effective set', () => {
  assert.deepEqual(lackingCapabilities(both, ['NET_ADMIN', 'SYS_ADMIN']), []);
  assert.deepEqual(lackingCapabilities(both, ['SYS_PTRACE', 'SYS_ADMIN']), ['SYS_PTRACE']);
  assert.deepEqual(lackingCapabilities(ordinary, ['KILL', 'NET_ADMIN', 'SYS_ADMIN']), [
    'NET_ADMIN',
    'SYS_ADMIN',
  ]);
  assert.deepEqual(lackingCapabilities('', ['KILL']), ['KILL'], 'without /proc nothing is certain');
});

test('the error says what cannot be done, and what to do', () => {
  assert.throws(
    () => requireCapabilities(['NET_ADMIN', 'SYS_ADMIN'], 'enter process 7', () => ordinary),
    (error: unknown) => {
      assert.ok(error instanceof CapabilityError);
      assert.match(
        error.message,
        /^cannot enter process 7: this process lacks CAP_NET_ADMIN and CAP_SYS_ADMIN; .*start turnsole as root$/,
      );
      return true;
    },
  );
  requireCapabilities(['NET_ADMIN'], 'do it', () => both);
});

test('missing programs are listed with their packages', () => {
  assert.throws(
    () => requireTools(['tc', 'stress-ng', 'nft'], 'shape traffic', '/nowhere'),
    (error: unknown) => {
      assert.ok(error instanceof MissingToolError);
      assert.match(
        error.message,
        /^cannot shape traffic: not found in PATH: tc \(package iproute2\), stress-ng \(package stress-ng\), nft \(package nftables\)/,
      );
      return true;
    },
  );
});
