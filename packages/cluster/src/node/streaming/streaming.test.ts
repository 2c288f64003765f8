import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { ApiError, ConnectionError, createClient, ExecError } from '@turnsole/kube/client/index';
import type { ExecCollectOptions, ExecResult, KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/index';
import { failureOf } from '@turnsole/kube/testing/client';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startEmbeddedCluster } from '../../cluster/start.ts';
import type { EmbeddedCluster } from '../../cluster/types.ts';

const namespace = 'default';
const SERVER = "require('http').createServer((q, r) => r.end('hello ' + q.url))";
const WEB = `${SERVER}.listen(8080, () => console.log('ready')); ${SERVER}.listen(8081, '127.0.0.1')`;
let cluster: EmbeddedCluster;
let client: KubeClient;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnsole-streaming-'));
  cluster = await startEmbeddedCluster();
  client = createClient(cluster.adminConfig);
  await client.create<Pod>(
    PODS,
    {
      metadata: { name: 'web' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'main',
            image: 'node',
            command: ['node', '-e', WEB],
            readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          },
          { name: 'cat', image: 'busybox', command: ['cat'], stdin: true, stdinOnce: true },
        ],
      },
    },
    { namespace },
  );
  await waitForObject<Pod>(
    client,
    PODS,
    'web',
    (pod) =>
      pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    { namespace, timeoutMs: PATIENCE_MS },
  );
});

