/* oxlint-disable no-template-curly-in-string -- the rows are programs, as texts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeServerTls } from '../apiserver/tls/authority.ts';
import { type AddressBlock, claimAddressBlock } from './network/address-block.ts';
import type { AddressLease } from './network/address-pool.ts';
import type { NameTable } from './network/name-table.ts';

const linux = process.platform === 'linux';
const preload = fileURLToPath(new URL('./preload.cjs', import.meta.url));
let folder: string;
let block: AddressBlock;
let pod: AddressLease;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnsole-preload-'));
  block = await claimAddressBlock();
  pod = block.leasePodAddress();
});
after(async () => {
  await block.release();
  rmSync(folder, { recursive: true });
});

const hostsFile = (): string => join(folder, 'hosts.json');

function write(table: Partial<NameTable>): void {
  writeFileSync(`${hostsFile()}.next`, JSON.stringify({ hosts: {}, aliases: {}, ports: {}, ...table }));
  renameSync(`${hostsFile()}.next`, hostsFile());
}

/** Runs a program as a pod's container would; gives what it prints as JSON. */
async function run(program: string, env: Record<string, string> = {}): Promise<unknown> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      NODE_OPTIONS: `--require ${preload}`,
      TURNSOLE_HOSTS_FILE: hostsFile(),
      TURNSOLE_POD_IP: pod.address,
      TURNSOLE_POD_NAMESPACE: 'shop',
      HOSTNAME: 'web-0',
      ...env,
    },
  });
  return JSON.parse(await text(child.stdout));
}

const lookups = (names: readonly string[], options = '{}'): string => `
  import { lookup } from 'node:dns';
  import { lookup as promised } from 'node:dns/promises';
  const of = (name) => new Promise((resolve) => lookup(name, ${options}, (error, address, family) =>
    resolve(error ? error.code : Array.isArray(address) ? address.map((one) => one.address) : address + ' ' + family)));
  const names = ${JSON.stringify(names)};
  const again = await promised(names[0], ${options}).then((found) => found.address ?? found, (error) => error.code);
  console.log(JSON.stringify([...(await Promise.all(names.map(of))), again]));`;

test('names of services resolve in every form; others are left to the machine', async () => {
  write({ hosts: { 'web.shop': ['127.1.2.3'], 'db.data': ['127.1.2.4'], 'web-1.web.shop': ['127.1.2.5'] } });
  const names = [
    'web',
    'WEB.shop',
    'web.shop.svc',
    'web.shop.svc.cluster.local',
    'web.shop.svc.cluster.local.',
    'db.data',
    'web-1.web',
    'web-1.web.shop.svc.cluster.local',
    'none.shop.svc.cluster.local',
    '127.9.9.9',
  ];
  assert.deepEqual(await run(lookups(names)), [
    '127.1.2.3 4',
    '127.1.2.3 4',
    '127.1.2.3 4',
    '127.1.2.3 4',
    '127.1.2.3 4',
    '127.1.2.4 4',
    '127.1.2.5 4',
    '127.1.2.5 4',
    'ENOTFOUND',
    '127.9.9.9 4',
    '127.1.2.3',
  ]);
});

test('headless services give all addresses; IPv6 is not there; an alias leads on', async () => {
  write({ hosts: { 'web.shop': ['127.1.2.3', '127.1.2.4'] }, aliases: { 'out.shop': 'web.shop.svc' } });
  for (const name of ['web', 'out.shop.svc']) {
    const [all] = (await run(lookups([name], '{ all: true }'))) as string[][];
    assert.deepEqual(all?.sort(), ['127.1.2.3', '127.1.2.4']);
  }
  assert.deepEqual(await run(lookups(['web'], '{ family: 6 }')), ['ENOTFOUND', 'ENOTFOUND']);
});

test('the table is read again when it has changed', async () => {
  write({ hosts: { 'web.shop': ['127.1.2.3'] } });
  const next = JSON.stringify({ hosts: { 'web.shop': ['127.1.2.9'] }, aliases: {}, ports: {} });
  const program = `
    import { lookup } from 'node:dns/promises';
    import { renameSync, writeFileSync } from 'node:fs';
    const before = (await lookup('web')).address;
    writeFileSync(process.env.TURNSOLE_HOSTS_FILE + '.n', ${JSON.stringify(next)});
    renameSync(process.env.TURNSOLE_HOSTS_FILE + '.n', process.env.TURNSOLE_HOSTS_FILE);
    console.log(JSON.stringify([before, (await lookup('web')).address]));`;
  assert.deepEqual(await run(program), ['127.1.2.3', '127.1.2.9']);
});

