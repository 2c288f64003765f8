import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Clock } from '@turnsole/kube/base/clock';
import type { Container } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { StrayKiller } from '../runtime/orphaned-processes.ts';
import { startProcess } from '../runtime/process-container.ts';
import type { RunningContainer } from '../runtime/types.ts';
import { check, type Handler } from './check.ts';
import type { CheckOutcome } from './check-outcome.ts';

/** Nothing listens here; a port that was free a moment ago may be another test's by now. */
const CLOSED_PORT = 1;

let server: Server;
let port: number;
let running: RunningContainer;
let seen: { headers: Record<string, unknown>; url: string | undefined }[];

before(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push({ headers: request.headers, url: request.url });
    if (request.url === '/slow') return;
    if (request.url === '/moved') response.setHeader('location', '/ok');
    if (request.url === '/loop') response.setHeader('location', '/loop');
    if (request.url === '/away') response.setHeader('location', 'http://elsewhere.example/');
    const codes: Record<string, number> = { '/moved': 302, '/loop': 302, '/away': 301, '/bad': 503 };
    response.writeHead(codes[request.url ?? ''] ?? 200);
    response.end('body');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  running = await startProcess(
    {
      container: 'c',
      id: 'c'.repeat(64),
      command: ['/bin/sh', '-c', 'while :; do sleep 60; done'],
      env: { PATH: process.env.PATH ?? '', COLOR: 'blue' },
      workingDirectory: '/',
      output: { write: () => {}, end: () => {} },
    },
    { groups: { add: () => {}, delete: () => {} }, strays: new StrayKiller() },
  );
});

after(async () => {
  running.kill();
  await running.gone;
  server.closeAllConnections();
  server.close();
});

const never = new AbortController().signal;

/** By a clock that stands still unless a test moves it: what a process or a request really takes is no matter here. */
function attempt(handler: Handler, clock: Clock = new FakeClock(), signal = never): Promise<CheckOutcome> {
  const container: Container = { name: 'c', ports: [{ name: 'web', containerPort: port }] };
  return check(handler, { podIP: '127.0.0.1', container, running, clock }, 1000, signal);
}

const cases: [name: string, handler: () => Handler, ok: boolean, message: RegExp][] = [
  ['http 200', () => ({ httpGet: { port: 'web', path: '/ok' } }), true, /^$/],
  [
    'http 503',
    () => ({ httpGet: { port, path: '/bad' } }),
    false,
    /^HTTP probe failed with statuscode: 503$/,
  ],
  ['a redirect to itself is followed', () => ({ httpGet: { port, path: '/moved' } }), true, /^$/],
  ['a redirect elsewhere is a success', () => ({ httpGet: { port, path: '/away' } }), true, /redirects/],
  ['a loop of redirects', () => ({ httpGet: { port, path: '/loop' } }), false, /stopped after 10 redirects/],
  [
    'http refused',
    () => ({ httpGet: { port: CLOSED_PORT, path: '/x' } }),
    false,
    /^Get "http:\/\/127\.0\.0\.1:\d+\/x": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
  ],
  [
    'unknown port name',
    () => ({ httpGet: { port: 'none' } }),
    false,
    /couldn't find port "none" in container c/,
  ],
  ['tcp open', () => ({ tcpSocket: { port } }), true, /^$/],
  [
    'tcp refused',
    () => ({ tcpSocket: { port: CLOSED_PORT } }),
    false,
    /^dial tcp .*: connect: connection refused$/,
  ],
  ['exec 0', () => ({ exec: { command: ['/bin/sh', '-c', 'test $COLOR = blue'] } }), true, /^$/],
  [
    'exec 1 with both outputs',
    () => ({ exec: { command: ['/bin/sh', '-c', 'echo out; echo err >&2; exit 1'] } }),
    false,
    /^out\nerr$/,
  ],
  ['exec of nothing', () => ({ exec: { command: ['turnsole-none'] } }), false, /executable file not found/],
  ['grpc refused', () => ({ grpc: { port: CLOSED_PORT } }), false, /^timeout: failed to connect service/],
  ['nothing', () => ({}), false, /does not say what to do/],
];

for (const [name, handler, ok, message] of cases) {
  test(name, async () => {
    const outcome = await attempt(handler());
    assert.equal(outcome.ok, ok, outcome.message);
    assert.match(outcome.message, message);
  });
}

test('headers and path are sent as given', async () => {
  seen = [];
  const httpHeaders = [
    { name: 'X-Probe', value: 'a' },
    { name: 'User-Agent', value: 'mine' },
  ];
  await attempt({ httpGet: { port, path: 'plain?x=1', httpHeaders } });
  assert.equal(seen[0]?.url, '/plain?x=1');
  assert.partialDeepStrictEqual(seen[0]?.headers, { 'x-probe': 'a', 'user-agent': 'mine' });
});

const slow: [name: string, handler: () => Handler, message: RegExp][] = [
  ['http', () => ({ httpGet: { port, path: '/slow' } }), /context deadline exceeded/],
  [
    'exec',
    () => ({ exec: { command: ['/bin/sh', '-c', 'sleep 100'] } }),
    /^command timed out: "\/bin\/sh -c sleep 100" timed out after 1s$/,
  ],
];

for (const [name, handler, message] of slow) {
  test(`${name} is given up at its time limit, and when its probe ends`, async () => {
    const clock = new FakeClock();
    const limited = attempt(handler(), clock);
    clock.advanceSync(1000);
    const outcome = await limited;
    assert.equal(outcome.ok, false);
    assert.match(outcome.message, message);
    const end = new AbortController();
    const ended = attempt(handler(), clock, end.signal);
    end.abort();
    assert.equal((await ended).ok, false);
  });
}
