/** An experiment that no operator of ours started sends its trace itself, to a receiver that listens. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogger } from '@turnsole/kube/base/log';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import {
  type ExperimentCluster,
  shareExperimentCluster,
} from '../../../../test/support/experiment-cluster.ts';
import type { ChaosResult } from '../../../api/index.ts';
import { podDelete } from '../../../faults/pod/pod-delete.ts';
import {
  type OtlpReceiver,
  type ReceiverAnswer,
  startOtlpReceiver,
} from '../../../process/traces/testing/otlp-receiver.ts';
import type { Fault } from '../../injection/fault.ts';
import { type ExperimentOutcome, runExperiment } from '../run-experiment.ts';

let cluster: ExperimentCluster;

shareExperimentCluster((started) => {
  cluster = started;
});

const TRACE_PARENT = `{"traceparent":"00-${'a'.repeat(32)}-${'b'.repeat(16)}-01"}`;

interface Ended {
  readonly outcome: ExperimentOutcome;
  readonly receiver: OtlpReceiver;
  readonly result: ChaosResult;
  readonly log: string;
}

/** Runs pod-delete once against one pod. */
async function run(
  t: TestContext,
  env: Readonly<Record<string, string>>,
  answer: ReceiverAnswer = {},
): Promise<Ended> {
  const receiver = await startOtlpReceiver(t, () => answer);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 1);
  const engine = await cluster.engine(namespace, podDelete.name, { experiments: [{ name: podDelete.name }] });
  let log = '';
  const outcome = await runExperiment({
    fault: podDelete as Fault,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid ?? '',
      CHAOS_NAMESPACE: namespace,
      EXPERIMENT_NAME: podDelete.name,
      TARGETS: `deployment:${namespace}:[app=web]`,
      TOTAL_CHAOS_DURATION: '1',
      CHAOS_INTERVAL: '1',
      FORCE: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.grpc,
      ...env,
    },
    client: cluster.client,
    // This clock leaves out the time in which a busy machine gave the process no turn: the trace has 5 s to be sent.
    clock: fastClock(1),
    random: () => 0,
    signal: new AbortController().signal,
    logger: createLogger({
      component: 'experiment',
      level: 'info',
      write: (line) => {
        log += line;
      },
    }),
  });
  return { outcome, receiver, log, result: await cluster.result(namespace, `eng-${podDelete.name}`) };
}

test('without a run id: one trace below TRACE_PARENT, with every step of the result', async (t) => {
  const { outcome, receiver, result } = await run(t, { TRACE_PARENT });
  assert.equal(outcome.verdict, 'Pass');
  const { spans } = receiver;
  assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set(['a'.repeat(32)]));
  assert.deepEqual([spans[0]?.name, spans[0]?.parentSpanId], ['experiment pod-delete', 'b'.repeat(16)]);
  assert.equal(spans[0]?.attributes['turnsole.verdict'], 'Pass');
  assert.deepEqual(
    spans.flatMap(({ events }) => events.map(({ atMs, name }) => `${atMs} ${name}`)).sort(),
    (result.status?.timeline ?? []).map(({ time, step }) => `${Date.parse(time)} ${step}`).sort(),
  );
  assert.ok(spans.some(({ name }) => name === 'inject pod-delete'));
});

test('with the run id of our operator it sends nothing: the operator sends the whole run', async (t) => {
  const { outcome, receiver } = await run(t, { TRACE_PARENT, RUN_ID: 'run1' });
  assert.deepEqual([outcome.verdict, receiver.requests.length], ['Pass', 0]);
});

test('a collector that refuses is a warning', async (t) => {
  const { outcome, log } = await run(t, { TRACE_PARENT }, { code: 7, message: 'no' });
  assert.deepEqual([outcome.verdict, outcome.exitCode], ['Pass', 0]);
  assert.match(log, /the collector answered gRPC code 7: no.*a trace could not be sent/);
});
