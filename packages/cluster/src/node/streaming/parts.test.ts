import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { AttachableOutput, MAX_KEPT_BYTES } from './attachable-output.ts';
import { errorText, exitStatus, failureStatus, SUCCESS } from './exec-status.ts';
import { readPorts, readStreamOptions, StreamOptionsError } from './options.ts';
import { readSize } from './remote-streams.ts';
import { runAttach } from './run-attach.ts';
import { expectedStreams } from './spdy/exec-streams.ts';
import { execCommand, StreamingServer } from './streaming-server.ts';
import { readMessage, writeMessage } from './websocket/channel-socket.ts';
import {
  chooseProtocol,
  EXEC_PROTOCOLS,
  FORWARD_PROTOCOLS,
  offeredProtocols,
} from './websocket/protocols.ts';

test('the query of a request says which streams the client asks for', () => {
  const none = { stdin: false, stdout: false, stderr: false, tty: false };
  const cases: readonly [string, object][] = [
    ['stdout=1', { ...none, stdout: true }],
    ['stdout=true&stderr=true&stdin=false', { ...none, stdout: true, stderr: true }],
    ['stdin=True&stderr=False&stdout=True', { ...none, stdin: true, stdout: true }],
    ['stdout=1&stderr=1&tty=1', { ...none, stdout: true, tty: true }],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(readStreamOptions(new URLSearchParams(query)), expected, query);
  }
  for (const query of ['', 'tty=1', 'tty=1&stderr=1', 'stdout=0']) {
    assert.throws(() => readStreamOptions(new URLSearchParams(query)), StreamOptionsError, query);
  }
});

test('the query of a forward says its ports; others are refused', () => {
  assert.deepEqual(readPorts(new URLSearchParams('ports=80&ports=443,8080')), [80, 443, 8080]);
  for (const query of ['', 'ports=', 'ports=0', 'ports=65536', 'ports=http', 'ports=1.5']) {
    assert.throws(() => readPorts(new URLSearchParams(query)), StreamOptionsError, query);
  }
});

test('the best protocol that both sides know is chosen', () => {
  const cases: readonly [string | undefined, string | undefined][] = [
    ['v4.channel.k8s.io, v5.channel.k8s.io', 'v5.channel.k8s.io'],
    ['v4.channel.k8s.io', 'v4.channel.k8s.io'],
    ['base64.channel.k8s.io,nonsense', 'base64.channel.k8s.io'],
    [undefined, ''],
    ['nonsense', undefined],
  ];
  for (const [offered, chosen] of cases) {
    assert.equal(chooseProtocol(offeredProtocols(offered), EXEC_PROTOCOLS)?.name, chosen, offered);
  }
  assert.equal(chooseProtocol(['v5.channel.k8s.io'], FORWARD_PROTOCOLS), undefined);
});

test('messages of channels, as bytes and as base64', () => {
  const message = { channel: 2, data: Buffer.from('abc') };
  assert.deepEqual(writeMessage(message, false), Buffer.from('\u0002abc'));
  assert.equal(writeMessage(message, true), '2YWJj');
  assert.deepEqual(readMessage(Buffer.from('\u0002abc'), false), message);
  assert.deepEqual(readMessage(Buffer.from('2YWJj'), true), message);
  assert.equal(readMessage(Buffer.alloc(0), false), undefined);
});

test('how a command ended', () => {
  assert.equal(exitStatus(['ls'], 0), SUCCESS);
  const status = exitStatus(['sh', '-c', 'x'], 3);
  assert.equal(status.reason, 'NonZeroExitCode');
  assert.deepEqual(status.details, { causes: [{ reason: 'ExitCode', message: '3' }] });
  assert.equal(errorText(SUCCESS, { hasStatus: true }), '{"metadata":{},"status":"Success"}');
  assert.equal(errorText(SUCCESS, { hasStatus: false }), '');
  assert.equal(errorText(failureStatus('why'), { hasStatus: false }), 'Internal error occurred: why');
});

test('sizes of terminals are read; others are ignored', () => {
  assert.deepEqual(readSize('{"Width":80,"Height":24}'), { columns: 80, rows: 24 });
  for (const text of [
    '',
    'null',
    '[]',
    '{"Width":80}',
    '{"Width":0,"Height":1}',
    '{"Width":"8","Height":1}',
  ]) {
    assert.equal(readSize(text), undefined, text);
  }
});

test('old clients open a stream for each part they ask for', () => {
  const options = { stdin: true, stdout: true, stderr: false, tty: true };
  assert.deepEqual(expectedStreams(options, true), ['error', 'stdin', 'stdout', 'resize']);
  assert.deepEqual(expectedStreams(options, false), ['error', 'stdin', 'stdout']);
});

