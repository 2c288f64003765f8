/** loadProbes through the runner, against real servers that keep a count of their own. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { describe, it } from 'node:test';
import { makeServerTls } from '@turnsole/cluster/apiserver/tls/authority';
import { systemClock } from '@turnsole/kube/base/clock';
import { until } from '@turnsole/kube/testing/until';
import type { Probe } from '../../api/schema/probe.ts';
import type { ProbeStatus } from '../../api/schema/result.ts';
import type { PhaseOutcome } from './outcome.ts';
import { createProbeRunner } from './runner.ts';
import type { ProbeRunner } from './runner-types.ts';
import { loadProbe, noClient } from './testing/builders.ts';
import { listening, REFUSING_URL, startPeer } from './testing/http-peer.ts';

function runnerOf(probe: Probe, onStop: (reason: string) => void = () => {}): ProbeRunner {
  return createProbeRunner({
    probes: [probe],
    client: noClient(),
    clock: systemClock,
    signal: new AbortController().signal,
    env: {},
    statusCheckTimeoutSeconds: 30,
    logger: { info: () => {}, warn: () => {} },
    onUpdate: () => {},
    onStop,
  });
}

interface Found {
  readonly outcome: PhaseOutcome;
  readonly status: ProbeStatus;
}

/** The phases of a run; the fault is in force until `isOver`. */
async function run(
  probe: Probe,
  isOver: () => boolean | Promise<boolean>,
  steps: { readonly before?: () => Promise<void>; readonly began?: () => void } = {},
): Promise<Found> {
  const runner = runnerOf(probe);
  assert.deepEqual(await runner.preChaos(), { ok: true });
  assert.deepEqual(await runner.prepareChaos(), { ok: true });
  await steps.before?.();
  steps.began?.();
  runner.chaosBegan();
  await until(isOver, 'the fault never ended');
  runner.chaosEnded();
  const outcome = await runner.postChaos();
  const [status] = runner.statuses();
  assert.ok(status !== undefined);
  return { outcome, status };
}

function summaryOf({ status }: Found): NonNullable<ProbeStatus['summary']> {
  assert.ok(status.summary !== undefined, JSON.stringify(status));
  return status.summary;
}

function problemOf({ outcome }: Found): string {
  assert.ok(!outcome.ok);
  return `${outcome.kind} ${outcome.code}: ${outcome.message}`;
}

const ok: RequestListener = (_, response) => void response.end('ok');

