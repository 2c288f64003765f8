/** HTTP faults: measured by a client outside of the pod, while they last and afterwards. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '@turnsole/kube/base/clock';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { FaultContext } from '../../src/experiment/injection/fault.ts';
import podHttpStatusCode from '../../src/faults/http/pod-http-status-code.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { effectsImpossible, FaultCluster, LIMIT_MS, LOOKED_AT_SECONDS } from './support/fault-cluster.ts';
import { interceptorsOf } from './support/interceptors.ts';

const exec = promisify(execFile);

/** A service that keeps connections, says what it was asked, and has a stream at /slow of which the end comes with /finish. */
const SERVER = `
  let slow;
  const server = require('http').createServer((request, response) => {
    if (request.url === '/slow') { slow = response; response.write('begun,'); return; }
    if (request.url === '/finish') slow.end('ended');
    response.setHeader('X-Server', 'web');
    response.setHeader('X-Seen', request.headers['x-new'] ?? '');
    response.end('hello');
  });
  server.keepAliveTimeout = 600_000;
  server.listen(8080);`;
const WEB = {
  image: 'node',
  command: ['node', '-e', SERVER],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
};
const PORT = { TARGET_SERVICE_PORT: '8080' };

interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly ms: number;
}

/** Asks on a fresh connection, or on one that is kept. */
async function ask(pod: Pod, agent: http.Agent | false = false, path = '/'): Promise<Reply> {
  const startedAt = performance.now();
  const request = http.get({ host: pod.status?.podIP, port: 8080, path, agent });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray());
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body,
    ms: performance.now() - startedAt,
  };
}

/** Tables in the network namespace of the pod. */
async function tablesOf(pod: Pod): Promise<string> {
  const pid = await firstProcessOf(pod);
  // The cluster is in this process: nothing may hold it up.
  return (await exec('nsenter', ['-t', String(pid), '-n', 'nft', 'list', 'tables'])).stdout;
}

/** By which the kernel may be seen to have let go after a lease. */
const LATE_SECONDS = 6;

/** Resolves when the pod answers with a status; what it does until then does not matter. */
async function answered(pod: Pod, status: number, limitMs = LIMIT_MS): Promise<void> {
  for (const until = performance.now() + limitMs; performance.now() < until; ) {
    const reply = await ask(pod).catch(() => undefined);
    if (reply?.status === status) return;
    // A port that refuses at once is not asked without a breath.
    await delay(50);
  }
  assert.fail(`no answer with ${status} within ${limitMs} ms`);
}

/** The time of the fastest of some requests one after another: other work on the machine holds up some, and none is faster for it. */
async function leastMs(pod: Pod, count: number, agent: http.Agent | false = false): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < count; time += 1) times.push((await ask(pod, agent)).ms);
  return Math.min(...times);
}

