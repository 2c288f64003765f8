/** The sender against servers that refuse, hang, reset, and answer late, wrongly or in part. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { type HttpPeer, REFUSING_URL, startPeer } from '../testing/http-peer.ts';
import type { LoadPlan, LoadRecord, LoadTarget } from './load-plan.ts';
import { startLoad } from './sender.ts';

function target(url: string, rest: Partial<LoadTarget> = {}): LoadTarget {
  return {
    method: 'GET',
    url: new URL(url),
    headers: {},
    body: undefined,
    weight: 1,
    accepts: (status) => status === 200,
    ...rest,
  };
}

function plan(targets: readonly LoadTarget[], rest: Partial<LoadPlan> = {}): LoadPlan {
  return {
    rate: 100,
    rampMs: 0,
    targets,
    timeoutMs: 2000,
    connections: 0,
    concurrency: 1000,
    tls: { verifyTls: true },
    ...rest,
  };
}

/** Sends until there are so many records, then stops; gives the records. */
async function recordsOf(given: LoadPlan, count: number): Promise<readonly LoadRecord[]> {
  const records: LoadRecord[] = [];
  const enough = Promise.withResolvers<void>();
  const load = startLoad(given, {
    stamp: Date.now,
    onRecord: (record) => {
      records.push(record);
      if (records.length >= count) enough.resolve();
    },
  });
  await enough.promise;
  await load.stop();
  return records;
}

function failuresOf(records: readonly LoadRecord[]): string[] {
  return records.map((record) =>
    record.outcome === 'failed' ? `${record.reason} | ${record.detail}` : record.outcome,
  );
}

describe('a load on a server that works', () => {
  it('sends each request in turn, with its method, headers and body', async () => {
    const seen: string[] = [];
    await using peer = await startPeer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk));
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${request.headers['x-user'] ?? '-'} ${body}`);
        response.end('ok');
      });
    });
    const post = { method: 'POST', headers: { 'x-user': 'ada' }, body: '{"a":1}' };
    const targets = [target(`${peer.url}/a?b=c`, { weight: 2 }), target(`${peer.url}/orders`, post)];
    const records = await recordsOf(plan(targets), 30);
    assert.ok(records.every(({ outcome }) => outcome === 'answered'));
    assert.deepEqual(new Set(seen), new Set(['GET /a?b=c - ', 'POST /orders ada {"a":1}']));
    const posts = seen.filter((request) => request.startsWith('POST')).length;
    assert.ok(Math.abs(seen.length / posts - 3) < 0.5, `${posts} of ${seen.length}`);
  });

  const connectionsOf = async (peer: HttpPeer, connections: number): Promise<number> => {
    const sockets = new Set<Socket>();
    peer.server.on('connection', (socket) => sockets.add(socket));
    await recordsOf(plan([target(peer.url)], { connections, concurrency: connections || 100 }), 20);
    return sockets.size;
  };
  it('opens a connection for each request', async () => {
    await using peer = await startPeer((_, response) => response.end('ok'));
    assert.ok((await connectionsOf(peer, 0)) >= 20);
  });
  it('or shares a pool of them', async () => {
    await using peer = await startPeer((_, response) => response.end('ok'));
    assert.ok((await connectionsOf(peer, 2)) <= 2);
  });
  it('a connection of the pool that the server closes as it is used is no failure', async () => {
    // Answers one request of each connection, and resets it when the next one comes.
    await using peer = await (async () => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        let asked = 0;
        socket.on('data', () => {
          asked += 1;
          if (asked === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          else socket.resetAndDestroy();
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      return {
        url: `http://127.0.0.1:${address.port}`,
        async [Symbol.asyncDispose]() {
          server.close();
          await once(server, 'close');
        },
      };
    })();
    const gets = await recordsOf(plan([target(peer.url)], { rate: 20, connections: 1, concurrency: 1 }), 6);
    // A slow machine has the connection in use when the next one is due.
    const found = failuresOf(gets).filter((one) => one !== 'unsent');
    assert.deepEqual(new Set(found), new Set(['answered']));
    const posts = [target(peer.url, { method: 'POST', body: 'x' })];
    const sent = await recordsOf(plan(posts, { rate: 20, connections: 1, concurrency: 1 }), 4);
    assert.ok(
      failuresOf(sent).some((found) => found.startsWith('reset')),
      String(failuresOf(sent)),
    );
  });
});

