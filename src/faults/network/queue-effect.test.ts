import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQueueCounts } from './queue-count.ts';
import { idleEffect, queueEffect } from './queue-effect.ts';
import { hitQueue, type PacketEffect } from './tc-plan.ts';

/** As `tc -s qdisc show dev eth0` lists a split with a filter that draws numbers. */
const LISTING = `qdisc htb 7c12: root refcnt 2 r2q 10 default 0 direct_packets_stat 5 direct_qlen 1000
 Sent 1000 bytes 7 pkt (dropped 4, overlimits 1 requeues 0)
 backlog 0b 0p requeues 0
qdisc netem 7f01: parent 7c12:2 limit 1000 delay 2s
 Sent 98 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 196b 2p requeues 0
`;
const delay: PacketEffect = {
  kind: 'delay',
  delayMs: 2000,
  jitterMs: 0,
  correlation: 0,
  open: { kind: 'keep' },
};
const loss: PacketEffect = { kind: 'loss', percent: 30, correlation: 0 };
const rate: PacketEffect = {
  kind: 'rate',
  rate: '1mbit',
  burst: '32kb',
  limit: '2mb',
  peakRate: '',
  minBurst: '',
};
const queue = { kind: 'netem', handle: '7c12:', sent: 0, dropped: 0, overlimits: 0, waiting: 0 };

test('the queue that hits packets is found in the listing of all', () => {
  const queues = parseQueueCounts(LISTING);
  assert.deepEqual(hitQueue(queues, '7c12:'), {
    kind: 'netem',
    handle: '7f01:',
    sent: 1,
    dropped: 0,
    overlimits: 0,
    waiting: 2,
  });
  assert.equal(hitQueue(queues.slice(0, 1), '7c12:')?.kind, 'htb');
  assert.equal(hitQueue(queues, '7aaa:'), undefined, 'another program has removed it');
});

test('what the kernel has counted says whether there was an effect', () => {
  const rows: [string, PacketEffect, Partial<typeof queue>, RegExp][] = [
    ['no packet is delayed', delay, {}, /^false no packet that is meant was sent; check NETWORK_INTERFACE/],
    ['packets are delayed', delay, { sent: 2 }, /^true 2 packets hit$/],
    ['packets wait still', delay, { waiting: 1 }, /^true 1 packet hit$/],
    ['none of a few is lost', loss, { sent: 3 }, /^false 3 packets could have been lost, and none was$/],
    ['packets are lost', loss, { sent: 3, dropped: 1 }, /^true 1 packet lost$/],
    [
      'none is lost without netem',
      loss,
      { kind: 'blackhole' },
      /^false no packet was lost: none that is meant/,
    ],
    ['all are lost without netem', loss, { kind: 'blackhole', dropped: 5 }, /^true 5 packets lost$/],
    ['the rate is not reached', rate, { kind: 'tbf', sent: 9 }, /^false 9 packets left below the rate limit/],
    [
      'the rate is reached',
      rate,
      { kind: 'tbf', sent: 9, overlimits: 4 },
      /^true 9 packets met the rate limit/,
    ],
  ];
  for (const [name, effect, counts, expected] of rows) {
    const { seen, message } = queueEffect(effect, { ...queue, ...counts });
    assert.match(`${seen} ${message}`, expected, name);
  }
});

test('settings that ask for nothing', () => {
  const rows: [PacketEffect, boolean][] = [
    [{ kind: 'loss', percent: 0, correlation: 0 }, true],
    [{ kind: 'loss', percent: 0.5, correlation: 0 }, false],
    [{ kind: 'duplicate', percent: 0, correlation: 25 }, true],
    [{ kind: 'loss', percent: 100, correlation: 0 }, false],
    [{ kind: 'delay', delayMs: 0, jitterMs: 5, correlation: 0, open: { kind: 'keep' } }, false],
    [{ kind: 'delay', delayMs: 0, jitterMs: 0, correlation: 0, open: { kind: 'keep' } }, true],
    [{ kind: 'drop', probability: 0.5 }, false],
    [rate, false],
  ];
  for (const [effect, isIdle] of rows) {
    assert.equal(idleEffect(effect) !== undefined, isIdle, JSON.stringify(effect));
  }
});
