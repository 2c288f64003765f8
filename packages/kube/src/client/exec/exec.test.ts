import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { failureOf, setUpClient } from '../../testing/client.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { sendFailure } from '../../testing/http-server.ts';
import { ApiError, ConnectionError, ExecError } from '../errors.ts';
import type { KubeClient } from '../types.ts';
import { CHANNELS, encodeMessage } from './channels.ts';
import { readOutcome } from './session.ts';

const COMMAND = { namespace: 'shop', name: 'web', container: 'main', command: ['a b', '&c'] };

interface SetUp extends AsyncDisposable {
  readonly client: KubeClient;
  readonly requests: IncomingMessage[];
}

/** A server that speaks the protocols given and plays the command. */
async function setUp(
  protocols: readonly string[],
  play: (socket: WebSocket) => void,
  options: { readonly clock?: FakeClock } = {},
): Promise<SetUp> {
  const cluster = await setUpClient(
    (_request, response) => sendFailure(response, 403, 'Forbidden'),
    {},
    options,
  );
  const requests: IncomingMessage[] = [];
  const webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  cluster.server.server.on('upgrade', (message, socket, head) => {
    requests.push(message);
    const offered = message.headers['sec-websocket-protocol'] ?? '';
    if (!protocols.some((protocol) => offered.includes(protocol))) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    webSockets.handleUpgrade(message, socket, head, play);
  });
  return { client: cluster.client, requests, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

function send(socket: WebSocket, channel: number, data: string): void {
  socket.send(encodeMessage({ channel, data: Buffer.from(data) }));
}

const V5 = ['v5.channel.k8s.io'];
const V4 = ['v4.channel.k8s.io'];
const SUCCESS = '{"metadata":{},"status":"Success"}';

test('the request names the container and each word of the command', async () => {
  await using server = await setUp(V4, (socket) => {
    send(socket, CHANNELS.stdout, '');
    send(socket, CHANNELS.stdout, 'out');
    send(socket, CHANNELS.stderr, 'err');
    send(socket, CHANNELS.error, SUCCESS);
    socket.close();
  });
  const result = await server.client.exec(COMMAND);
  assert.deepEqual(result, { stdout: 'out', stderr: 'err', exitCode: 0, isTruncated: false });
  const [message] = server.requests;
  assert.equal(
    message?.url,
    '/api/v1/namespaces/shop/pods/web/exec?container=main&stdout=true&stderr=true&command=a%20b&command=%26c',
  );
  // Kubelets answer 406 to clients that accept JSON only.
  assert.equal(message?.headers.accept, '*/*');
});

test('how the error channel says that a command ended', () => {
  const failure = { status: 'Failure', reason: 'InternalError', message: 'why' } as const;
  const cases: readonly [string, object][] = [
    [SUCCESS, { exitCode: 0 }],
    [
      '{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"137"}]}}',
      { exitCode: 137 },
    ],
    [JSON.stringify(failure), { failure }],
    ['no JSON', { failure: { message: 'no JSON' } }],
    ['null', { failure: { message: 'null' } }],
  ];
  for (const [status, expected] of cases) assert.deepEqual(readOutcome(status), expected, status);
});

test('input and its end reach a server that understands it', async () => {
  const seen: Buffer[] = [];
  await using server = await setUp(V5, (socket) => {
    socket.on('message', (message: Buffer) => {
      seen.push(message);
      if (message[0] !== CHANNELS.close) return;
      send(socket, CHANNELS.error, SUCCESS);
      socket.close();
    });
  });
  await server.client.exec({ ...COMMAND, stdin: 'typed' });
  assert.deepEqual(seen, [Buffer.from('\u0000typed'), Buffer.of(CHANNELS.close, CHANNELS.stdin)]);
});

test('input for a server that cannot tell its end is refused before anything is started', async () => {
  await using server = await setUp(V4, () => assert.fail('a command was started'));
  const error = await failureOf(server.client.exec({ ...COMMAND, stdin: 'typed' }));
  assert.ok(error instanceof ExecError);
  assert.match(error.message, /does not speak v5.channel.k8s.io/);
});

test('a stream tells whether its input can end', async () => {
  await using server = await setUp(V4, (socket) => {
    socket.on('message', (message: Buffer) => {
      socket.send(Buffer.concat([Buffer.of(CHANNELS.stdout), message.subarray(1)]));
      send(
        socket,
        CHANNELS.error,
        '{"status":"Failure","reason":"InternalError","message":"container ended"}',
      );
      socket.close();
    });
  });
  const session = await server.client.execStream({ ...COMMAND, stdin: true });
  session.stdin.end('typed');
  session.stderr.resume();
  assert.equal(await text(session.stdout), 'typed');
  assert.equal(session.canEndStdin, false);
  const error = await failureOf(session.exited);
  assert.ok(error instanceof ExecError);
  assert.match(error.message, /container ended/);
});

test('a connection that breaks is no exit code', async () => {
  await using server = await setUp(V5, (socket) => socket.terminate());
  const error = await failureOf(server.client.exec(COMMAND));
  assert.ok(error instanceof ConnectionError);
  assert.match(error.message, /the connection ended before the command did/);
});

test('when time is up, or the caller does not want any more, the connection is cut', async () => {
  const clock = new FakeClock(0);
  const sockets: Promise<unknown>[] = [];
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
  await using server = await setUp(
    V5,
    (socket) => {
      sockets.push(new Promise((resolve) => socket.once('close', resolve)));
      if (sockets.length === 1) clock.advanceSync(5_000);
      else abort();
    },
    { clock },
  );
  const late = await failureOf(server.client.exec({ ...COMMAND, timeoutMs: 5_000 }));
  assert.ok(late instanceof ConnectionError);
  const controller = new AbortController();
  const reason = new Error('enough');
  void aborted.then(() => controller.abort(reason));
  assert.equal(await failureOf(server.client.exec({ ...COMMAND, signal: controller.signal })), reason);
  await Promise.all(sockets);
  assert.equal(sockets.length, 2);
});

test('a server that says no is an ApiError', async () => {
  await using cluster = await setUpClient((_request, response) => sendFailure(response, 404, 'NotFound'));
  const error = await failureOf(cluster.client.exec(COMMAND));
  assert.ok(error instanceof ApiError);
  assert.equal(error.code, 404);
});

test('an empty command is refused here', async () => {
  await using server = await setUp(V5, () => {});
  await assert.rejects(server.client.exec({ ...COMMAND, command: [] }), /the command is empty/);
});
