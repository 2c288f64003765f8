import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InterceptCount, Service } from './config.ts';
import { describeFormer, idleReason, interceptEffect } from './effect.ts';
import { countedPackets, type OpenConnections, parseRedirection, parseTables } from './rules.ts';

const redirect = { kind: 'inbound', device: 'eth0', ports: [9999] } as const;
const http: Service = { kind: 'http', port: 20_000, fault: { kind: 'latency', latencyMs: 5 }, toxicity: 100 };
const dns: Service = {
  kind: 'dns',
  rule: { kind: 'error', names: ['db'], scheme: 'exact' },
  resolvers: { nameservers: [], search: [], ndots: 1 },
};
const nothing: InterceptCount = { arrived: 0, requests: 0, hits: 0, rejected: 0, held: 0, others: [] };

test('what an interceptor has counted says whether there was an effect', () => {
  const rows: [string, Service, Partial<InterceptCount>, readonly number[], string][] = [
    [
      'no connection, no listener',
      http,
      {},
      [8000],
      'false no connection came to port 9999; no process in the pod listens there, but on 8000: set TARGET_SERVICE_PORT to the port that is meant',
    ],
    ['no connection', http, {}, [9999], 'false no connection came to port 9999'],
    [
      'no port is listened on',
      http,
      {},
      [],
      'false no connection came to port 9999; no process in the pod listens on any port',
    ],
    [
      'connections without a request',
      http,
      { arrived: 2 },
      [9999],
      'false 2 connections came to port 9999, and nothing on them could be hit: they carried no HTTP/1 request',
    ],
    [
      'requests without an answer',
      http,
      { arrived: 1, requests: 1 },
      [8000],
      'false 1 request came to port 9999, and none was answered; no process in the pod listens there, but on 8000: set TARGET_SERVICE_PORT to the port that is meant',
    ],
    [
      'none was drawn',
      { ...http, toxicity: 1 },
      { arrived: 3, requests: 4 },
      [9999],
      'false 4 requests came to port 9999, and none was hit (TOXICITY 1)',
    ],
    [
      'requests hit',
      http,
      { arrived: 2, requests: 4, hits: 3 },
      [9999],
      'true 3 hits in 4 requests to port 9999',
    ],
    [
      'TLS that is delayed',
      http,
      { arrived: 2, hits: 2 },
      [9999],
      'true 2 hits in 2 connections to port 9999',
    ],
    [
      'connections from before',
      http,
      { rejected: 1 },
      [9999],
      'true connections from before to port 9999 were reset',
    ],
    ['no question', dns, {}, [], 'false no name was asked for'],
    [
      'other names',
      dns,
      { arrived: 2, others: ['cache.shop', 'queue.shop'] },
      [],
      'false 2 questions for names, and none for one that is hit; asked for were, among others, cache.shop, queue.shop',
    ],
    ['a name that is hit', dns, { arrived: 2, hits: 1 }, [], 'true 1 of 2 questions for names were hit'],
  ];
  for (const [name, service, count, listening, expected] of rows) {
    const { seen, message } = interceptEffect(
      { redirect, service, open: { kind: 'reset' } },
      { count: { ...nothing, ...count }, listening, former: 0 },
    );
    assert.equal(`${seen} ${message}`, expected, name);
  }
});

