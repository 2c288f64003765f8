/** The trace of a run arrives at a receiver when the run is over, however it ends. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  endlessExperiment,
  engineOf,
  NAMESPACE,
  type StandInCluster,
  type StandInOptions,
  startStandIn,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { startTraces } from '../../process/traces/start-traces.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../process/traces/testing/otlp-receiver.ts';
import type { ReceivedSpan } from '../../process/traces/testing/received.ts';
import type { TraceSender } from '../../process/traces/trace-sender.ts';

interface Scene {
  readonly cluster: StandInCluster;
  readonly receiver: OtlpReceiver;
  readonly traces: TraceSender;
  readonly warnings: string[];
}

async function scene(t: TestContext, options: StandInOptions = {}, isAway = false): Promise<Scene> {
  const receiver = await startOtlpReceiver(t, () => (isAway ? { status: 403 } : {}));
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${receiver.http}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  };
  const warnings: string[] = [];
  const warn = ({ detail }: Readonly<Record<string, unknown>>, text: string): void =>
    void warnings.push(`${text}: ${String(detail)}`);
  const traces = (await startTraces(otel, { warn })) ?? assert.fail('no sender');
  t.after(() => traces.close());
  const cluster = await startStandIn(t, { ...options, operator: { otel, traces } });
  return { cluster, receiver, traces, warnings };
}

/** Name, time and sentence of each line of the run, as events are. */
function linesOf({ status }: ChaosEngine): string[] {
  const own = (status?.timeline ?? []).filter(({ runId }) => runId === status?.runId);
  return own.map(({ time, step, message }) => `${Date.parse(time)} ${step} ${message}`).sort();
}

function isStop({ name }: { readonly name: string }): boolean {
  return name === 'EngineStopped';
}

function eventsOf(spans: readonly ReceivedSpan[]): string[] {
  return spans
    .flatMap(({ events }) => events.map(({ atMs, name, message }) => `${atMs} ${name} ${message}`))
    .sort();
}

test('a run that ends well: one trace with every step of operator and runner', async (t) => {
  const { cluster, receiver, warnings } = await scene(t);
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'completed');
  await receiver.received(1);
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    receiver.spans.map(({ name, service }) => [name, service]),
    [
      ['run', 'chaos_operator'],
      ['runner', 'chaos_runner'],
    ],
  );
  assert.deepEqual(
    new Set(receiver.spans.map(({ traceId }) => traceId)),
    new Set([engine.status?.runId?.replaceAll('-', '')]),
  );
  assert.deepEqual(eventsOf(receiver.spans), linesOf(engine));
});

test('a run that is stopped, and one that is deleted', async (t) => {
  const { cluster, receiver } = await scene(t, { experiment: endlessExperiment });
  await cluster.experiment('pod-delete');
  for (const name of ['stopped', 'deleted']) {
    await cluster.apply(engineOf(name, ['pod-delete']));
    await cluster.resultWhen(
      `${name}-pod-delete`,
      ({ status }) => status?.experimentStatus?.verdict === 'Awaited',
    );
  }
  await cluster.patch('stopped', { spec: { engineState: 'stop' } });
  await cluster.ended('stopped', 'stopped');
  await cluster.client.delete(CHAOS_ENGINES, 'deleted', { namespace: NAMESPACE });
  await cluster.gone('deleted');
  await receiver.received(2);
  const ended = receiver.spans.filter(({ name }) => name === 'run');
  assert.deepEqual(
    ended.map(({ attributes, events }) => [attributes['turnsole.engine'], events.some(isStop)]).sort(),
    [
      ['deleted', true],
      ['stopped', true],
    ],
  );
  assert.equal(new Set(ended.map(({ traceId }) => traceId)).size, 2);
});

test('a run that is refused, and the next run of the same engine', async (t) => {
  const { cluster, receiver } = await scene(t);
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { chaosServiceAccount: 'default', experiments: [] }));
  const first = await cluster.ended('web', 'stopped');
  await cluster.patch('web', { spec: { engineState: 'active', experiments: [{ name: 'pod-delete' }] } });
  const second = await cluster.ended('web', 'completed');
  await receiver.received(2);
  const runs = receiver.spans.filter(({ name }) => name === 'run');
  assert.deepEqual(
    runs.map(({ traceId, failure }) => [traceId, failure !== undefined]),
    [
      [first.status?.runId?.replaceAll('-', ''), true],
      [second.status?.runId?.replaceAll('-', ''), false],
    ],
  );
});

test('an engine that was made in a trace: its run is below the span of who made it', async (t) => {
  const { cluster, receiver } = await scene(t);
  await cluster.experiment('pod-delete');
  const engine = engineOf('web', ['pod-delete']);
  const annotations = { 'turnsole.io/trace-parent': `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  await cluster.apply({ ...engine, metadata: { ...engine.metadata, annotations } });
  await cluster.ended('web', 'completed');
  await receiver.received(1);
  const [run] = receiver.spans;
  assert.deepEqual([run?.traceId, run?.parentSpanId], ['a'.repeat(32), 'b'.repeat(16)]);
});

test('a collector that refuses changes nothing of a run', async (t) => {
  const { cluster, receiver, traces, warnings } = await scene(t, {}, true);
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'completed');
  assert.equal(engine.status?.verdict, 'Pass');
  await receiver.received(1);
  await traces.close();
  assert.deepEqual(warnings, ['a trace could not be sent: the collector answered 403']);
});
