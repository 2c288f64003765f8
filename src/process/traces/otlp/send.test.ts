/** Traces arrive at a receiver that really listens. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { PROTOCOLS, readTraceSettings, type TraceSettings } from '../settings.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../testing/otlp-receiver.ts';
import { SAMPLE } from '../testing/sample-trace.ts';
import { sendTrace } from './send.ts';

/** Delays are no longer than this test can wait for. */
const clock = { ...systemClock, sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(1, signal) };
const never = new AbortController().signal;

type Protocol = TraceSettings['protocol'];

function settingsFor(
  receiver: OtlpReceiver,
  protocol: Protocol,
  env: Record<string, string> = {},
): TraceSettings {
  const wish = readTraceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${protocol === 'grpc' ? receiver.grpc : receiver.http}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    ...env,
  });
  return wish.kind === 'on' ? wish.settings : assert.fail(JSON.stringify(wish));
}

function send(settings: TraceSettings, hurry: AbortSignal = never): Promise<void> {
  return sendTrace(SAMPLE, settings, { clock, random: () => 0, hurry, signal: never });
}

for (const protocol of PROTOCOLS) {
  for (const compression of ['none', 'gzip']) {
    test(`${protocol}, ${compression}: a trace arrives as it is`, async (t: TestContext) => {
      const receiver = await startOtlpReceiver(t);
      await send(
        settingsFor(receiver, protocol, {
          OTEL_EXPORTER_OTLP_COMPRESSION: compression,
          OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=secret',
          OTEL_SERVICE_NAME: 'mine',
        }),
      );
      const { traceId } = SAMPLE;
      assert.deepEqual(receiver.spans, [
        {
          service: 'mine',
          traceId,
          spanId: '00f067aa0ba902b7',
          parentSpanId: '',
          name: 'run',
          startMs: 1_764_000_000_000,
          endMs: 1_764_000_009_123,
          attributes: { 'turnsole.engine': 'web' },
          events: [{ name: 'EngineInitialized', atMs: 1_764_000_000_001, message: 'run begins' }],
          failure: 'verdict Fail',
        },
        {
          service: 'chaos_experiment_job',
          traceId,
          spanId: 'b7ad6b7169203331',
          parentSpanId: '00f067aa0ba902b7',
          name: 'experiment pod-delete',
          startMs: 1_764_000_001_000,
          endMs: 1_764_000_001_000,
          attributes: {},
          events: [],
          failure: undefined,
        },
      ]);
      const path =
        protocol === 'grpc' ? '/opentelemetry.proto.collector.trace.v1.TraceService/Export' : '/v1/traces';
      assert.deepEqual(
        receiver.requests.map((one) => [one.path, one.headers['x-key']]),
        [[path, 'secret']],
      );
    });
  }

  test(`${protocol}: what may be taken later is sent once more`, async (t) => {
    const receiver = await startOtlpReceiver(t, (count) => (count < 3 ? { status: 503, code: 14 } : {}));
    await send(settingsFor(receiver, protocol));
    assert.deepEqual([receiver.requests.length, receiver.spans.length], [3, 2]);
  });

  test(`${protocol}: a refused request is not repeated, and the reason is reported`, async (t) => {
    const receiver = await startOtlpReceiver(t, () => ({ status: 401, code: 16, message: 'no key' }));
    await assert.rejects(
      send(settingsFor(receiver, protocol)),
      /^Error: the collector answered .*(401|16): no key$/,
    );
    assert.equal(receiver.requests.length, 1);
  });

  test(`${protocol}: a collector that does not answer is given up in time`, async (t) => {
    const receiver = await startOtlpReceiver(t, () => undefined);
    const settings = settingsFor(receiver, protocol, { OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
    await assert.rejects(send(settings), /^Error: no answer in 200 ms$/);
  });

  test(`${protocol}: a collector that is away is not waited for by a process that ends`, async (t) => {
    const receiver = await startOtlpReceiver(t);
    const { hostname } = new URL(`http://${receiver.http}`);
    // The port of discard has no listener.
    const settings = { ...settingsFor(receiver, protocol), url: new URL(`http://${hostname}:9/v1/traces`) };
    await assert.rejects(
      send(settings, AbortSignal.abort()),
      /^Error: cannot reach the collector: connect ECONNREFUSED/,
    );
  });
}

test('a certificate that is not there is named', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const settings = settingsFor(receiver, 'grpc', { OTEL_EXPORTER_OTLP_CERTIFICATE: '/none/ca.pem' });
  await assert.rejects(send(settings), /ENOENT.*\/none\/ca\.pem/);
});