test('what becomes of connections that are open when it begins is said, and counts', () => {
  const delay: OpenConnections = { kind: 'delay', delayMs: 500, percent: 100 };
  const rows: [string, OpenConnections, number, Partial<InterceptCount>, string][] = [
    [
      'held back',
      delay,
      2,
      { held: 7 },
      'true answers on connections from before to port 9999 were held back 7 times',
    ],
    [
      'held back beside hits',
      delay,
      2,
      { arrived: 1, requests: 3, hits: 3, held: 7 },
      'true 3 hits in 3 requests to port 9999; answers on connections from before to port 9999 were held back 7 times',
    ],
    ['silent ones', delay, 2, {}, 'false no connection came to port 9999'],
    [
      'left alone',
      { kind: 'keep' },
      3,
      {},
      'false no new connection came to port 9999; 3 connections from before were left alone (OPEN_CONNECTIONS)',
    ],
    [
      'left alone beside hits',
      { kind: 'keep' },
      1,
      { arrived: 1, requests: 3, hits: 3 },
      'true 3 hits in 3 requests to port 9999; 1 connection from before was left alone (OPEN_CONNECTIONS)',
    ],
    ['reset', { kind: 'reset' }, 3, { rejected: 1 }, 'true connections from before to port 9999 were reset'],
  ];
  for (const [name, open, former, count, expected] of rows) {
    const found = interceptEffect(
      { redirect, service: http, open },
      { count: { ...nothing, ...count }, listening: [9999], former },
    );
    assert.equal(`${found.seen} ${found.message}`, expected, name);
  }
  const said: [OpenConnections, number, RegExp | undefined][] = [
    [delay, 0, undefined],
    [
      delay,
      1,
      /^1 connection to port 9999 is open: answers on them are held back until TCP sends them again after 500 ms/,
    ],
    [{ ...delay, delayMs: 20 }, 2, /^2 connections to port 9999 are open: .* after 200 ms/],
    [{ kind: 'reset' }, 3, /^3 connections to port 9999 are open: reset with the next data/],
    [{ kind: 'keep' }, 3, /^3 connections to port 9999 are open: left alone/],
  ];
  for (const [open, former, expected] of said) {
    const found = describeFormer(former, { redirect, open });
    if (expected === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', expected);
  }
});

test('settings under which nothing is changed whatever comes', () => {
  const rows: [Service, RegExp | undefined][] = [
    [http, undefined],
    [{ ...http, toxicity: 0 }, /^TOXICITY is 0/],
    [{ ...http, fault: { kind: 'header', direction: 'request', headers: {} } }, /^HEADERS_MAP is empty/],
    [{ ...http, fault: { kind: 'header', direction: 'request', headers: { a: '1' } } }, undefined],
    [dns, undefined],
    [{ ...dns, rule: { kind: 'error', names: [], scheme: 'exact' } }, undefined],
    [{ ...dns, rule: { kind: 'spoof', names: {} } }, /^SPOOF_MAP is empty/],
    [
      { ...dns, rule: { kind: 'spoof', names: { 'db.shop': 'DB.shop.' } } },
      /^SPOOF_MAP gives each name its own/,
    ],
    [{ ...dns, rule: { kind: 'spoof', names: { a: 'a', b: 'a' } } }, undefined],
    [{ ...http, fault: { kind: 'none' } }, /^RESPONSE_BODY is empty/],
  ];
  for (const [service, expected] of rows) {
    const found = idleReason(service);
    if (expected === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', expected);
  }
});

test('listings of nft', () => {
  const listing = `table ip turnsole_0123456789abcdef {
	set alive {
		type inet_service
		flags timeout
		elements = { 53 timeout 6s expires 5s988ms, 80 timeout 6s expires 5s988ms }
	}

	chain diverted {
		type nat hook prerouting priority dstnat - 10; policy accept;
		iifname "eth0" tcp dport @alive tcp dport 80 redirect to :20000
	}

	chain former {
		iifname "eth0" tcp dport @alive ct state established tcp flags & psh == psh counter packets 3 bytes 120 reject with tcp reset
		udp dport @alive counter packets 2 bytes 80 reject
	}
}
`;
  assert.deepEqual(
    parseTables('table ip filter\ntable ip turnsole_0123456789abcdef\ntable ip turnsole_try\n'),
    ['turnsole_0123456789abcdef'],
  );
  assert.deepEqual(parseRedirection(listing), { kind: 'inbound', ports: [53, 80], toPorts: [20_000] });
  assert.equal(parseRedirection(listing.replace(/elements.*/, '')), undefined, 'its helper is gone');
  assert.equal(countedPackets(listing), 5);
});