describe('a load on a server that does not work', () => {
  const cases: readonly [string, Parameters<typeof startPeer>[0], RegExp][] = [
    ['hangs', () => {}, /^no answer in 100 ms \| GET http:\/\/127\.0\.0\.1:\d+\/: no answer in 100 ms$/],
    ['resets', (request) => request.socket.resetAndDestroy(), /^reset \| GET http:/],
    [
      'answers wrongly',
      (_, response) => response.writeHead(503).end('\n upstream 500 \nmore'),
      /^status 503 \| GET http:\/\/127\.0\.0\.1:\d+\/: status 503: upstream 500$/,
    ],
    ['redirects', (_, response) => response.writeHead(302, { location: '/x' }).end(), /^status 302 \|/],
    [
      'breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half', () => response.socket?.destroy());
      },
      /^reset \|/,
    ],
    [
      'never ends its answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
      },
      /^no answer in 100 ms \|/,
    ],
    [
      'speaks no HTTP',
      (request) => {
        request.socket.end('220 smtp ready\r\n');
      },
      /^no HTTP \| GET .*: Parse Error/,
    ],
  ];
  for (const [name, listener, expected] of cases) {
    it(name, async () => {
      await using peer = await startPeer(listener);
      const records = await recordsOf(plan([target(peer.url)], { timeoutMs: 100 }), 3);
      for (const found of failuresOf(records)) assert.match(found, expected);
    });
  }

  it('refuses', async () => {
    const records = await recordsOf(plan([target(REFUSING_URL)]), 3);
    for (const found of failuresOf(records)) assert.match(found, /^refused \| GET http.*ECONNREFUSED/);
  });

  it('has no address', async () => {
    const records = await recordsOf(plan([target('http://nowhere.invalid')]), 1);
    assert.match(failuresOf(records)[0] ?? '', /^unknown name \|/);
  });

  it('answers late, and the time is that of the server', async () => {
    await using peer = await startPeer((_, response) => void setTimeout(() => response.end('ok'), 150));
    const records = await recordsOf(plan([target(peer.url)], { rate: 20 }), 3);
    for (const record of records) {
      assert.equal(record.outcome, 'answered');
      if (record.outcome === 'answered') assert.ok(record.tookMs >= 149, String(record.tookMs));
    }
  });

  it('requests begin on schedule while none is answered', async () => {
    await using peer = await startPeer(() => {});
    const records = await recordsOf(plan([target(peer.url)], { rate: 50, timeoutMs: 400 }), 1);
    // Within the first answer's limit twenty more were due.
    assert.ok(records.length >= 15, String(records.length));
  });
});

describe('what was not sent', () => {
  it('is said when as many as allowed are under way', async () => {
    await using peer = await startPeer(() => {});
    const records = await recordsOf(plan([target(peer.url)], { timeoutMs: 300, concurrency: 2 }), 5);
    const busy = records.filter((record) => record.outcome === 'unsent' && record.why === 'busy');
    assert.ok(busy.length >= 4, JSON.stringify(records));
    assert.equal(peer.requests.length, 2);
  });

  it('is said when the process was late, and those that are due again are sent', async () => {
    const clock = new FakeClock();
    const records: LoadRecord[] = [];
    const load = startLoad(plan([target(REFUSING_URL)]), {
      stamp: () => clock.now(),
      clock,
      onRecord: (record) => records.push(record),
    });
    // The timer of the second request, at 10 ms, fires after a second.
    clock.jump(1000);
    await clock.advance(0);
    load.abort();
    const [unsent] = records.filter((record) => record.outcome === 'unsent');
    assert.deepEqual(unsent, {
      outcome: 'unsent',
      atMs: clock.now() - 250,
      // Due at 10 to 750 ms.
      count: 75,
      why: 'late',
      lateMs: 990,
    });
    assert.equal(load.longestLagMs, 990);
  });

  it('the time in which the process could not work does not count against the server', async () => {
    const clock = new FakeClock();
    const sockets: Socket[] = [];
    await using peer = await startPeer((_, response) => {
      sockets.push(response.socket as Socket);
      answerNow = () => response.end('ok');
    });
    let answerNow = (): unknown => undefined;
    const arrived = once(peer.server, 'request');
    const records: LoadRecord[] = [];
    const ended = Promise.withResolvers<LoadRecord>();
    const load = startLoad(plan([target(peer.url)], { rate: 0.01, timeoutMs: 1000 }), {
      stamp: () => clock.now(),
      clock,
      onRecord: (record) => {
        records.push(record);
        ended.resolve(record);
      },
    });
    await arrived;
    clock.jump(5000);
    await clock.advance(0);
    assert.deepEqual(records, [], 'its limit has not begun to run out');
    answerNow();
    const record = await ended.promise;
    load.abort();
    assert.equal(record.outcome, 'answered');
    if (record.outcome === 'answered') assert.ok(record.lagMs > 4900 && record.lagMs <= record.tookMs);
  });
});

describe('the end of a load', () => {
  it('stop waits for the answers under way, and sends nothing more', async () => {
    let open = 0;
    await using peer = await startPeer((_, response) => {
      open += 1;
      setTimeout(() => response.end('ok'), 200);
    });
    const records: LoadRecord[] = [];
    const load = startLoad(plan([target(peer.url)], { rate: 20 }), {
      stamp: Date.now,
      onRecord: (record) => records.push(record),
    });
    await once(peer.server, 'request');
    await load.stop();
    const sent = open;
    assert.equal(records.length, sent);
    await delay(100);
    assert.equal(open, sent);
  });

  it('abort ends all without a record', async () => {
    await using peer = await startPeer(() => {});
    const records: LoadRecord[] = [];
    const load = startLoad(plan([target(peer.url)]), {
      stamp: Date.now,
      onRecord: (record) => records.push(record),
    });
    await once(peer.server, 'request');
    load.abort();
    await load.stop();
    assert.deepEqual(records, []);
  });
});
