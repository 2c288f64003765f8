/**
 * HTTP and DNS faults on pods with addresses of both families, measured from outside and inside of the pod: in two network
 * namespaces joined by a wire, of which one is the pod's.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { injectInto } from './support/network-run.ts';
import { noNetworks, type TwoNetworks, twoNetworks } from './support/two-networks.ts';

const skip = noNetworks();
const PORT = '8080';

/** A server of both families. */
const WEB = `
import { createServer } from 'node:http';
const server = createServer((_, response) => { response.setHeader('x-server', 'web'); response.end('hello'); });
server.listen({ host: '::', port: Number(process.argv[1]) }, () => console.log('ready'));
`;

/** For each line \`host port times\`: as many requests one after another, as a JSON list of \`{ said, ms }\`. */
const ASK = `
import { get } from 'node:http';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [host, port, times] = line.split(' ');
  const found = [];
  for (let time = 0; time < Number(times); time += 1) {
    const start = performance.now();
    const [response] = await once(get({ host, port, agent: false, family: host.includes(':') ? 6 : 4 }), 'response');
    const body = Buffer.concat(await response.toArray()).toString();
    found.push({ said: response.statusCode + ' ' + body, ms: performance.now() - start });
  }
  console.log(JSON.stringify(found));
}
`;

interface Answer {
  readonly said: string;
  readonly ms: number;
}

/** A server in the pod, and who asks it from outside. */
async function web({ pod, outside }: TwoNetworks) {
  const server = pod.start(WEB, [PORT]);
  await server.line();
  const client = outside.start(ASK);
  await client.line();
  return async (address: string, times = 1): Promise<readonly Answer[]> => {
    client.child.stdin?.write(`${address} ${PORT} ${times}\n`);
    return JSON.parse(await client.line()) as Answer[];
  };
}

/** Looks while a fault is in force; it is reverted in any case. */
async function under(
  networks: TwoNetworks,
  name: string,
  env: Readonly<Record<string, string>>,
  look: () => Promise<void>,
): Promise<void> {
  const fault = await injectInto(networks, name, env);
  try {
    await look();
  } finally {
    await fault.revert();
  }
}

/** The time of the answer that came soonest: other work on the machine only makes answers later. */
const shortest = (answers: readonly Answer[]): number => Math.min(...answers.map(({ ms }) => ms));

test('HTTP faults hit requests to addresses of both families', { skip }, async () => {
  await using networks = await twoNetworks();
  const { v4, v6 } = networks.pod.addresses;
  const ask = await web(networks);
  const said = async (address: string): Promise<string | undefined> => (await ask(address))[0]?.said;
  const table: readonly [string, Record<string, string>, string][] = [
    ['pod-http-status-code', { STATUS_CODE: '503', MODIFY_RESPONSE_BODY: 'false' }, '503 hello'],
    ['pod-http-modify-body', { RESPONSE_BODY: 'new' }, '200 new'],
  ];
  for (const [name, env, expected] of table) {
    await under(networks, name, { TARGET_SERVICE_PORT: PORT, ...env }, async () => {
      for (const address of [v4, v6]) assert.equal(await said(address), expected, `${name} at ${address}`);
    });
    for (const address of [v4, v6]) assert.equal(await said(address), '200 hello', `${name} is over`);
  }
  assert.doesNotMatch(await networks.pod.run(['nft', 'list', 'ruleset']), /turnsole/);
});

test('HTTP latency: within a tenth of what is set, at addresses of both families', { skip }, async () => {
  await using networks = await twoNetworks();
  const { v4, v6 } = networks.pod.addresses;
  const ask = await web(networks);
  const without = new Map([
    [v4, shortest(await ask(v4, 15))],
    [v6, shortest(await ask(v6, 15))],
  ]);
  const env = { TARGET_SERVICE_PORT: PORT, LATENCY: '1000' };
  await under(networks, 'pod-http-latency', env, async () => {
    for (const [address, ms] of without) {
      const added = shortest(await ask(address, 7)) - ms;
      assert.ok(added >= 900 && added <= 1100, `${added} ms added at ${address}`);
    }
  });
  for (const [address] of without) assert.ok(shortest(await ask(address, 5)) < 900, `over at ${address}`);
});

/** A name server of both families, over UDP and TCP, that knows every name. */
const NAMES = `
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import packets from 'dns-packet';
const reply = (query) => ({
  type: 'response', id: query.id, flags: packets.RECURSION_AVAILABLE, questions: query.questions,
  answers: query.questions.map(({ name, type }) => ({ name, type, ttl: 0, data: type === 'AAAA' ? 'fd00::1' : '10.0.0.1' })),
});
const socket = createSocket('udp6');
socket.on('message', (message, { port, address }) => socket.send(packets.encode(reply(packets.decode(message))), port, address));
socket.bind({ address: '::', port: 53 }, () => {
  createServer((stream) => {
    let bytes = Buffer.alloc(0);
    stream.on('error', () => {});
    stream.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16BE(0)) return;
      stream.end(packets.streamEncode(reply(packets.streamDecode(bytes))));
    });
  }).listen({ host: '::', port: 53 }, () => console.log('ready'));
});
`;

test('DNS faults hit questions to name servers of both families', { skip }, async () => {
  // Questions that are not hit are passed on to a server of IPv6.
  await using networks = await twoNetworks('nameserver fd99::1');
  const { pod, outside } = networks;
  const server = outside.start(NAMES);
  await server.line();
  const dig = async (...args: string[]): Promise<string> =>
    (await pod.run(['dig', '+short', '+time=10', '+tries=1', ...args])).trim();
  const servers = [`@${outside.addresses.v4}`, `@${outside.addresses.v6}`];
  for (const where of servers) assert.equal(await dig(where, 'db.example', 'AAAA'), 'fd00::1', where);

  await under(networks, 'pod-dns-error', { TARGET_HOSTNAMES: '["db.example"]' }, async () => {
    for (const where of servers) {
      for (const transport of ['+notcp', '+tcp']) {
        assert.equal(await dig(where, transport, 'db.example', 'AAAA'), '', `${where} ${transport}`);
        assert.equal(await dig(where, transport, 'db.example', 'A'), '', `${where} ${transport}`);
        assert.equal(
          await dig(where, transport, 'other.example', 'AAAA'),
          'fd00::1',
          `${where} ${transport}`,
        );
      }
    }
  });
  await under(networks, 'pod-dns-spoof', { SPOOF_MAP: '{"db.example":"fd00::9"}' }, async () => {
    for (const where of servers) {
      assert.equal(await dig(where, 'db.example', 'AAAA'), 'fd00::9', where);
      assert.equal(await dig(where, 'other.example', 'A'), '10.0.0.1', where);
    }
  });
  for (const where of servers) assert.equal(await dig(where, 'db.example', 'AAAA'), 'fd00::1', where);
  assert.doesNotMatch(await pod.run(['nft', 'list', 'ruleset']), /turnsole/);
});
