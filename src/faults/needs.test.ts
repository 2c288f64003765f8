import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BARE_MACHINES, CURBED_ROOTS, MACOS, TAKES, UNPRIVILEGED } from '../../test/support/fault-rights.ts';
import { LACKS_NOTHING } from '../chaos/testing/lacks-nothing.ts';
import { helperNeedsOf } from '../experiment/injection/fault.ts';
import { obstacleTo } from '../experiment/node/obstacle.ts';
import { faultRegistry } from './index.ts';

test('every fault stands in the table of what faults take of a machine', () => {
  const where =
    'test/support/fault-rights.ts: add what the fault takes of a machine, and its `needs` to the fault';
  assert.deepEqual(Object.keys(TAKES).sort(), [...faultRegistry.keys()].sort(), where);
});

describe('what a machine cannot do is refused by its name, with what to do; nothing else is', () => {
  for (const { name, lacks, refuses } of [UNPRIVILEGED, MACOS, ...CURBED_ROOTS, ...BARE_MACHINES]) {
    test(name, async () => {
      for (const [fault, load] of faultRegistry) {
        const words = refuses[TAKES[fault] ?? 'nothing'];
        const obstacle = obstacleTo(await load(), lacks, 'embedded');
        if (words === undefined) {
          assert.equal(obstacle, undefined, `${fault} works there`);
          continue;
        }
        assert.ok(obstacle !== undefined, `${fault} does not work there`);
        assert.ok(obstacle.startsWith(`cannot inject ${fault}: `), obstacle);
        for (const word of words) assert.ok(obstacle.includes(word), `${fault}: ${word} in: ${obstacle}`);
        assert.match(
          obstacle,
          /; (start turnsole as root on Linux|install it on this machine|choose a node with Linux)/,
        );
      }
    });
  }

  test('a machine that has everything', async () => {
    for (const [, load] of faultRegistry) {
      assert.equal(obstacleTo(await load(), LACKS_NOTHING, 'embedded'), undefined);
    }
  });
});

test('a fault with a privileged helper says which capabilities it is for', async () => {
  // On an embedded node its machine does what these do; elsewhere they ask for what they need when they know where they are.
  const orders = ['kubelet-service-kill', 'docker-service-kill'];
  for (const [name, load] of faultRegistry) {
    const fault = await load();
    const { needs } = fault;
    const helper = helperNeedsOf(fault);
    if (helper?.securityContext?.privileged !== true || orders.includes(name)) continue;
    assert.notDeepEqual(needs?.capabilities ?? [], [], name);
    assert.equal(needs?.isolatedPods, true, `${name} enters pods, which have to be isolated`);
  }
});
