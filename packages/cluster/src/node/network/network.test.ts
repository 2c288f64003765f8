import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoints, Service } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { EndpointSlice } from '../../controllers/shared/types.ts';
import { type AddressBlock, claimAddressBlock, sharedBlock } from './address-block.ts';
import { type Backend, endpointsOf, type ServicePort, servicePorts } from './backends.ts';
import { nameTable } from './name-table.ts';
import { type ListenerOptions, ServiceListener } from './service-listener.ts';

const linux = process.platform === 'linux';
let block: AddressBlock;

before(async () => {
  block = await claimAddressBlock();
});
after(() => block.release());

test('clusters take different blocks, and a released one is free again', { skip: !linux }, async () => {
  const number = 200;
  const [a, b] = await Promise.all([claimAddressBlock(number), claimAddressBlock(number)]);
  assert.notEqual(a.serviceCidr, b.serviceCidr);
  assert.match(a.podCidr, /^127\.\d+\.64\.0\/18$/);
  assert.match(a.nodeAddress(2), /^127\.\d+\.254\.2$/);
  await Promise.all([a.release(), a.release(), b.release()]);
  const again = await claimAddressBlock(Number(a.podCidr.split('.')[1]));
  assert.equal(again.podCidr, a.podCidr);
  await again.release();
});

test('a pod address is not given twice, and a released one last of all', { skip: !linux }, () => {
  const leases = Array.from({ length: 600 }, () => block.leasePodAddress());
  assert.equal(new Set(leases.map(({ address }) => address)).size, 600);
  const [first] = leases;
  first?.release();
  const next = block.leasePodAddress();
  assert.notEqual(next.address, first?.address);
  for (const lease of [...leases, next]) lease.release();
});

test('without addresses of their own, all share one', () => {
  const shared = sharedBlock();
  assert.equal(shared.leasePodAddress().address, '127.0.0.1');
  assert.equal(shared.separate, false);
});

function slice(endpoints: EndpointSlice['endpoints'], port = 8080): EndpointSlice {
  return { metadata: { name: 's' }, addressType: 'IPv4', endpoints, ports: [{ name: 'http', port }] };
}

function service(spec: Service['spec'] = {}): Service {
  const ports = [{ name: 'http', port: 80 }];
  return { metadata: { name: 'web', namespace: 'shop' }, spec: { clusterIP: '127.20.0.9', ports, ...spec } };
}

const a = { addresses: ['127.20.64.1'], conditions: { ready: true } };
const notReady = { addresses: ['127.20.64.2'], conditions: { ready: false } };
const draining = {
  addresses: ['127.20.64.3'],
  conditions: { ready: false, serving: true, terminating: true },
};

const backends: [name: string, slices: EndpointSlice[], ips: string[]][] = [
  ['ready ones', [slice([a, notReady, draining])], ['127.20.64.1']],
  ['draining ones when none is ready', [slice([notReady, draining])], ['127.20.64.3']],
  ['none', [slice([notReady])], []],
  [
    'of several slices',
    [slice([a]), slice([{ addresses: ['127.20.64.9'] }], 9090)],
    ['127.20.64.1', '127.20.64.9'],
  ],
];

for (const [name, slices, ips] of backends) {
  test(`backends: ${name}`, () => {
    const [port] = servicePorts(service(), endpointsOf(slices, undefined));
    assert.deepEqual(
      port?.backends.map(({ ip }) => ip),
      ips,
    );
  });
}

test('Endpoints serve while there are no slices', () => {
  const endpoints: Endpoints = {
    metadata: { name: 'web' },
    subsets: [
      {
        addresses: [{ ip: '127.20.64.5', hostname: 'web-0' }],
        notReadyAddresses: [{ ip: '127.20.64.6' }],
        ports: [{ name: 'http', port: 8080 }],
      },
    ],
  };
  const found = endpointsOf([], endpoints);
  assert.deepEqual(servicePorts(service(), found)[0]?.backends, [{ ip: '127.20.64.5', port: 8080 }]);
  assert.equal(endpointsOf([slice([a])], endpoints).length, 1);
});

test('headless, external and UDP ports are not proxied', () => {
  const endpoints = endpointsOf([slice([a])], undefined);
  assert.deepEqual(servicePorts(service({ clusterIP: 'None' }), endpoints), []);
  assert.deepEqual(servicePorts(service({ type: 'ExternalName' }), endpoints), []);
  assert.deepEqual(servicePorts(service({ ports: [{ port: 53, protocol: 'UDP' }] }), endpoints), []);
});

test('names: cluster IP, headless with its pods, external', () => {
  const endpoints = endpointsOf(
    [
      slice([
        { ...a, hostname: 'web-0' },
        { ...notReady, hostname: 'web-1' },
      ]),
    ],
    undefined,
  );
  const table = (spec: Service['spec'], direct = false) =>
    nameTable([{ service: service(spec), endpoints }], { '127.20.0.9:80': 30080 }, direct);
  assert.deepEqual(table({}), {
    hosts: { 'web.shop': ['127.20.0.9'], 'web-0.web.shop': ['127.20.64.1'] },
    aliases: {},
    ports: { '127.20.0.9:80': 30080 },
  });
  assert.deepEqual(table({ clusterIP: 'None' }).hosts, {
    'web.shop': ['127.20.64.1'],
    'web-0.web.shop': ['127.20.64.1'],
  });
  assert.deepEqual(table({ clusterIP: 'None', publishNotReadyAddresses: true }).hosts['web.shop'], [
    '127.20.64.1',
    '127.20.64.2',
  ]);
  assert.deepEqual(table({ type: 'ExternalName', externalName: 'db.example' }).aliases, {
    'web.shop': 'db.example',
  });
  assert.deepEqual(table({}, true).hosts['web.shop'], ['127.20.64.1']);
});

