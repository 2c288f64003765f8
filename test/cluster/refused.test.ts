/** What a node without systemd, and the only node, are spared: the run says why, and nothing is touched. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { isNodeHere, noCluster } from './support/settings.ts';
import { Shop } from './support/shop.ts';

/** Where systemd runs the machine, it has this folder. */
const HAS_SYSTEMD = existsSync('/run/systemd/system');

describe('faults that a node cannot have', { skip: noCluster, concurrency: 3 }, () => {
  let shop: Shop;
  let nodes: readonly Node[];
  let isHere = false;
  before(async () => {
    shop = await Shop.open();
    nodes = (await shop.client.list<Node>(NODES)).items;
    isHere = await isNodeHere(shop.client);
  });
  after(() => shop?.close());

  const nodeName = (): string => nodes[0]?.metadata.name ?? '';

  /** Runs a fault on the node; gives why it did not, with the code. Nothing may have been in force. */
  async function refusal(fault: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const run = await shop.run({
      fault,
      env: { TARGET_NODE: nodeName(), TOTAL_CHAOS_DURATION: '5', DEFAULT_HEALTH_CHECK: 'false', ...env },
    });
    assert.equal(await run.verdict(), 'Error');
    const { status } = await run.result();
    const states = Object.values(status?.ledger ?? {}).map(({ state }) => state);
    assert.ok(!states.includes('injected') && !states.includes('planned'), states.join());
    const { metadata, status: after } = await shop.client.get<Node>(NODES, nodeName());
    assert.equal(after?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True', metadata.name);
    const { errorCode, reason } = status?.experimentStatus?.errorOutput ?? {};
    return `${errorCode}: ${reason}`;
  }

  for (const fault of ['kubelet-service-kill', 'docker-service-kill']) {
    it(`${fault}: a node that is not run by systemd`, async (test) => {
      if (!isHere || HAS_SYSTEMD) return test.skip('its node is not this machine, or is run by systemd');
      // Or nobody may look whether it is: machines exist whose process 1 is shielded.
      assert.match(await refusal(fault), /it is not run by systemd|cannot enter process 1 of this node/);
    });
  }

  it('node-restart: the node that its own experiment is on, which would go with it', async (test) => {
    if (nodes.length > 1) return test.skip('the experiment may be on another node');
    // Should it be tried all the same, this does no harm: nobody has this address, and the command says a word.
    const env = { TARGET_NODE_IP: '203.0.113.1', REBOOT_COMMAND: 'echo reboot' };
    assert.match(
      await refusal('node-restart', env),
      new RegExp(`cannot hit node ${nodeName()}: the pod of this experiment runs there and would go with it`),
    );
  });
});