describe('HTTP faults', { skip: effectsImpossible, concurrency: 3 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  /** A pod under a fault; `look` while it lasts, after which it is aborted and must be as before. */
  async function under(
    fault: string,
    env: Readonly<Record<string, string>>,
    look: (pod: Pod) => Promise<void>,
  ): Promise<void> {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const run = await cluster.run(fault, {
      namespace,
      pods: ['web'],
      env: { ...PORT, TOTAL_CHAOS_DURATION: '60', ...env },
    });
    await run.injected();
    await look(pod);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped', JSON.stringify(status));
    const reply = await ask(pod);
    assert.equal(`${reply.status} ${reply.body}`, '200 hello');
    assert.equal(reply.headers['x-new'], undefined);
    assert.equal(await tablesOf(pod), '');
  }

  test('latency is added to every response, within a tenth of what is set, also on a connection that is kept', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const without = await leastMs(pod, 15);
    // So long that what a busy machine adds by itself does not count.
    const run = await cluster.run('pod-http-latency', {
      namespace,
      pods: ['web'],
      env: { ...PORT, LATENCY: '1000', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (const [how, ms] of [
      ['fresh', await leastMs(pod, 7)],
      ['kept', await leastMs(pod, 7, agent)],
    ] as const) {
      const added = ms - without;
      assert.ok(added >= 900 && added <= 1100, `${added} ms in place of 1000 added on a ${how} connection`);
    }
    agent.destroy();
    await run.abort();
    await run.ended();
    assert.ok((await leastMs(pod, 5)) < 900);
  });

  test('latency: a connection that was open before is delayed as well, and neither reset nor closed', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    agent.on('free', (socket) => sockets.add(socket));
    await ask(pod, agent);
    const run = await cluster.run('pod-http-latency', {
      namespace,
      pods: ['web'],
      env: { ...PORT, LATENCY: '1000', TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    const times = [await ask(pod, agent), await ask(pod, agent)].map(({ ms }) => ms);
    assert.ok(
      times.every((ms) => ms > 950 && ms < 2_000),
      `${times} ms in place of 1000 to 2000`,
    );
    const result = await run.ended();
    assert.ok((await ask(pod, agent)).ms < 900);
    assert.equal(sockets.size, 1, 'one connection before, during and after');
    agent.destroy();
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
    const said = result.status?.timeline?.find(({ step }) => step === 'OpenConnections')?.message;
    assert.match(said ?? '', /^1 connection to port 8080 is open: answers on them are held back/);
    const effects = Object.values(result.status?.ledger ?? {}).map(
      ({ effect }) => `${effect?.seen} ${effect?.message}`,
    );
    assert.match(
      effects.join(),
      /^true answers on connections from before to port 8080 were held back \d+ times$/,
    );
  });

  test('connections that were open before are reset, or left alone, as the engine wants, and counted', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    for (const [OPEN_CONNECTIONS, expected, said] of [
      ['keep', '200', /^1 connection to port 8080 is open: left alone/],
      ['reset', 'ECONNRESET', /^1 connection to port 8080 is open: reset with the next data/],
    ] as const) {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      await ask(pod, agent);
      const run = await cluster.run('pod-http-status-code', {
        namespace,
        pods: ['web'],
        env: { ...PORT, STATUS_CODE: '503', TOTAL_CHAOS_DURATION: '60', OPEN_CONNECTIONS },
      });
      await run.injected();
      const found = await ask(pod, agent).then(
        ({ status }) => String(status),
        (error: NodeJS.ErrnoException) => error.code,
      );
      assert.equal(found, expected);
      assert.equal((await ask(pod)).status, 503);
      await run.abort();
      const { status } = await run.ended();
      assert.match(status?.timeline?.find(({ step }) => step === 'OpenConnections')?.message ?? '', said);
      agent.destroy();
    }
  });

  test('a killed proxy is replaced, and where nobody can do that the kernel lets go of the port', async () => {
    const leaseSeconds = 10;
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const run = await cluster.run('pod-http-status-code', {
      namespace,
      pods: ['web'],
      env: { ...PORT, STATUS_CODE: '500', TOTAL_CHAOS_DURATION: '120', LEASE_SECONDS: String(leaseSeconds) },
    });
    await run.injected();
    const [first] = await interceptorsOf(pod);
    assert.ok(first);
    process.kill(first, 'SIGKILL');
    await answered(pod, 500);
    const [second, ...more] = await interceptorsOf(pod);
    assert.ok(second !== undefined && second !== first);
    assert.deepEqual(more, []);

    // A helper that stands still starts no other one.
    const pid = await cluster.helperProcess(namespace);
    process.kill(pid, 'SIGSTOP');
    try {
      process.kill(second, 'SIGKILL');
      await answered(pod, 200, (leaseSeconds + LATE_SECONDS) * 1000);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    // It goes on where it stood.
    await answered(pod, 500);
    await run.abort();
    await run.ended();
    await answered(pod, 200);
    assert.equal(await tablesOf(pod), '');
  });

  test('a run ends by itself with Pass, and the latency with it', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const run = await cluster.run('pod-http-latency', {
      namespace,
      pods: ['web'],
      env: { ...PORT, LATENCY: '3000', TOTAL_CHAOS_DURATION: '2' },
    });
    await run.injected();
    const asked = ask(pod);
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    assert.equal((await asked).status, 200, 'what was under way at the end is answered');
    assert.ok((await ask(pod)).ms < 2900);
  });

  test('a port that nobody listens on: a warning at once, and no effect in ledger, timeline and Event', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const run = await cluster.run('pod-http-latency', {
      namespace,
      pods: ['web'],
      env: { TARGET_SERVICE_PORT: '9999', TOTAL_CHAOS_DURATION: '2' },
    });
    await run.injected();
    assert.equal((await ask(pod)).status, 200);
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    const [entry] = Object.values(status?.ledger ?? {});
    assert.deepEqual(entry?.effect, {
      seen: false,
      message:
        'no connection came to port 9999; no process in the pod listens there, but on 8080: set TARGET_SERVICE_PORT to the port that is meant',
    });
    const lines = status?.timeline ?? [];
    assert.match(
      lines.find(({ step }) => step === 'Warning')?.message ?? '',
      /^port 9999 is hit now; no process .* 8080/,
    );
    const line = lines.find(({ step }) => step === 'NoEffect');
    assert.equal(line?.object, `pod/${namespace}/web`);
    assert.match(
      lines.find(({ step }) => step === 'Verdict')?.message ?? '',
      /pod-http-latency had no effect on pod .*9999/,
    );
  });

  test('an engine that requires an effect: Fail on a port without requests, Pass where one was hit', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', { image: 'node', command: ['node', '-e', SERVER] });
    const env = { ...PORT, STATUS_CODE: '500', TOTAL_CHAOS_DURATION: '2' };
    const options = { namespace, pods: ['web'], env, engine: { requireEffect: true } };
    const without = await cluster.run('pod-http-status-code', options);
    const { status } = await without.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Fail', JSON.stringify(status));
    assert.equal(status?.experimentStatus?.errorOutput?.errorCode, 'NO_EFFECT');
    assert.match(status?.experimentStatus?.errorOutput?.reason ?? '', /no connection came to port 8080/);
    const run = await cluster.run('pod-http-status-code', {
      ...options,
      env: { ...env, TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    assert.equal((await ask(pod)).status, 500);
    const hit = (await run.ended()).status;
    assert.equal(hit?.experimentStatus?.verdict, 'Pass', JSON.stringify(hit));
    const seen = Object.values(hit?.ledger ?? {}).flatMap(({ effect }) => effect ?? []);
    assert.deepEqual(seen, [{ seen: true, message: '1 hits in 1 request to port 8080' }]);
  });

  test('a second fault on a pod ends with an error that names the first, and leaves it alone', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    // It is aborted in the end; until then it has to last, also where three runs take minutes.
    const env = { ...PORT, STATUS_CODE: '500', TOTAL_CHAOS_DURATION: '600' };
    const first = await cluster.run('pod-http-status-code', { namespace, pods: ['web'], env });
    await first.injected();
    const rows: [Record<string, string>, RegExp][] = [
      [
        { TARGET_SERVICE_PORT: '8081' },
        /the pod is under another HTTP fault already, whose proxy has port 20000; run them one after another, or set PROXY_PORT to a free port/,
      ],
      [
        { ...PORT, PROXY_PORT: '20001' },
        /port 8080 of the pod is under another fault already; run them one after another/,
      ],
      [{ TARGET_SERVICE_PORT: '8081', PROXY_PORT: '8080' }, /port 8080 of the pod is taken/],
    ];
    for (const [settings, expected] of rows) {
      const second = await cluster.run('pod-http-latency', {
        namespace,
        pods: ['web'],
        env: { ...settings, TOTAL_CHAOS_DURATION: '2' },
      });
      const { status } = await second.ended();
      assert.equal(status?.experimentStatus?.verdict, 'Error', JSON.stringify(status));
      assert.match(status?.experimentStatus?.errorOutput?.reason ?? '', expected);
    }
    assert.equal((await ask(pod)).status, 500);
    await first.abort();
    await first.ended();
    assert.equal(await tablesOf(pod), '');
  });

  test('status, with body and without', async () => {
    await under('pod-http-status-code', { STATUS_CODE: '503', RESPONSE_BODY: 'gone "$x`' }, async (pod) => {
      const { status, body, headers } = await ask(pod);
      assert.equal(`${status} ${body} ${headers['content-type']}`, '503 gone "$x` text/plain');
    });
    await under(
      'pod-http-status-code',
      { STATUS_CODE: '418,429', MODIFY_RESPONSE_BODY: 'false' },
      async (pod) => {
        const { status, body } = await ask(pod);
        assert.ok(status === 418 || status === 429, String(status));
        assert.equal(body.toString(), 'hello');
      },
    );
  });

  test('headers of responses and of requests', async () => {
    await under('pod-http-modify-header', { HEADERS_MAP: '{"X-New":"1","x-server":"none"}' }, async (pod) => {
      const { headers, body } = await ask(pod);
      assert.equal(`${headers['x-new']} ${headers['x-server']} ${body}`, '1 none hello');
    });
    await under(
      'pod-http-modify-header',
      { HEADERS_MAP: '{"X-New":"2"}', HEADER_MODE: 'request' },
      async (pod) => {
        assert.equal((await ask(pod)).headers['x-seen'], '2');
      },
    );
  });

  test('body, compressed', async () => {
    await under('pod-http-modify-body', { RESPONSE_BODY: 'new', CONTENT_ENCODING: 'gzip' }, async (pod) => {
      const { status, body, headers } = await ask(pod);
      assert.equal(`${status} ${headers['content-encoding']}`, '200 gzip');
      assert.equal(gunzipSync(body).toString(), 'new');
    });
  });

  test('resets, also of connections from before, while a download under way goes on', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    await ask(pod, agent);
    const slow = http.get({ host: pod.status?.podIP, port: 8080, path: '/slow', agent: false });
    const [download] = (await once(slow, 'response')) as [IncomingMessage];
    const run = await cluster.run('pod-http-reset-peer', {
      namespace,
      pods: ['web'],
      env: { ...PORT, TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    await assert.rejects(ask(pod, agent), { code: 'ECONNRESET' });
    await assert.rejects(ask(pod), { code: 'ECONNRESET' });
    await run.abort();
    await run.ended();
    assert.equal((await ask(pod, false, '/finish')).status, 200);
    assert.equal(Buffer.concat(await download.toArray()).toString(), 'begun,ended');
    agent.destroy();
  });

  test('a share of the requests', async () => {
    await under('pod-http-status-code', { STATUS_CODE: '500', TOXICITY: '50' }, async (pod) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      let hit = 0;
      for (let time = 0; time < 200; time += 1) if ((await ask(pod, agent)).status === 500) hit += 1;
      agent.destroy();
      // Less than one in a hundred thousand runs is outside of this.
      assert.ok(hit > 68 && hit < 132, `${hit} of 200`);
    });
  });

  test('a container that restarts is still hit; a killed helper leaves a pod that answers', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const run = await cluster.run('pod-http-status-code', {
      namespace,
      pods: ['web'],
      env: { ...PORT, STATUS_CODE: '500', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    process.kill(await firstProcessOf(pod), 'SIGKILL');
    const again = await cluster.until(
      namespace,
      'web',
      ({ status }) =>
        status?.containerStatuses?.[0]?.restartCount === 1 && status.containerStatuses[0].ready === true,
    );
    // The proxy takes the connections of a readiness probe before the server listens again.
    await answered(again, 500);
    process.kill(await cluster.helperProcess(namespace), 'SIGKILL');
    await answered(again, 200);
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Error', JSON.stringify(status));
    assert.equal(await tablesOf(again), '');
  });

  test('the ledger entry alone is enough to revert, in another process, twice, and when the pod is gone', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'web', WEB);
    const run = await cluster.run('pod-http-status-code', {
      namespace,
      pods: ['web'],
      env: { ...PORT, STATUS_CODE: '500', TOTAL_CHAOS_DURATION: '60' },
    });
    const [entry] = await run.injected();
    assert.ok(entry);
    assert.equal((await ask(pod)).status, 500);
    // This process never injected: it has what the ledger says, as a recovering helper does.
    const context: FaultContext = {
      client: cluster.client,
      clock: systemClock,
      random: Math.random,
      signal: AbortSignal.timeout(PATIENCE_MS),
      recoveryTimeoutMs: 10_000,
      note: () => {},
    };
    const revert = (): Promise<void> => podHttpStatusCode.revert(entry, context);
    await revert();
    assert.equal((await ask(pod)).status, 200);
    await revert();
    await cluster.client.delete(PODS, 'web', { namespace });
    await revert();
    await run.abort();
    await run.ended();
  });
});
