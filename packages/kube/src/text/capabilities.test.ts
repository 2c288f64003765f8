import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Capability, lackingCapabilities, nameCapabilities } from './capabilities.ts';

test('capabilities are named as the manual names them', () => {
  assert.equal(nameCapabilities([]), '');
  assert.equal(nameCapabilities(['KILL']), 'CAP_KILL');
  assert.equal(
    nameCapabilities(['KILL', 'NET_ADMIN', 'SYS_ADMIN']),
    'CAP_KILL, CAP_NET_ADMIN and CAP_SYS_ADMIN',
  );
});

for (const [name, status, lacking] of [
  ['all', 'Name:\tsh\nCapEff:\t000001ffffffffff\n', []],
  ['one', 'CapEff:\t0000000000001000\n', ['KILL', 'SYS_ADMIN']],
  ['none', 'CapEff:\t0000000000000000\n', ['KILL', 'NET_ADMIN', 'SYS_ADMIN']],
  ['no status at all', '', ['KILL', 'NET_ADMIN', 'SYS_ADMIN']],
] satisfies [string, string, Capability[]][]) {
  test(`capabilities: a process with ${name} lacks ${lacking.join() || 'nothing'}`, () => {
    assert.deepEqual(lackingCapabilities(status, ['KILL', 'NET_ADMIN', 'SYS_ADMIN']), lacking);
  });
}