const servers: Server[] = [];
const listeners: ServiceListener[] = [];

afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close(true);
  for (const server of servers.splice(0)) server.close();
});

/** A server that says its name, then echoes until the client ends. */
async function backend(name: string): Promise<Backend & { server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.write(`${name}\n`);
    socket.pipe(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { ip: '127.0.0.1', port: (server.address() as AddressInfo).port, server };
}

const clock = new FakeClock();

async function listen(
  target: Partial<ServicePort>,
  mayTalk: ListenerOptions['mayTalk'] = () => true,
): Promise<ServiceListener> {
  const port = {
    service: 'shop/web',
    clusterIP: '127.0.0.1',
    port: 0,
    backends: [],
    affinityMs: 0,
    ...target,
  };
  const listener = await ServiceListener.open(port, { clock, random: () => 0, mayTalk });
  listeners.push(listener);
  return listener;
}

async function dial(listener: ServiceListener): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: listener.port, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

async function ask(listener: ServiceListener, say = ''): Promise<string> {
  const socket = await dial(listener);
  socket.end(say);
  return text(socket);
}

test('connections go round the backends; an end in one direction leaves the other open', async () => {
  const [first, second] = [await backend('one'), await backend('two')];
  const listener = await listen({ backends: [first, second] });
  assert.deepEqual(
    [await ask(listener, 'x'), await ask(listener, 'y'), await ask(listener)],
    ['one\nx', 'two\ny', 'one\n'],
  );
});

test('a backend that refuses is passed over', async () => {
  const [gone, alive] = [await backend('gone'), await backend('alive')];
  gone.server.close();
  const listener = await listen({ backends: [gone, alive] });
  assert.deepEqual([await ask(listener), await ask(listener)], ['alive\n', 'alive\n']);
});

test('when no backend answers, the connection is reset', async () => {
  const gone = await backend('gone');
  gone.server.close();
  const listener = await listen({ backends: [gone] });
  const socket = connect({ host: '127.0.0.1', port: listener.port });
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNRESET');
});

test('a backend that resets resets the client', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const listener = await listen({
    backends: [{ ip: '127.0.0.1', port: (server.address() as AddressInfo).port }],
  });
  const socket = await dial(listener);
  socket.write('x');
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNRESET');
});

test('session affinity keeps a client at its backend until it is gone or the time is over', async () => {
  const [first, second] = [await backend('one'), await backend('two')];
  const target = { backends: [first, second], affinityMs: 10_000 };
  const listener = await listen(target);
  assert.deepEqual([await ask(listener), await ask(listener)], ['one\n', 'one\n']);
  clock.advanceSync(10_001);
  assert.equal(await ask(listener), 'one\n', 'the third in turn');
  listener.update({ service: '', clusterIP: '', port: 0, ...target, backends: [second] });
  assert.equal(await ask(listener), 'two\n');
});

test('an update reaches new connections and leaves old ones; closing hard ends them', async () => {
  const [first, second] = [await backend('one'), await backend('two')];
  const listener = await listen({ backends: [first] });
  const old = await dial(listener);
  old.on('error', () => {});
  assert.equal(String(await once(old, 'data')), 'one\n');
  listener.update({ service: '', clusterIP: '', port: 0, affinityMs: 0, backends: [second] });
  assert.equal(await ask(listener), 'two\n');
  old.write('still here\n');
  assert.equal(String(await once(old, 'data')), 'still here\n');
  const closed = new Promise((resolve) => old.once('close', resolve));
  listener.close(true);
  old.end();
  await closed;
  await assert.rejects(dial(listener), { code: 'ECONNREFUSED' });
});

test('who may not talk with a backend hears nothing, until it may', async () => {
  const [one, two] = [await backend('one'), await backend('two')];
  let cutOff: readonly Backend[] = [one];
  const asked: string[] = [];
  const listener = await listen({ backends: [one, two] }, (client, { port }, { ip, port: target }) => {
    asked.push(`${client} ${port} ${ip}`);
    return !cutOff.some((backend) => backend.port === target);
  });
  const held = await dial(listener);
  held.end('late');
  assert.equal(await ask(listener), 'two\n', 'others are not in its way');
  const kept = await dial(listener);
  // Both were turned to the first one, and stay with it.
  assert.equal(held.bytesRead + kept.bytesRead, 0);
  assert.ok(asked.every((one) => one === '127.0.0.1 0 127.0.0.1'));
  cutOff = [];
  listener.recheck();
  assert.deepEqual([await text(held), String(await once(kept, 'data'))], ['one\nlate', 'one\n']);
  kept.end();
});

test('a connection that may not be any more passes nothing in either direction, and then what was held back', async () => {
  const one = await backend('one');
  let isCutOff = false;
  const listener = await listen({ backends: [one] }, () => !isCutOff);
  const socket = await dial(listener);
  assert.equal(String(await once(socket, 'data')), 'one\n');
  isCutOff = true;
  listener.recheck();
  socket.write('held back, ');
  const open = await dial(listener);
  assert.equal(
    await Promise.race([once(socket, 'data'), once(open, 'data'), delay(50, 'nothing')]),
    'nothing',
  );
  isCutOff = false;
  listener.recheck();
  assert.equal(String(await once(socket, 'data')), 'held back, ');
  socket.end('and ended');
  assert.equal(await text(socket), 'and ended');
  open.destroy();
});
