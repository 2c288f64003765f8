import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '../kinds/resources.ts';
import { failureOf, setUpClient } from '../testing/client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type Answer, sendFailure } from '../testing/http-server.ts';
import { ApiError, ConnectionError, isForbidden } from './errors.ts';
import type { WatchEvent } from './types.ts';

/** Streams watch lines in pieces of a size that cuts characters in two. */
function streamLines(lines: readonly object[], thenEnd: boolean): Answer {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    if (thenEnd) response.end();
  };
}

const added = (name: string): object => ({
  type: 'ADDED',
  object: { metadata: { name, resourceVersion: '1' } },
});

test('a watch gives its items however they are cut, and ends when the server ends it', async () => {
  await using cluster = await setUpClient(
    streamLines(
      [
        added('sonnenblume-🌻'),
        { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } },
        added('é'),
      ],
      true,
    ),
  );
  const seen: WatchEvent[] = [];
  for await (const event of cluster.client.watch(PODS, { allowWatchBookmarks: true })) seen.push(event);
  assert.deepEqual(seen, [
    added('sonnenblume-🌻'),
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } },
    added('é'),
  ]);
});

test('leaving the loop closes the connection of a watch', async () => {
  const closed = Promise.withResolvers<void>();
  await using cluster = await setUpClient((request, response, raw) => {
    response.on('close', () => closed.resolve());
    streamLines([added('a'), added('b')], false)(request, response, raw);
  });
  for await (const event of cluster.client.watch(PODS)) {
    assert.deepEqual(event, added('a'));
    break;
  }
  await closed.promise;
});

test('a watch’s limit holds until the first byte only; its signal ends it later', async () => {
  const clock = new FakeClock();
  const opened = Promise.withResolvers<void>();
  await using cluster = await setUpClient(
    (request, response, raw) => {
      streamLines([added('a')], false)(request, response, raw);
      opened.resolve();
    },
    {},
    { clock },
  );
  const stop = new AbortController();
  const reason = new Error('enough');
  const events = cluster.client.watch(PODS, { signal: stop.signal, timeoutMs: 100 })[Symbol.asyncIterator]();
  assert.deepEqual((await events.next()).value, added('a'));
  assert.equal(clock.pending, 0);
  const failed = failureOf(events.next());
  stop.abort(reason);
  assert.equal(await failed, reason);

  await using silent = await setUpClient(() => {}, {}, { clock });
  const waiting = failureOf(silent.client.watch(PODS, { timeoutMs: 100 })[Symbol.asyncIterator]().next());
  await clock.untilPending(1);
  await clock.advance(100);
  assert.match((await waiting).message, /no answer within 100 ms/);
});

test('an ERROR item and a refusal are thrown, a broken stream is a failed connection', async () => {
  const drain = async (answer: Answer): Promise<Error> => {
    await using cluster = await setUpClient(answer);
    return await failureOf(
      (async () => {
        for await (const _ of cluster.client.watch(PODS, { resourceVersion: '1' }));
      })(),
    );
  };
  const expired = await drain(
    streamLines(
      [{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } }],
      false,
    ),
  );
  assert.ok(expired instanceof ApiError);
  assert.equal(expired.code, 410);
  assert.match(expired.message, /^GET \/api\/v1\/pods\?watch=true&resourceVersion=1: 410 Expired: too old$/);
  assert.ok(isForbidden(await drain((_, response) => sendFailure(response, 403, 'Forbidden'))));
  const broken = await drain((_, response) => {
    response.writeHead(200);
    response.write('{"type":"ADD', () => response.destroy());
  });
  assert.ok(broken instanceof ConnectionError);
  const cut = await drain((_, response) => response.end('{"type":"ADD'));
  assert.ok(cut instanceof ConnectionError);
  assert.match(cut.message, /broke off inside an item/);
});

test('log gives the text, logLines its lines as they come', async () => {
  const more = Promise.withResolvers<void>();
  await using cluster = await setUpClient((request, response) => {
    if (!request.url.includes('follow=true')) {
      response.end('one\ntwo');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('one\ntw');
    void more.promise.then(() => response.end('o\nthree'));
  });
  assert.equal(await cluster.client.log('web', { namespace: 'shop' }), 'one\ntwo');
  const lines: string[] = [];
  for await (const line of cluster.client.logLines('web', { namespace: 'shop', follow: true })) {
    lines.push(line);
    more.resolve();
  }
  assert.deepEqual(lines, ['one', 'two', 'three']);
});
