import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { startTraces } from './start-traces.ts';
import { startOtlpReceiver } from './testing/otlp-receiver.ts';
import { SAMPLE } from './testing/sample-trace.ts';
import type { TraceSender } from './trace-sender.ts';

/** A sender, and its log for people. */
async function sender(
  env: Readonly<Record<string, string>>,
  clock = systemClock,
): Promise<{ readonly traces: TraceSender | undefined; readonly warnings: string[] }> {
  const warnings: string[] = [];
  const traces = await startTraces(env, {
    clock,
    random: () => 0,
    warn: ({ detail }, sentence) => warnings.push(`${sentence}: ${String(detail)}`),
  });
  return { traces, warnings };
}

/** The time that the end of a process leaves to traces on their way. */
const CLOSE_LIMIT_MS = 5_000;

/** A clock with another such time. */
function closingAfter(limitMs: number): typeof systemClock {
  const setTimer: typeof systemClock.setTimer = (ms, callback, options) =>
    systemClock.setTimer(ms === CLOSE_LIMIT_MS ? limitMs : ms, callback, options);
  return { ...systemClock, setTimer };
}

test('traces that were handed over are sent before the process ends', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.http, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  // A busy machine may need more than the limit for twenty requests.
  const { traces, warnings } = await sender(env, closingAfter(60_000));
  for (let count = 0; count < 20; count++) traces?.add(() => Promise.resolve(SAMPLE));
  traces?.add(() => Promise.resolve(undefined));
  await traces?.close();
  assert.deepEqual([receiver.requests.length, warnings], [20, []]);
});

test('whatever happens to a trace is a warning, with the reason and without the address as a whole', async (t) => {
  const receiver = await startOtlpReceiver(t, () => ({ status: 403 }));
  const { traces, warnings } = await sender(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${receiver.http}/secret-path`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    },
    closingAfter(60_000),
  );
  traces?.add(() => Promise.resolve(SAMPLE));
  traces?.add(() => Promise.reject(new Error('the results may not be listed')));
  await traces?.close();
  assert.deepEqual(warnings.sort(), [
    'a trace could not be sent: the collector answered 403',
    'a trace could not be sent: the results may not be listed',
  ]);
});

test('a collector that takes and does not answer keeps no process from ending, and lost traces are logged', async (t) => {
  const receiver = await startOtlpReceiver(t, () => undefined);
  const { traces, warnings } = await sender({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.grpc }, closingAfter(1));
  for (let count = 0; count < 10; count++) traces?.add(() => Promise.resolve(SAMPLE));
  await receiver.received(4);
  await traces?.close();
  assert.equal(receiver.requests.length, 4, 'so many at a time');
  assert.deepEqual(warnings.at(-1), 'traces could not be sent: 6 traces are lost');
  assert.deepEqual(new Set(warnings.slice(0, -1)), new Set(['a trace could not be sent: the process ends']));
});

test('an outage of the collector does not fill the memory', async (t) => {
  const receiver = await startOtlpReceiver(t, () => undefined);
  const { traces, warnings } = await sender({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.grpc }, closingAfter(1));
  for (let count = 0; count < 600; count++) traces?.add(() => Promise.resolve(SAMPLE));
  await traces?.close();
  assert.equal(warnings.at(-1), 'traces could not be sent: 596 traces are lost');
});

test('settings that cannot be honoured are logged by name, and nothing is sent', async () => {
  const { traces, warnings } = await sender({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'udp',
  });
  assert.equal(traces, undefined);
  assert.deepEqual(warnings, [
    'no traces are sent: settings cannot be honoured: OTEL_EXPORTER_OTLP_PROTOCOL is "udp"; expected grpc or http/protobuf or http/json',
  ]);
  assert.deepEqual(await sender({}), { traces: undefined, warnings: [] });
});