describe('loadProbe', () => {
  it('passes, and its numbers are those of the server', async () => {
    await using peer = await startPeer(ok);
    const found = await run(loadProbe(peer.url), () => peer.requests.length >= 60);
    assert.deepEqual(found.outcome, { ok: true });
    assert.equal(found.status.status.verdict, 'Passed');
    const { measurements, failed, before, during, after } = summaryOf(found);
    assert.equal(measurements, peer.requests.length, 'each of them, also those under way at the end');
    assert.equal(failed, 0);
    assert.equal(before.measurements + during.measurements + after.measurements, measurements);
    assert.ok(during.measurements > 0);
    // What was measured late is no latency: of a process that got no processor there may be none.
    assert.equal(during.maxMs !== undefined, (during.latencies ?? 0) > 0);
  });

  it('fails by the requests that failed, each counted by its kind', async () => {
    let failures = 0;
    await using peer = await startPeer((_, response) => {
      if (peer.requests.length % 5 !== 0) return void response.end('ok');
      failures += 1;
      response.writeHead(503).end('upstream 500\n');
    });
    const found = await run(loadProbe(peer.url), () => peer.requests.length >= 60);
    assert.match(
      problemOf(found),
      /^failure LOAD_PROBE_FAILURE: probe 'users': GET http:.*: status 503: upstream 500/,
    );
    assert.equal(found.status.status.verdict, 'Failed');
    const { failed, during } = summaryOf(found);
    assert.equal(failed, failures);
    assert.deepEqual(during.failures, [{ kind: 'status 503', count: failures }]);
  });

  for (const [failed, verdict] of [
    ['30%', 'Passed'],
    ['10%', 'Failed'],
  ] as const) {
    it(`a fifth failed, ${failed} may: ${verdict}`, async () => {
      await using peer = await startPeer((_, response) => {
        response.writeHead(peer.requests.length % 5 === 0 ? 503 : 200).end();
      });
      const probe = loadProbe(peer.url, {}, { tolerance: { failed } });
      const found = await run(probe, () => peer.requests.length >= 60);
      assert.equal(found.status.status.verdict, verdict, found.status.status.description);
      assert.equal(found.outcome.ok, verdict === 'Passed');
    });
  }

  it('an OnChaos load begins with the fault, and what hangs at its end has failed', async () => {
    let hangs = false;
    await using peer = await startPeer((_, response) => void (hangs || response.end('ok')));
    let sent = 0;
    const probe = loadProbe(peer.url, {}, { runProperties: { probeTimeout: '300ms', interval: '' } });
    const found = await run(
      probe,
      () => {
        if (peer.requests.length < 20) return false;
        hangs = true;
        sent ||= peer.requests.length;
        return peer.requests.length >= sent + 10;
      },
      { before: async () => assert.equal(peer.requests.length, 0) },
    );
    const { failed, during } = summaryOf(found);
    assert.ok(failed >= 10, String(failed));
    assert.deepEqual(during.failures, [{ kind: 'no answer in 300 ms', count: failed }]);
  });

  it('a Continuous load tells before, during and after apart', async () => {
    let state: 'before' | 'during' | 'after' = 'before';
    const seen = { before: 0, during: 0, after: 0 };
    await using peer = await startPeer((_, response) => {
      seen[state] += 1;
      response.writeHead(state === 'during' ? 500 : 200).end();
    });
    const runner = runnerOf(loadProbe(peer.url, {}, { mode: 'Continuous' }));
    await runner.preChaos();
    await runner.prepareChaos();
    await until(() => seen.before >= 30, 'no baseline');
    assert.deepEqual(await runner.steadyState(), { ok: true });
    state = 'during';
    runner.chaosBegan();
    await until(() => seen.during >= 30, 'nothing during the fault');
    state = 'after';
    runner.chaosEnded();
    await until(() => seen.after >= 30, 'nothing after the fault');
    assert.equal((await runner.postChaos()).ok, false);
    const { before, during, after, outage } = runner.statuses()[0]?.summary ?? {};
    const near = (actual: number | undefined, expected: number): void =>
      assert.ok(Math.abs((actual ?? 0) - expected) <= 3, `${actual} is not ${expected}`);
    near(before?.measurements, seen.before);
    near(during?.measurements, seen.during);
    near(after?.measurements, seen.after);
    near((before?.failed ?? 0) + (during?.failed ?? 0) + (after?.failed ?? 0), seen.during);
    assert.equal(outage?.ended, true);
  });

  it('what could not be sent is no success: the probe is not evaluated', async () => {
    const waiting: (() => void)[] = [];
    await using peer = await startPeer((_, response) => void waiting.push(() => response.end('ok')));
    const slow = loadProbe(peer.url, { concurrency: 1 });
    const answering = setInterval(() => waiting.shift()?.(), 50);
    const found = await run(slow, () => peer.requests.length >= 10).finally(() => clearInterval(answering));
    assert.match(
      problemOf(found),
      /^error LOAD_PROBE_ERROR: probe 'users': the load could not be evaluated: sent \d+ of \d+; \d+ were not sent: as many requests as allowed \(1\) were under way$/,
    );
    assert.notEqual(found.status.status.verdict, 'Passed');
  });

  for (const status of [200, 503]) {
    it(`what it was too late to send is no success, and no failure: ${status}`, async () => {
      await using peer = await startPeer((_, response) => void response.writeHead(status).end());
      let spins = 0;
      const found = await run(loadProbe(peer.url), () => {
        if (peer.requests.length < 20 * (spins + 1)) return false;
        // This process, which sends, has other work.
        for (const end = performance.now() + 800; performance.now() < end; ) Math.sqrt(spins);
        spins += 1;
        return spins > 2;
      });
      assert.match(
        problemOf(found),
        /^error LOAD_PROBE_ERROR: .*could not be evaluated: sent \d+ of \d+; \d+ were not sent: the load's own process was late by up to \S+ m?s$/,
      );
      const { failed, measurements } = summaryOf(found);
      assert.equal(failed, status === 200 ? 0 : measurements);
    });
  }

  it('stops the run at its first failure, if it is to', async () => {
    const stopped = Promise.withResolvers<string>();
    const runProperties = { probeTimeout: '1s', interval: '', stopOnFailure: true };
    const runner = runnerOf(loadProbe(REFUSING_URL, {}, { runProperties }), stopped.resolve);
    await runner.preChaos();
    await runner.prepareChaos();
    runner.chaosBegan();
    assert.match(
      await stopped.promise,
      /^probe 'users' failed: GET http:\/\/127\.0\.0\.1:1\/: .*ECONNREFUSED/,
    );
    await runner.abort();
  });

  it('ends with an abort, and leaves no connection', async () => {
    await using peer = await startPeer(() => {});
    const runner = runnerOf(loadProbe(peer.url));
    await runner.preChaos();
    await runner.prepareChaos();
    runner.chaosBegan();
    await until(() => peer.requests.length >= 5, 'no load');
    await runner.abort();
    const connections = (): Promise<number> =>
      new Promise((resolve) => peer.server.getConnections((_, count) => resolve(count)));
    await until(async () => (await connections()) === 0, 'connections are left');
  });

  it('a certificate that is not accepted is an error; with insecureSkipVerify it is accepted', async () => {
    const { key, certificate } = makeServerTls(Date.now());
    let answered = 0;
    const server = createTlsServer({ key, cert: certificate }, (_, response) => {
      answered += 1;
      response.end('ok');
    });
    await using peer = await listening(server, 'https');
    let attempts = 0;
    server.on('tlsClientError', () => (attempts += 1));
    const refused = await run(loadProbe(peer.url), () => attempts >= 3);
    assert.match(problemOf(refused), /^error LOAD_PROBE_ERROR: probe 'users': GET https:/);
    const accepted = await run(
      loadProbe(peer.url, { rate: 20, insecureSkipVerify: true }),
      () => answered >= 10,
    );
    assert.deepEqual(accepted.outcome, { ok: true });
  });

  it('a file that is not there is an error', async () => {
    const probe = loadProbe('https://127.0.0.1:1', { tlsConfig: { caFile: '/nowhere/ca.pem' } });
    const runner = runnerOf(probe);
    await runner.preChaos();
    await runner.prepareChaos();
    runner.chaosBegan();
    await until(() => runner.statuses()[0]?.status.description !== undefined, 'it found nothing');
    const outcome = await runner.postChaos();
    assert.ok(!outcome.ok);
    assert.match(outcome.message, /cannot read tlsConfig\.caFile in the experiment pod/);
  });
});