const listening: [form: string, expected: 'pod' | string][] = [
  ['server.listen(0, done)', 'pod'],
  ['server.listen(done)', 'pod'],
  ['server.listen({ port: 0 }, done)', 'pod'],
  ["server.listen({ port: 0, host: '::' }, done)", 'pod'],
  ["server.listen(0, '0.0.0.0', done)", 'pod'],
  ["server.listen('0', '127.0.0.1', 5, done)", 'pod'],
  ["server.listen(0, 'localhost', done)", 'pod'],
  ['server.listen(0, undefined, done)', 'pod'],
  ["server.listen(0, '127.200.1.1', done)", '127.200.1.1'],
  ['server.listen({ path: process.env.SOCKET }, done)', 'path'],
  ['server.listen(process.env.SOCKET, done)', 'path'],
];

test('a server on all addresses or loopback listens on the pod address', { skip: !linux }, async () => {
  write({});
  const socket = join(folder, 'socket');
  const program = `
    import { createServer } from 'node:http';
    const forms = [${listening.map(([form]) => `(server, done) => ${form}`).join(',')}];
    const found = [];
    for (const form of forms) {
      const server = createServer();
      await new Promise((resolve) => form(server, resolve));
      const address = server.address();
      found.push(typeof address === 'string' ? 'path' : address.address);
      await new Promise((resolve) => server.close(resolve));
    }
    console.log(JSON.stringify(found));`;
  const found = await run(program, { SOCKET: socket });
  assert.deepEqual(
    found,
    listening.map(([, expected]) => (expected === 'pod' ? pod.address : expected)),
  );
  const unchanged = (await run(program, { SOCKET: socket, TURNSOLE_POD_IP: '127.0.0.1' })) as string[];
  assert.ok(unchanged.includes('0.0.0.0'), 'with a shared address nothing is changed');
});

const connecting: readonly (readonly [form: string, port: 'own' | '80' | 'tls' | '443'])[] = [
  ['text(http.get(URL_OF("http", "web")))', '80'],
  ['text(http.get({ host: "web", path: "/x" }))', '80'],
  ['text(http.get({ hostname: "web.shop.svc.cluster.local", agent: false }))', '80'],
  ['text(http.request("http://web", { agent: new http.Agent({ keepAlive: true }) }).end())', '80'],
  ['text(http.get(`http://${ADDRESS}/`))', '80'],
  ['text(http.get(`http://127.0.0.1:${PORT}/`))', 'own'],
  ['text(http.get(`http://localhost:${PORT}/`))', 'own'],
  ['text(http.get(`http://[::1]:${PORT}/`))', 'own'],
  ['text(http.get({ port: PORT }))', 'own'],
  ['text(http.get({ host: "web", createConnection: (options) => net.connect(options) }))', '80'],
  ['text(https.get("https://web/", { rejectUnauthorized: false }))', '443'],
  ['text(https.get({ host: "127.0.0.1", port: TLS_PORT, rejectUnauthorized: false }))', 'tls'],
  ['text(https.get("https://web/", { agent: new https.Agent({ rejectUnauthorized: false }) }))', '443'],
  ['fetch("http://web/x").then((answer) => answer.text())', '80'],
  ['fetch(`http://127.0.0.1:${PORT}/`).then((answer) => answer.text())', 'own'],
  ['second("http://web")', '80'],
  ['second(`http://127.0.0.1:${PORT}`)', 'own'],
  ['peer(net.connect({ host: "web", port: "80" }))', '80'],
  ['peer(net.connect({ host: "web", port: 80, path: null }))', '80'],
  ['peer(net.connect({ host: "web", port: 80, path: "" }))', '80'],
  ['peer(net.connect("80", "web"))', '80'],
  ['peer(new net.Socket().connect({ host: "web", port: 80, autoSelectFamily: false }))', '80'],
  ['peer(new net.Socket().connect(PORT, "::1"))', 'own'],
  ['peer(net.connect(PORT, "127.0.0.1").once("lookup", () => setImmediate(compute)))', 'own'],
  ['peer(net.connect({ port: PORT }).once("lookup", () => setImmediate(compute)))', 'own'],
  ['peer(tls.connect(443, "web", { rejectUnauthorized: false }))', '443'],
  ['peer(tls.connect({ host: "web", port: 443, rejectUnauthorized: false }))', '443'],
  ['peer(tls.connect({ host: "127.0.0.1", port: TLS_PORT, rejectUnauthorized: false }))', 'tls'],
  ['peer(tls.connect({ socket: net.connect(443, "web"), rejectUnauthorized: false }))', '443'],
];

