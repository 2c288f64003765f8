import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '@turnsole/kube/base/clock';
import type { Endpoints, Service } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { MessageReader, withLength } from '@turnsole/kube/text/dns-frames';
import { decode, encode, type Packet } from 'dns-packet';
import type { EndpointSlice } from '../../controllers/shared/types.ts';
import { Objects } from '../testing/objects.ts';
import { type ClusterDns, type ClusterDnsOptions, startClusterDns } from './cluster-dns.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Rig {
  readonly dns: ClusterDns;
  readonly services: Objects<Service>;
  readonly slices: Objects<EndpointSlice>;
  readonly problems: string[];
  readonly resolver: Resolver;
}

async function start(options: Partial<ClusterDnsOptions> = {}): Promise<Rig> {
  const services = new Objects<Service>();
  const slices = new Objects<EndpointSlice>();
  const problems: string[] = [];
  services.add({ metadata: { name: 'web', namespace: 'shop' }, spec: { clusterIP: '10.0.0.9' } });
  const dns = await startClusterDns({
    address: '127.0.0.1',
    port: 0,
    services,
    slices,
    endpoints: new Objects<Endpoints>(),
    upstream: [],
    clock: systemClock,
    random: Math.random,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  cleanups.push(() => dns.close());
  // One try: a test that waits for a second one would hide the loss of the first.
  const resolver = new Resolver({ tries: 1 });
  resolver.setServers([`127.0.0.1:${dns.port}`]);
  return { dns, services, slices, problems, resolver };
}

/** A name server outside: gives the answers of `say`, over UDP and TCP on one port, and counts. */
async function outside(
  say: (query: Packet, transport: 'udp' | 'tcp') => Packet | undefined,
): Promise<{ address: string; port: number; asked: string[] }> {
  const asked: string[] = [];
  const answer = (message: Buffer, transport: 'udp' | 'tcp'): Buffer | undefined => {
    const query = decode(message);
    asked.push(`${transport} ${query.questions?.[0]?.name}`);
    const said = say(query, transport);
    return said && encode({ type: 'response', id: query.id, questions: query.questions, ...said });
  };
  const udp = createSocket('udp4');
  udp.on('message', (message, { port, address }) => {
    const bytes = answer(message, 'udp');
    if (bytes !== undefined) udp.send(bytes, port, address);
  });
  const tcp = createServer((socket) => {
    const reader = new MessageReader();
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const message of reader.read(chunk)) {
        const bytes = answer(message, 'tcp');
        if (bytes !== undefined) socket.write(withLength(bytes));
      }
    });
  });
  cleanups.push(
    () => udp.close(),
    () => tcp.close(),
  );
  // In this order: ports of TCP may be anybody's connections, ports of UDP are hardly ever taken.
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return { address: '127.0.0.1', port, asked };
}

const address = (name: string, data = '192.0.2.1') => ({ name, type: 'A' as const, ttl: 60, data });

test('names of the cluster resolve, and follow its services', async () => {
  const { resolver, services, slices } = await start();
  assert.deepEqual(await resolver.resolve4('web.shop.svc.cluster.local'), ['10.0.0.9']);
  assert.deepEqual(await resolver.reverse('10.0.0.9'), ['web.shop.svc.cluster.local']);
  await assert.rejects(resolver.resolve6('web.shop.svc.cluster.local'), { code: 'ENODATA' });
  await assert.rejects(resolver.resolve4('db.shop.svc.cluster.local'), { code: 'ENOTFOUND' });
  const ports = [{ name: 'sql', port: 5432 }];
  services.add({ metadata: { name: 'db', namespace: 'shop' }, spec: { clusterIP: 'None', ports } });
  slices.add({
    metadata: { name: 'db-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.1'], hostname: 'db-0' }],
    ports,
  });
  assert.deepEqual(await resolver.resolve4('db-0.db.shop.svc.cluster.local'), ['10.1.0.1']);
  const [found] = await resolver.resolveSrv('_sql._tcp.db.shop.svc.cluster.local');
  assert.equal(found?.name, 'db-0.db.shop.svc.cluster.local');
  assert.equal(found.port, 5432);
});