test('words that are paths below mounts; what tar packs keeps its name', () => {
  const container = { name: 'c', image: 'x', volumeMounts: [{ name: 'd', mountPath: '/data' }] };
  const cases: readonly [string[], string[]][] = [
    [
      ['cat', '/data/x'],
      ['cat', '/root/data/x'],
    ],
    [
      ['cat', '/etc/x'],
      ['cat', '/etc/x'],
    ],
    [
      ['tar', 'cf', '-', '/data/x'],
      ['tar', 'cf', '-', '-C', '/root', 'data/x'],
    ],
    [
      ['tar', 'cf', '-', '/etc/x'],
      ['tar', 'cf', '-', '/etc/x'],
    ],
    [
      ['tar', '-xmf', '-', '-C', '/data'],
      ['tar', '-xmf', '-', '-C', '/root/data'],
    ],
  ];
  for (const [words, expected] of cases) assert.deepEqual(execCommand(words, container, '/root'), expected);
});

test('a client that does not read what it is attached to is sent away; the log has everything', async () => {
  let logged = 0;
  const log = {
    write: (_stream: string, chunk: Uint8Array): void => {
      logged += chunk.length;
    },
    end: (): void => {},
  };
  const output = new AttachableOutput(log, { keepForFirst: false });
  const finished: string[] = [];
  const attached = runAttach(
    { running: {}, output, stdinOnce: false },
    { stdin: false, stdout: true, stderr: false, tty: false },
    {
      stdin: undefined,
      stdout: new PassThrough(),
      stderr: undefined,
      signal: new AbortController().signal,
      onResize: () => {},
      finish: async (status) => {
        finished.push(status.message ?? '');
      },
    },
  );
  const chunk = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < 6; count++) output.write('stdout', chunk);
  await attached;
  assert.equal(logged, 6 * chunk.length);
  assert.match(finished.join(), /the client is too slow/);
});

/** What a client hears that attaches now. */
function heardBy(output: AttachableOutput): string[] {
  const received: string[] = [];
  output.attach({
    write: (stream, chunk) => received.push(`${stream} ${Buffer.from(chunk)}`),
    end: () => received.push('end'),
  });
  return received;
}

const NO_LOG = { write: (): void => {}, end: (): void => {} };

test('the first client of a container that reads input hears all of it, also when it has ended', () => {
  const output = new AttachableOutput(NO_LOG, { keepForFirst: true });
  output.write('stdout', Buffer.from('hello'));
  output.write('stderr', Buffer.from('oops'));
  const first = heardBy(output);
  const second = heardBy(output);
  output.write('stdout', Buffer.from('bye'));
  output.end();
  assert.deepEqual(first, ['stdout hello', 'stderr oops', 'stdout bye', 'end']);
  assert.deepEqual(second, ['stdout bye', 'end']);

  const ended = new AttachableOutput(NO_LOG, { keepForFirst: true });
  ended.write('stdout', Buffer.from('bye'));
  ended.end();
  assert.deepEqual(heardBy(ended), ['stdout bye', 'end']);
  assert.deepEqual(heardBy(ended), ['end']);

  const unread = new AttachableOutput(NO_LOG, { keepForFirst: false });
  unread.write('stdout', Buffer.from('hello'));
  assert.deepEqual(heardBy(unread), []);
});

test('of unread output the newest is kept', () => {
  const output = new AttachableOutput(NO_LOG, { keepForFirst: true });
  const half = MAX_KEPT_BYTES / 2;
  for (const letter of ['a', 'b', 'c']) output.write('stdout', Buffer.alloc(half, letter));
  assert.deepEqual(
    heardBy(output).map((text) => text.slice(-1)),
    ['b', 'c'],
  );
});

test('more clients than there is room for are refused, and so are all after the close', async () => {
  const message = new IncomingMessage(new Socket());
  message.headers = { upgrade: 'websocket', 'sec-websocket-protocol': 'v4.channel.k8s.io' };
  const pod = { metadata: { name: 'web', uid: 'u' }, spec: { containers: [{ name: 'c' }] } };
  const request = {
    pod,
    user: { name: 'jane', groups: [], extra: {}, uid: '' },
    container: '',
    query: new URLSearchParams('ports=80'),
    message,
    socket: new PassThrough(),
    head: Buffer.alloc(0),
  };
  const found = {
    container: () => undefined,
    rootOf: () => '/',
    hasOwnRoot: false,
    connect: () => Promise.reject(new Error('not to be called')),
  };
  const full = new StreamingServer({
    runtime: { find: () => found },
    clock: new FakeClock(0),
    maxSessions: 0,
  });
  await assert.rejects(full.portForward(request), { code: 429 });
  full.close();
  await assert.rejects(full.portForward(request), { code: 503 });
  await assert.rejects(full.exec({ ...request, container: 'c' }), {
    code: 500,
    message: /container not found \("c"\)/,
  });
  const elsewhere = new StreamingServer({ runtime: { find: () => undefined }, clock: new FakeClock(0) });
  await assert.rejects(elsewhere.portForward(request), { code: 404 });
});
