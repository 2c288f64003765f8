import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import { sendJson, startTestServer } from '@turnsole/kube/testing/http-server';
import { runPodCounter } from './pod-counter.ts';

test('the example counts pods, and ends with 0 when it is stopped', async () => {
  const items = ['Running', 'Running', 'Pending'].map((phase, index) => ({
    metadata: { name: `pod-${index}`, namespace: 'shop', uid: `u${index}`, resourceVersion: '1' },
    status: { phase },
  }));
  await using api = await startTestServer(({ url }, response) => {
    // The watch says nothing: nothing changes.
    if (url.includes('watch='))
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    else sendJson(response, 200, { metadata: { resourceVersion: '1' }, items });
  });
  const stop = new AbortController();
  const listening = Promise.withResolvers<number>();
  const exit = runPodCounter(
    ['-bind-address=127.0.0.1:0'],
    { WATCH_NAMESPACE: 'shop' },
    {
      config: { server: api.url, namespace: 'home' },
      logger: silentLogger,
      signal: stop.signal,
      onListening: listening.resolve,
    },
  );
  const page = await (await fetch(`http://127.0.0.1:${await listening.promise}/metrics`)).text();
  assert.match(page, /^pods_running 2$/m);
  assert.match(page, /turnsole_api_requests_total\{verb="list",resource="pods",code="200"\} 1/);
  stop.abort(new Error('SIGTERM'));
  assert.equal(await exit, 0);
});