test('an answer that is too long for UDP is had over TCP', async () => {
  const { resolver, services, slices } = await start();
  services.add({ metadata: { name: 'many', namespace: 'shop' }, spec: { clusterIP: 'None' } });
  const addresses = Array.from({ length: 700 }, (_, at) => `10.2.${at >> 8}.${at & 255}`);
  slices.add({
    metadata: { name: 'many-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'many' } },
    addressType: 'IPv4',
    endpoints: addresses.map((ip) => ({ addresses: [ip] })),
    ports: [],
  });
  const found = await resolver.resolve4('many.shop.svc.cluster.local');
  assert.deepEqual(found.toSorted(), addresses.toSorted());
  assert.notDeepEqual(found, addresses);
});

test('other names are asked of the servers outside', async () => {
  const server = await outside(({ questions = [] }) =>
    questions[0]?.name === 'example.com' ? { answers: [address('example.com')] } : { flags: 3 },
  );
  const { resolver } = await start({ upstream: [server] });
  assert.deepEqual(await resolver.resolve4('example.com'), ['192.0.2.1']);
  await assert.rejects(resolver.resolve4('none.example.com'), { code: 'ENOTFOUND' });
  assert.deepEqual(server.asked, ['udp example.com', 'udp none.example.com']);
});

test('truncated answers from outside lead to TCP there too', async () => {
  const server = await outside((_, transport) =>
    transport === 'udp' ? { flags: 0x0200 } : { answers: [address('example.com')] },
  );
  const { resolver, services } = await start({ upstream: [server] });
  assert.deepEqual(await resolver.resolve4('example.com'), ['192.0.2.1']);
  const spec = { type: 'ExternalName', externalName: 'example.com' } as const;
  services.add({ metadata: { name: 'out', namespace: 'shop' }, spec });
  assert.deepEqual(await resolver.resolve4('out.shop.svc.cluster.local'), ['192.0.2.1']);
  assert.deepEqual(await resolver.resolveCname('out.shop.svc.cluster.local'), ['example.com']);
  assert.deepEqual(
    server.asked,
    ['udp', 'tcp', 'udp', 'tcp'].map((way) => `${way} example.com`),
  );
});

/** UDP sockets are not let to it, as if the machine had no way there. */
const OUT_OF_REACH = { address: '255.255.255.255' };

test('a server that is out of reach, fails, is closed or is silent is passed over', async () => {
  const clock = new FakeClock();
  const failing = await outside(() => ({ flags: 2 }));
  const silent = await outside(() => {
    // Only now has its time begun to run.
    queueMicrotask(() => void clock.advance(2_000));
    return undefined;
  });
  const closed = createSocket('udp4').bind(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address();
  closed.close();
  const good = await outside(() => ({ answers: [address('example.com')] }));
  const upstream = [OUT_OF_REACH, failing, { address: '127.0.0.1', port }, silent, good];
  const { resolver } = await start({ upstream, clock });
  assert.deepEqual(await resolver.resolve4('example.com'), ['192.0.2.1']);
  assert.equal(silent.asked.length, 1);
});

test('when no server outside answers it is a failure of the server, reported once', async () => {
  const { resolver, problems, dns } = await start();
  await assert.rejects(resolver.resolve4('example.com'), { code: 'ESERVFAIL' });
  await assert.rejects(resolver.resolve4('example.org'), { code: 'ESERVFAIL' });
  assert.deepEqual(problems, [
    'names outside the cluster cannot be resolved: this machine has no name servers configured; pods get SERVFAIL for them',
  ]);
  assert.deepEqual(await resolver.resolve4('web.shop.svc.cluster.local'), ['10.0.0.9']);
  await dns.close();
  await dns.close();
});

test('many questions on one connection are answered, whatever else it brings', async () => {
  const { dns } = await start();
  const socket = connect(dns.port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  const question = (id: number): Buffer =>
    withLength(encode({ id, questions: [{ type: 'A', name: 'web.shop.svc.cluster.local' }] }));
  const ids = Array.from({ length: 500 }, (_, id) => id);
  const bytes = Buffer.concat([...ids.map(question), withLength(Buffer.alloc(20, 0x41))]);
  // In odd pieces, as a network may have it.
  for (let at = 0; at < bytes.length; at += 1000) socket.write(bytes.subarray(at, at + 1000));
  const reader = new MessageReader();
  const answered = new Set<number>();
  for await (const chunk of socket) {
    for (const message of reader.read(chunk)) answered.add(message.readUInt16BE(0));
    // The last message claims to be a question of an unknown kind; it is refused under its id.
    if (answered.size === 501) break;
  }
  assert.ok(ids.every((id) => answered.has(id)));
});

test('garbage over UDP and TCP leaves the server as it was', async () => {
  const { dns, resolver, problems } = await start();
  const udp = createSocket('udp4');
  cleanups.push(() => udp.close());
  for (const length of [0, 1, 11, 12, 600]) {
    const sent = Promise.withResolvers<void>();
    udp.send(Buffer.alloc(length, 0xff), dns.port, '127.0.0.1', () => sent.resolve());
    await sent.promise;
  }
  const socket = connect(dns.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(withLength(Buffer.alloc(600, 0xff)));
  await once(socket, 'close');
  assert.deepEqual(await resolver.resolve4('web.shop.svc.cluster.local'), ['10.0.0.9']);
  assert.deepEqual(problems, []);
});

test('a port that is taken is an error', async () => {
  const { dns } = await start();
  await assert.rejects(start({ port: dns.port }), { code: 'EADDRINUSE' });
});

const hasDig = spawnSync('dig', ['-v']).status === 0;

test('dig finds nothing to complain about', { skip: hasDig ? false : 'dig is not installed' }, async () => {
  const { dns } = await start({ domain: 'Cluster.example' });
  const dig = async (...words: string[]): Promise<string> => {
    const to = ['@127.0.0.1', '-p', String(dns.port), '+tries=1'];
    return (await promisify(execFile)('dig', [...to, ...words])).stdout;
  };
  const known = await dig('wEb.shop.svc.cluster.example', 'A');
  assert.match(known, /status: NOERROR/);
  assert.match(known, /flags: qr aa rd ra; QUERY: 1, ANSWER: 1, AUTHORITY: 0, ADDITIONAL: 1/);
  assert.match(known, /^wEb\.shop\.svc\.cluster\.example\.\s+5\s+IN\s+A\s+10\.0\.0\.9$/m);
  const unknown = await dig('+tcp', 'none.shop.svc.cluster.example', 'A');
  assert.match(unknown, /status: NXDOMAIN/);
  assert.match(unknown, /^cluster\.example\.\s+5\s+IN\s+SOA\s+ns\.dns\.cluster\.example\. hostmaster/m);
  for (const output of [known, unknown]) assert.doesNotMatch(output, /WARNING|malformed|Warning/);
});