test('every way of Node to connect finds the pod by loopback and a service by its substituted port', {
  skip: !linux,
}, async () => {
  const { key, certificate } = makeServerTls(Date.now());
  const program = `
    import http from 'node:http';
    import http2 from 'node:http2';
    import https from 'node:https';
    import net from 'node:net';
    import tls from 'node:tls';
    import { once } from 'node:events';
    import { renameSync, writeFileSync } from 'node:fs';
    const { KEY: key, CERTIFICATE: cert, TURNSOLE_HOSTS_FILE: file } = process.env;
    const say = (request, response) => response.end(String(request.socket.localPort));
    const servers = [http.createServer(say), https.createServer({ key, cert }, say)];
    const ports = [];
    for (const server of servers) {
      await once(server.listen(0), 'listening');
      ports.push(server.address().port);
    }
    const [PORT, TLS_PORT] = ports;
    const ADDRESS = servers[0].address().address;
    const table = { hosts: { 'web.shop': [ADDRESS] }, aliases: {},
      ports: { [ADDRESS + ':80']: PORT, [ADDRESS + ':443']: TLS_PORT } };
    writeFileSync(file + '.n', JSON.stringify(table));
    renameSync(file + '.n', file);
    const URL_OF = (scheme, host) => new URL(scheme + '://' + host + '/');
    const text = (request) => new Promise((resolve, reject) => request.on('error', reject).on('response', async (answer) => {
      let said = '';
      for await (const chunk of answer) said += chunk;
      resolve(said);
    }));
    const peer = async (socket) => {
      await once(socket, socket.encrypted ? 'secureConnect' : 'connect');
      const { remotePort } = socket;
      socket.destroy();
      return String(remotePort);
    };
    // Longer than Node gives an address before it tries the next.
    const compute = () => {
      for (const end = performance.now() + 300; performance.now() < end; );
    };
    const second = async (authority) => {
      const session = http2.connect(authority);
      const [, socket] = await once(session, 'connect');
      const { remotePort } = socket;
      session.on('error', () => {}); // the server does not speak it
      session.destroy();
      return String(remotePort);
    };
    const forms = [${connecting.map(([form]) => `() => ${form}`).join(',\n')}];
    const found = [];
    for (const form of forms) found.push(await form().catch((error) => error.code ?? error.cause?.code ?? error.message));
    for (const server of servers) server.close();
    console.log(JSON.stringify({ ports: { own: PORT, '80': PORT, tls: TLS_PORT, '443': TLS_PORT }, found }));
    process.exit();`;
  write({});
  const { ports, found } = (await run(program, { KEY: key, CERTIFICATE: certificate })) as {
    ports: Record<string, number>;
    found: string[];
  };
  assert.deepEqual(
    found.map((port, index) => `${connecting[index]?.[0]}: ${port}`),
    connecting.map(([form, port]) => `${form}: ${ports[port]}`),
  );
});

test('localhost reaches the pod, then the machine; a substituted port is found', {
  skip: !linux,
}, async () => {
  const program = `
    import { createServer } from 'node:http';
    import { connect, createServer as plain } from 'node:net';
    import { once } from 'node:events';
    import { renameSync, writeFileSync } from 'node:fs';
    const server = createServer((request, response) => response.end('pod'));
    server.listen(0);
    await once(server, 'listening');
    const { port, address } = server.address();
    const say = async (url) => (await fetch(url).then((answer) => answer.text(), (error) => error.cause.code));
    const dial = (...args) => new Promise((resolve) => {
      const socket = connect(...args, () => { resolve(socket.remoteAddress); socket.destroy(); });
      socket.on('error', (error) => resolve(error.code));
    });
    const table = { hosts: { 'web.shop': [address] }, aliases: {}, ports: { [address + ':80']: port } };
    writeFileSync(process.env.TURNSOLE_HOSTS_FILE + '.n', JSON.stringify(table));
    renameSync(process.env.TURNSOLE_HOSTS_FILE + '.n', process.env.TURNSOLE_HOSTS_FILE);
    const outside = Number(process.env.OUTSIDE);
    const found = {
      fetch: [await say('http://localhost:' + port), await say('http://127.0.0.1:' + port), await say('http://web/')],
      dial: [await dial(port), await dial(port, '127.0.0.1'), await dial({ port, host: 'localhost', family: 4 }),
        await dial({ port: 80, host: 'web' }), await dial(80, 'web')],
      outside: [await dial(outside, '127.0.0.1'), await dial({ port: outside })],
    };
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    found.closed = await dial(port, 'localhost');
    console.log(JSON.stringify(found));`;
  const outside = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  const address = outside.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  write({});
  const found = await run(program, { OUTSIDE: String(port) });
  outside.close();
  const { closed, ...others } = found as { readonly closed: string };
  assert.deepEqual(others, {
    fetch: ['pod', 'pod', 'pod'],
    dial: Array(5).fill(pod.address),
    outside: ['127.0.0.1', '127.0.0.1'],
  });
  // The machine's, then, where another test may listen at this port.
  assert.ok(['ECONNREFUSED', '127.0.0.1'].includes(closed), closed);
});