after(async () => {
  client.close();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

function exec(command: readonly string[], more: Partial<ExecCollectOptions> = {}): Promise<ExecResult> {
  return client.exec({ namespace, name: 'web', container: 'main', command, ...more });
}

test('a command gives its outputs and its exit code', async () => {
  const result = await exec(['sh', '-c', 'echo out; echo err >&2; exit 3']);
  assert.deepEqual(result, { stdout: 'out\n', stderr: 'err\n', exitCode: 3, isTruncated: false });
});

test('input reaches the command, and so does its end; nothing gets lost either way', async () => {
  const text = randomBytes(1024 * 1024).toString('hex');
  const result = await exec(['cat'], { stdin: text, maxOutputBytes: 4 * 1024 * 1024 });
  assert.equal(result.stdout === text, true);
  assert.equal(result.exitCode, 0);
});

test('a command that leaves a process behind ends all the same, with all it wrote', async () => {
  const result = await exec(['sh', '-c', 'sleep 100 & seq 1 20000']);
  assert.equal(result.stdout.length, 108_894);
  assert.equal(result.exitCode, 0);
});

test('output beyond the limit is dropped', async () => {
  const result = await exec(['seq', '1', '100000'], { maxOutputBytes: 4 });
  assert.deepEqual(result, { stdout: '1\n2\n', stderr: '', exitCode: 0, isTruncated: true });
});

test('an exec that cannot be done fails with the reason', async () => {
  const missing = await failureOf(exec(['no-such-program']));
  assert.ok(missing instanceof ExecError);
  assert.match(missing.message, /"no-such-program": executable file not found in \$PATH/);
  const cases: readonly [Partial<ExecCollectOptions>, number, RegExp][] = [
    [{ name: 'nobody' }, 404, /pods "nobody" not found/],
    [{ container: 'none' }, 400, /container none is not valid for pod web/],
  ];
  for (const [more, code, message] of cases) {
    const error = await failureOf(exec(['ls'], more));
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
  }
});

test('who may not exec is refused', async () => {
  const other = createClient({ ...cluster.adminConfig, impersonate: { user: 'jane' } });
  const error = await failureOf(other.exec({ namespace, name: 'web', command: ['ls'] }));
  other.close();
  assert.ok(error instanceof ApiError);
  assert.equal(error.code, 403);
  assert.match(error.message, /User "jane" cannot get resource "pods\/exec"/);
});

test('when the client goes, or its time is up, the command is killed', async () => {
  const fifo = join(folder, 'fifo');
  assert.equal((await exec(['sh', '-c', `mkdir -p ${folder} && mkfifo ${fifo}`])).exitCode, 0);
  const session = await client.execStream({
    namespace,
    name: 'web',
    container: 'main',
    command: ['sh', '-c', `exec 9>${fifo}; echo up; exec sleep 100`],
  });
  // Ends when no process holds the other side any more.
  const ended = exec(['cat', fifo]);
  await once(createInterface(session.stdout), 'line');
  session.kill();
  await assert.rejects(session.exited, ConnectionError);
  assert.equal((await ended).exitCode, 0);

  const clock = new FakeClock();
  const limited = createClient(cluster.adminConfig, { clock });
  const command = ['sh', '-c', `echo up > ${fifo}; exec sleep 100`];
  const late = failureOf(
    limited.exec({ namespace, name: 'web', container: 'main', command, timeoutMs: 300 }),
  );
  assert.equal((await exec(['cat', fifo])).stdout, 'up\n');
  await clock.advance(300);
  const failure = await late;
  assert.ok(failure instanceof ConnectionError);
  assert.match(failure.message, /did not end within 300 ms/);
  limited.close();
});

test('a WebSocket without a protocol that is known is refused before anything is started', async () => {
  const key = randomBytes(16).toString('base64');
  const answer = await handshake('exec?container=main&command=ls&stdout=1', [
    'Upgrade: websocket',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Protocol: nonsense',
  ]);
  assert.match(answer, /^HTTP\/1.1 403 /);
  assert.match(answer, /client supports \[nonsense\], server accepts \[v5.channel.k8s.io, /);
  assert.match(
    await handshake('exec?container=main&command=ls', ['Upgrade: SPDY/3.1']),
    /at least 1 of stdin/,
  );
  assert.match(
    await handshake('attach?container=main&stdout=1', ['Upgrade: h2c', 'Connection: close']),
    /Upgrade request required/,
  );
  assert.match(await handshake('log', ['Upgrade: websocket']), /^HTTP\/1.1 404 /);
});

/** The whole answer to a handshake that is refused. */
async function handshake(path: string, headers: readonly string[]): Promise<string> {
  const { port } = new URL(cluster.server);
  const token = await cluster.adminConfig.token?.();
  const socket = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
  const lines = [
    `GET /api/v1/namespaces/${namespace}/pods/web/${path} HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    `Authorization: Bearer ${token}`,
    ...headers,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

const hasKubectl = await new Promise<boolean>((resolve) => {
  execFile('kubectl', ['version', '--client'], (error) => resolve(error === null));
});
const skipKubectl = hasKubectl ? {} : { skip: 'kubectl is not on PATH' };

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  file: string,
  args: readonly string[],
  input = '',
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath, ...env }, timeout: PATIENCE_MS },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

for (const [name, env] of [
  ['WebSocket', {}],
  ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
] as const) {
  test(`kubectl execs over ${name}`, skipKubectl, async () => {
    const script = 'cat; echo err >&2; exit 7';
    const result = await run(
      'kubectl',
      ['exec', '-i', 'web', '-c', 'main', '--', 'sh', '-c', script],
      'text',
      env,
    );
    assert.equal(result.stdout, 'text');
    assert.match(result.stderr, /^err\n/);
    assert.match(result.stderr, /command terminated with exit code 7/);
    assert.equal(result.code, 7);
    const missing = await run('kubectl', ['exec', 'web', '-c', 'main', '--', 'no-such-program'], '', env);
    assert.match(missing.stderr, /Internal error occurred: .*executable file not found in \$PATH/);
    assert.equal(missing.code, 1);
  });

  test(`kubectl forwards ports over ${name}`, skipKubectl, async () => {
    const { forwarding, port } = await forwardPort(8080, env);
    const answers = await Promise.all(['/a', '/b', '/c'].map((path) => get(port, path)));
    assert.deepEqual(answers, ['hello /a', 'hello /b', 'hello /c']);
    forwarding.kill();
    await once(forwarding, 'exit');
  });
}

test(
  'a port is forwarded to a server that listens on the loopback of its pod only',
  skipKubectl,
  async () => {
    const { forwarding, port } = await forwardPort(8081);
    assert.equal(await get(port, '/inside'), 'hello /inside');
    forwarding.kill();
    await once(forwarding, 'exit');
  },
);

async function forwardPort(
  target: number,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly forwarding: ChildProcess; readonly port: number }> {
  const forwarding = spawn('kubectl', ['port-forward', 'web', `:${target}`], {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface(forwarding.stdout), 'line');
  return { forwarding, port: Number(/127\.0\.0\.1:(\d+)/.exec(String(line))?.[1]) };
}

function get(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}

test('kubectl copies both ways', skipKubectl, async () => {
  const source = join(folder, 'source');
  writeFileSync(source, randomBytes(300_000));
  const there = join(folder, 'there');
  assert.equal((await exec(['mkdir', '-p', folder])).exitCode, 0);
  assert.equal((await run('kubectl', ['cp', source, `web:${there}`, '-c', 'main'])).code, 0);
  const back = join(folder, 'back');
  assert.equal((await run('kubectl', ['cp', `web:${there}`, back, '-c', 'main'])).code, 0);
  assert.equal(readFileSync(back).equals(readFileSync(source)), true);
});

test('kubectl attaches: what is typed reaches the main process, and its end too', skipKubectl, async () => {
  const result = await run('kubectl', ['attach', '-i', 'web', '-c', 'cat'], 'typed\n');
  assert.match(result.stdout, /typed\n/);
  assert.equal(result.code, 0);
  const pod = await waitForObject<Pod>(
    client,
    PODS,
    'web',
    (seen) =>
      seen?.status?.containerStatuses?.some(
        ({ name, restartCount }) => name === 'cat' && (restartCount ?? 0) > 0,
      ) === true,
    { namespace, timeoutMs: PATIENCE_MS },
  );
  assert.equal(pod?.metadata.name, 'web');
});

/** Its name, and its size as soon as that has arrived. */
const ON_TERMINAL = 'tty; while test "$(stty size)" != "33 111"; do sleep 0.02; done; stty size; exit 5';

test('kubectl execs a program on a terminal of the size of its own', skipKubectl, async (t) => {
  const result = await run('script', [
    '-qec',
    `stty rows 33 cols 111; kubectl exec -it web -c main -- sh -c '${ON_TERMINAL}'`,
    '/dev/null',
  ]);
  if (/not found|unrecognized|invalid option/.test(result.stderr))
    return t.skip('no script of util-linux here');
  // The script has nothing to read and types a NUL to say so, which a terminal shows as ^@ when it comes to that in time.
  assert.match(result.stdout, /\/dev\/pts\/\d+\r\n(\^@)?33 111\r\n/);
  assert.equal(result.code, 5);
});

const PYTHON = `
from kubernetes import client, config
from kubernetes.stream import stream, portforward
config.load_kube_config()
v = client.CoreV1Api()
r = stream(v.connect_get_namespaced_pod_exec, 'web', 'default', container='main',
           command=['sh', '-c', 'read x; echo got $x; exit 5'],
           stderr=True, stdin=True, stdout=True, tty=False, _preload_content=False)
r.write_stdin('it\\n')
r.run_forever(timeout=100)
print(r.read_stdout().strip(), r.returncode)
s = portforward(v.connect_get_namespaced_pod_portforward, 'web', 'default', ports='8080').socket(8080)
s.setblocking(True)
s.sendall(b'GET /py HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n')
text = b''
while True:
    piece = s.recv(4096)
    if not piece: break
    text += piece
print(text.split(b'\\r\\n')[-1].decode())
`;

test('the Python client execs and forwards ports', async (t) => {
  const python = '/usr/bin/python3';
  if ((await run(python, ['-c', 'import kubernetes'])).code !== 0)
    return t.skip('python3-kubernetes is not there');
  const result = await run(python, ['-c', PYTHON]);
  assert.equal(result.stderr, '');
  assert.equal(result.stdout, 'got it 5\nhello /py\n');
});

test('when the cluster closes, sessions end', async () => {
  const session = await client.execStream({
    namespace,
    name: 'web',
    container: 'main',
    command: ['sh', '-c', 'echo up; exec sleep 100'],
  });
  await once(createInterface(session.stdout), 'line');
  await cluster.close({ graceMs: 0 });
  // The end of its container kills the command; whether that can still be reported is a matter of moments.
  const end = await session.exited.catch((error: unknown) => error);
  assert.ok(end === 137 || end instanceof ConnectionError, String(end));
});
