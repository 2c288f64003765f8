import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import { type ReadyServer, runServer } from './run-server.ts';
import type { ServerOptions } from './server-options.ts';

/** A server of a test: how it came up, and how it is told to end. */
interface Started {
  readonly ready: ReadyServer;
  stop(): Promise<void>;
}

const stops: (() => Promise<void>)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'turnsole-run-server-'));
after(async () => {
  await Promise.allSettled(stops.map((stop) => stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: ServerOptions): Promise<Started> {
  const stop = new AbortController();
  const { promise: ready, resolve } = Promise.withResolvers<ReadyServer>();
  const over = runServer(
    { listen: '0', ...options },
    { env: {}, signal: stop.signal, logger: silentLogger, onReady: async (server) => resolve(server) },
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await over;
  };
  stops.push(end);
  const failed = over.then(() => {
    throw new Error('it ended before it was ready');
  });
  return { ready: await Promise.race([ready, failed]), stop: end };
}

describe('a server', () => {
  test('GET /status, GET /readiness: the server reports its health, counts its answers, and ends on a signal', async () => {
    const { ready, stop } = await start({ data: join(folder, 'a'), metricsListen: '0' });
    for (const path of ['/healthz', '/readyz', '/status', '/auth/status', '/readiness']) {
      const reply = await fetch(`${ready.url}${path}`);
      assert.equal(reply.status, 200, path);
    }
    const page = await (await fetch(ready.metricsUrl ?? '')).text();
    assert.match(
      page,
      /litmus_api_requests_total\{endpoint="\/readyz",status="200",operation_name="N\/A",operation_type="N\/A"\} 1\n/,
    );
    await stop();
    await assert.rejects(fetch(`${ready.url}/healthz`));
  });

  test('ends beside connections that browsers opened in stock and never used, and beside one whose request does not end', async () => {
    const { ready, stop } = await start({ data: join(folder, 'stock') });
    const { hostname, port } = new URL(ready.url);
    const [unused, halfAsked] = [connect(Number(port), hostname), connect(Number(port), hostname)];
    const closed = [unused, halfAsked].map((socket) => {
      socket.on('error', () => {});
      return new Promise((resolve) => socket.resume().once('close', resolve));
    });
    await once(unused, 'connect');
    halfAsked.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    // The server accepts connections in their order: when it answers on the second, it has both.
    await once(halfAsked, 'data');
    halfAsked.write('GET /healthz HTTP/1.1\r\n');
    await stop();
    await Promise.all(closed);
  });

  test('has its data folder alone, and gives it back', async () => {
    const data = join(folder, 'b');
    const first = await start({ data });
    await assert.rejects(start({ data }), { name: 'UsageError', message: /^another server works on / });
    await first.stop();
    const second = await start({ data });
    await second.stop();
  });

  test('says where it cannot listen', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await assert.rejects(start({ data: join(folder, 'c'), listen: `${port}` }), {
      name: 'ServeError',
      message: `cannot listen on 127.0.0.1 port ${port}: the port is in use; choose another one with --listen, or stop the program that uses it`,
    });
    other.close();
  });

  test('says that PostgreSQL does not answer', async () => {
    await assert.rejects(start({ data: join(folder, 'd'), database: 'postgres://nobody@127.0.0.1:1/none' }), {
      name: 'StoreUnavailableError',
    });
  });
});
