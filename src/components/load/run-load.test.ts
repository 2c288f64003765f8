import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLogger, silentLogger } from '@turnsole/kube/base/log';
import { until } from '@turnsole/kube/testing/until';
import { startPeer } from '../../experiment/probes/testing/http-peer.ts';
import type { LoadStats } from './answers.ts';
import { runLoad } from './run-load.ts';

/** A load under way; `await using` stops it, and wants exit code 0. */
interface RunningLoad extends AsyncDisposable {
  ask(path: string, method?: string): Promise<{ readonly status: number; readonly text: string }>;
}

async function running(env: Record<string, string>, argv: readonly string[] = []): Promise<RunningLoad> {
  const stopping = new AbortController();
  const listening = Promise.withResolvers<number>();
  const exit = runLoad(['-bind-address', '127.0.0.1:0', ...argv], env, {
    logger: silentLogger,
    signal: stopping.signal,
    onListening: listening.resolve,
  });
  void exit.then((code) => listening.reject(new Error(`it ended with ${code}`)));
  const port = await listening.promise;
  return {
    ask: async (path, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return { status: response.status, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      assert.equal(await exit, 0);
    },
  };
}

describe('turnsole load', () => {
  it('counts what users saw, as the server itself does, from its first answer on', async () => {
    let isUp = false;
    let mayRefuse = false;
    let refused = 0;
    await using peer = await startPeer((_, response) => {
      if (mayRefuse && refused < 5 && peer.requests.length % 10 === 0) {
        refused += 1;
        response.writeHead(503).end('busy');
        return;
      }
      response.writeHead(isUp ? 200 : 500).end();
    });
    // A busy machine may be late with everything, which is no failure.
    await using load = await running({ TARGET_URL: peer.url, RATE: '100', TIMEOUT_MS: '60000' });
    await until(() => peer.requests.length >= 5, 'not enough requests');
    assert.equal((await load.ask('/slo?objective=0')).status, 503, 'nothing was answered yet');
    isUp = true;
    const stats = async () => JSON.parse((await load.ask('/stats')).text);
    // What is answered before the first answer has been read does not count.
    await until(async () => (await stats()).answered >= 20, 'not enough requests');
    mayRefuse = true;
    const hasAll = ({ answered, failed }: { answered: number; failed: number }): boolean =>
      answered >= 100 && refused === 5 && failed >= 5;
    await until(async () => hasAll(await stats()), 'not enough requests');
    const { failed, failures } = await stats();
    assert.equal(failed, 5);
    assert.deepEqual(failures, { 'status 503': 5 });
    const slo = async (objective: number) => {
      const { status, text } = await load.ask(`/slo?objective=${objective}`);
      return { status, ...(JSON.parse(text) as LoadStats) };
    };
    const { status, answeredPercent, sent, notSent } = await slo(80);
    assert.ok(answeredPercent > 80 && answeredPercent < 100, String(answeredPercent));
    // Of a load that a busy machine could not send nothing is known.
    assert.equal(status, sent >= 0.9 * (sent + notSent) ? 200 : 503);
    assert.equal((await slo(100)).status, 503);

    await load.ask('/reset', 'POST');
    await until(async () => (await stats()).answered >= 5, 'not enough requests');
    assert.equal((await stats()).failed, 0, 'the second run does not fail for the errors of the first');

    const { text: metrics } = await load.ask('/metrics');
    assert.match(metrics, /^turnsole_load_requests_total\{outcome="answered"\} \d+$/m);
    assert.match(metrics, /^turnsole_load_requests_total\{outcome="failed"\} \d+$/m);
    assert.match(metrics, /^turnsole_load_request_duration_seconds_count\{outcome="answered"\} \d+$/m);
    assert.equal((await load.ask('/healthz')).status, 200);
    assert.equal((await load.ask('/')).status, 404);
  });

  describe('its settings', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'turnsole-load-'));
    });
    after(() => rm(folder, { recursive: true }));

    it('come from a file, in which each request has its own', async () => {
      await using peer = await startPeer((request, response) => {
        response.writeHead(request.url === '/missing' ? 404 : 200).end();
      });
      const file = join(folder, 'load.yaml');
      const requests = [
        { url: `${peer.url}/a` },
        { url: `${peer.url}/missing`, responseCode: '404' },
        {
          url: `${peer.url}/orders`,
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json' },
        },
      ];
      await writeFile(file, JSON.stringify({ rate: 10, timeout: '60s', connections: 2, requests }));
      await using load = await running({ LOAD_CONFIG: file, RATE: '60' });
      await until(() => peer.requests.length >= 12, 'not enough requests');
      const seen = new Set(peer.requests);
      assert.deepEqual([...seen].sort(), ['GET /a', 'GET /missing', 'POST /orders']);
      const { text } = await load.ask('/slo?objective=100');
      assert.equal(JSON.parse(text).failed, 0, text);
    });

    const wrong: readonly [string, Record<string, string>, readonly string[], RegExp][] = [
      ['no URL', {}, [], /give TARGET_URL, the URL to request, or LOAD_CONFIG/],
      ['no http', { TARGET_URL: 'ftp://x' }, [], /requests\[0\]\.url: Invalid value: "ftp:\/\/x"/],
      [
        'a rate of none',
        { TARGET_URL: 'http://x', RATE: '0' },
        [],
        /rate: Invalid value: 0: must be a number/,
      ],
      ['a word as rate', { TARGET_URL: 'http://x', RATE: 'many' }, [], /RATE: "many" is no number/],
      ['half a connection', { TARGET_URL: 'http://x', CONNECTIONS: '0.5' }, [], /connections: Invalid value/],
      ['no unit', { TARGET_URL: 'http://x' }, ['-timeout', '5'], /timeout: "5" is no duration/],
      ['no file', {}, ['-config', '/nowhere/load.yaml'], /cannot read the load's file \/nowhere\/load.yaml/],
      ['an unknown flag', {}, ['-users', '5'], /unknown argument "-users"; usage: turnsole load/],
    ];
    for (const [name, env, argv, message] of wrong) {
      it(`${name} is refused`, async () => {
        const lines: string[] = [];
        const logger = createLogger({ component: 'load', write: (line) => lines.push(line) });
        assert.equal(await runLoad(argv, env, { logger, signal: AbortSignal.abort() }), 2);
        assert.match(JSON.parse(lines.join('')).detail, message);
      });
    }

    it('a field that a load has not is refused', async () => {
      const file = join(folder, 'unknown.yaml');
      await writeFile(file, 'rate: 5\nusers: 3\nrequests: [{ url: http://x, verb: GET }]\n');
      const lines: string[] = [];
      const logger = createLogger({ component: 'load', write: (line) => lines.push(line) });
      assert.equal(await runLoad(['-config', file], {}, { logger, signal: AbortSignal.abort() }), 2);
      assert.match(lines.join(''), /fields that a load has not: users, requests\[\]\.verb/);
    });
  });
});
