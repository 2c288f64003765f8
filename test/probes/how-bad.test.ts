/** How bad an outage was, by the numbers of a probe and by the log of an outside client: they agree. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { httpProbe, RUN } from '../../src/experiment/probes/testing/builders.ts';
import { startPeer } from '../../src/experiment/probes/testing/http-peer.ts';
import { ProbeCluster, statusesOf } from './support/probe-cluster.ts';

const SHARE = 0.05;
const OUTAGE_MS = 4000;

/** Asks a URL every few milliseconds, and keeps when each request began and whether it was served. */
class OutsideClient {
  readonly #log: { readonly beganMs: number; readonly ok: boolean }[] = [];
  readonly #ended: Promise<void>;
  #isOver = false;

  constructor(url: string) {
    this.#ended = this.#loop(url);
  }

  /** From the begin of the first request that failed to that of the next that was served. */
  outageMs(): number {
    const first = this.#log.findIndex(({ ok }) => !ok);
    const back = this.#log.findIndex(({ ok }, index) => index > first && ok);
    return (this.#log[back]?.beganMs ?? Number.NaN) - (this.#log[first]?.beganMs ?? Number.NaN);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #loop(url: string): Promise<void> {
    while (!this.#isOver) {
      const beganMs = Date.now();
      this.#log.push({ beganMs, ok: await isServed(url) });
      await systemClock.sleep(5);
    }
  }
}

function isServed(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode === 200));
    }).on('error', () => resolve(false));
  });
}

describe('how bad an outage was', () => {
  let cluster: ProbeCluster;
  before(async () => {
    cluster = await ProbeCluster.start();
  });
  after(() => cluster?.close());

  test('outage and failed requests are those of an outside client and of the server', async () => {
    let isUp = true;
    let failed = 0;
    await using peer = await startPeer((request, response) => {
      const isProbe = request.headers['user-agent'] === 'turnsole-probe';
      if (isProbe && !isUp) failed += 1;
      response.statusCode = isUp ? 200 : 503;
      response.end(isUp ? 'fine' : 'down\u001b[31m');
    });
    const outside = new OutsideClient(peer.url);
    const namespace = await cluster.namespace();
    const runProperties = { ...RUN, probeTimeout: '10s', probePollingInterval: '10ms' };
    const run = await cluster.run({
      namespace,
      probes: [httpProbe(peer.url, { name: 'users', mode: 'Continuous', runProperties })],
      durationSeconds: 10,
    });
    await run.result(
      (result) => result.status?.timeline?.some(({ step }) => step === 'ChaosStarted') === true,
    );
    isUp = false;
    await systemClock.sleep(OUTAGE_MS);
    isUp = true;
    const result = await run.ended();
    await outside.end();
    const [users] = statusesOf(result);
    const { summary, status } = users ?? {};
    const seen = JSON.stringify({ summary, status, outageMs: outside.outageMs(), failed }, undefined, 1);
    assert.equal(result.status?.experimentStatus?.verdict, 'Fail', seen);
    const outageMs = summary?.outage?.ms ?? Number.NaN;
    // Both count from the begin of a request, which is known as finely as one takes and as one follows another.
    const grainMs = (summary?.during.maxMs ?? 0) + (summary?.longestGapMs ?? 0);
    assert.ok(Math.abs(outageMs - outside.outageMs()) <= SHARE * outside.outageMs() + grainMs, seen);
    assert.ok(Math.abs((summary?.failed ?? Number.NaN) - failed) <= SHARE * failed, seen);
    assert.deepEqual(summary?.during.failures, [{ kind: 'status 503', count: summary?.during.failed }]);
    assert.equal(summary?.before.failed, 0);
    assert.equal(
      summary?.recovery?.sinceRevertMs !== undefined && summary.recovery.sinceRevertMs < 0,
      true,
      seen,
    );
    assert.ok((summary?.before.measurements ?? 0) > 0, seen);
    // Words and numbers are the same in the status and in the timeline.
    const words =
      /\d+ of \d+ requests failed during the fault, between \+[\d.]+ m?s and \+[\d.]+ s \(\d+ status 503\), longest outage [\d.]+ s; p95 /;
    assert.match(status?.description ?? '', words);
    assert.match(
      status?.description ?? '',
      /^GET http\S+ answered 503 \(Service Unavailable\) instead of 200: down\\x1b\[31m\. Actual value: 503\./,
    );
    const ended = result.status?.timeline?.find(({ step }) => step === 'ProbeEnded');
    assert.match(ended?.message ?? '', words);
  });

  test('an application that is broken before the fault is left alone', async () => {
    await using peer = await startPeer((_, response) => {
      response.statusCode = 500;
      response.end();
    });
    const namespace = await cluster.namespace();
    const probe = httpProbe(peer.url, {
      name: 'users',
      mode: 'Continuous',
      runProperties: { ...RUN, probeTimeout: '10s' },
    });
    const run = await cluster.run({ namespace, probes: [probe], durationSeconds: 2 });
    const { status } = await run.ended();
    const { verdict, phase, errorOutput } = status?.experimentStatus ?? {};
    assert.deepEqual([verdict, phase, errorOutput?.errorCode], ['Error', 'Error', 'NOT_STEADY']);
    assert.deepEqual(Object.keys(status?.ledger ?? {}), []);
    assert.deepEqual(
      statusesOf({ status } as never).map((one) => one.status.verdict),
      ['Failed'],
    );
    const ignoring = await cluster.run({
      namespace,
      probes: [probe],
      durationSeconds: 2,
      steadyState: 'ignore',
    });
    const ignored = await ignoring.ended();
    assert.equal(ignored.status?.experimentStatus?.verdict, 'Fail');
    assert.equal(Object.keys(ignored.status?.ledger ?? {}).length, 1);
  });

  test('an application that broke and recovered before the fault is not blamed for it', async () => {
    let isUp = false;
    await using peer = await startPeer((_, response) => {
      response.statusCode = isUp ? 200 : 500;
      response.end();
    });
    const namespace = await cluster.namespace();
    const runProperties = { ...RUN, probeTimeout: '10s', probePollingInterval: '100ms' };
    const probe = httpProbe(peer.url, { name: 'users', mode: 'Continuous', runProperties });
    const run = await cluster.run({
      namespace,
      probes: [probe],
      durationSeconds: 2,
      env: { RAMP_TIME: '3' },
    });
    await run.result(
      (result) => result.status?.timeline?.some(({ step }) => step === 'ProbeFailed') === true,
    );
    isUp = true;
    const result = await run.ended();
    assert.equal(
      result.status?.experimentStatus?.verdict,
      'Pass',
      JSON.stringify(result.status, undefined, 1),
    );
    assert.match(
      statusesOf(result)[0]?.status.description ?? '',
      /none of \d+ requests failed; \d+ failed before the fault, the last /,
    );
    const failed = result.status?.timeline?.find(({ step }) => step === 'ProbeFailed');
    assert.match(failed?.message ?? '', /^httpProbe in mode Continuous: before the fault: GET /);
  });
});
