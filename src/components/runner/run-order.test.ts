/** Orders of experiments through operator, runner and API server, with stand-in experiments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '@turnsole/kube/kinds/resources';
import {
  engineOf,
  NAMESPACE,
  type Program,
  passingExperiment,
  type Run,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { type ChaosEngine, LABEL_RUN_ID } from '../../api/index.ts';

const summary = ({ status }: ChaosEngine): string[] =>
  (status?.experiments ?? []).map(
    ({ name, status: word, verdict, iteration }) => `${name}: ${word}, ${verdict}, ${iteration ?? '-'}`,
  );
const nameOf = ({ env }: Program): string => env.EXPERIMENT_NAME ?? '';

const failingExperiment: Run = async (program) => {
  await storeResult(program, 'Running', 'Awaited');
  await storeResult(program, 'Completed', 'Fail');
  return 0;
};

test('order: parallel experiments are under way at the same time, dependent ones wait', async (context) => {
  const started = new Set<string>();
  const both = Promise.withResolvers<void>();
  const experiment: Run = async (program) => {
    const name = nameOf(program);
    if (name === 'last') assert.deepEqual([...started].sort(), ['one', 'two']);
    started.add(name);
    if (started.has('one') && started.has('two')) both.resolve();
    await Promise.race([both.promise, untilAborted(program.signal)]);
    return passingExperiment(program);
  };
  const cluster = await startStandIn(context, { experiment });
  for (const name of ['one', 'two', 'last']) await cluster.experiment(name);
  await cluster.apply({
    ...engineOf('web', []),
    spec: {
      ...engineOf('web', []).spec,
      experiments: [{ name: 'last', dependsOn: ['one', 'two'] }, { name: 'one' }, { name: 'two' }],
      execution: { order: 'parallel' },
    },
  });
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), [
    'last: Completed, Pass, -',
    'one: Completed, Pass, -',
    'two: Completed, Pass, -',
  ]);
});

test('order: the end of starting is recorded when the last one has its Job, and not before', async (context) => {
  const gates = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const experiment: Run = async (program) => {
    const gate = nameOf(program) === 'first' ? gates.first : gates.second;
    await Promise.race([gate.promise, untilAborted(program.signal)]);
    return passingExperiment(program);
  };
  const cluster = await startStandIn(context, { experiment });
  for (const name of ['first', 'second']) await cluster.experiment(name);
  await cluster.apply(engineOf('web', ['first', 'second']));
  const runs = (index: number): Promise<ChaosEngine> =>
    cluster.engine('web', ({ status }) => status?.experiments?.[index]?.status === 'Running');
  assert.equal((await runs(0)).status?.allStarted, undefined);
  gates.first.resolve();
  const { status } = await runs(1);
  assert.equal(status?.allStarted, status?.runId);
  gates.second.resolve();
  await cluster.ended('web', 'completed');
});

test('order: after a failure nothing is started any more, and the entries say why', async (context) => {
  const experiment: Run = (program) =>
    nameOf(program) === 'first' ? failingExperiment(program) : passingExperiment(program);
  const cluster = await startStandIn(context, { experiment });
  for (const name of ['first', 'second']) await cluster.experiment(name);
  await cluster.apply(engineOf('web', ['first', 'second'], { execution: { onFailure: 'stop' } }));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['first: Completed, Fail, -', 'second: Skipped, N/A, -']);
  assert.match(engine.status?.experiments?.[1]?.reason ?? '', /first ended with Fail.*onFailure is stop/);
  assert.equal((await cluster.jobs()).length, 1);
});

test('order: each iteration has entries, Jobs and run ids of its own', async (context) => {
  const runIds: string[] = [];
  const experiment: Run = (program) => {
    runIds.push(program.env.RUN_ID ?? '');
    return runIds.length === 1 ? passingExperiment(program) : failingExperiment(program);
  };
  const cluster = await startStandIn(context, { experiment });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { execution: { iterations: 2 } }));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Completed, Pass, 1', 'pod-delete: Completed, Fail, 2']);
  const runId = engine.status?.runId ?? '';
  assert.deepEqual(runIds, [runId, `${runId}-i2`]);
  assert.equal((await cluster.jobs()).length, 2);
  assert.equal((await cluster.result('web-pod-delete')).metadata.labels?.[LABEL_RUN_ID], `${runId}-i2`);
});

test('order: an iteration whose experiment leaves no result does not get the verdict of the one before', async (context) => {
  let count = 0;
  const experiment: Run = (program) => {
    count += 1;
    return count === 1 ? passingExperiment(program) : Promise.resolve(0);
  };
  const cluster = await startStandIn(context, { experiment });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { execution: { iterations: 2 } }));
  assert.deepEqual(summary(await cluster.ended('web', 'completed')), [
    'pod-delete: Completed, Pass, 1',
    'pod-delete: Completed, Error, 2',
  ]);
});

test('order: an engine whose experiments wait for each other is refused with the path', async (context) => {
  const cluster = await startStandIn(context);
  const spec = engineOf('web', []).spec;
  await cluster.apply({
    ...engineOf('web', []),
    spec: {
      ...spec,
      experiments: [
        { name: 'a', dependsOn: ['b'] },
        { name: 'b', dependsOn: ['a'] },
      ],
    },
  });
  const events = await cluster.events('web', 'ChaosResourcesOperationFailed');
  assert.ok(events.some((text) => /spec\.experiments\[0\]\.dependsOn.*a waits for b waits for a/.test(text)));
});

test('order: a runner that is lost amid parallel experiments is replaced by one that starts none of them again', async (context) => {
  const gate = Promise.withResolvers<void>();
  const starts: string[] = [];
  const experiment: Run = async (program) => {
    starts.push(nameOf(program));
    await storeResult(program, 'Running', 'Awaited');
    if (nameOf(program) !== 'quick') await Promise.race([gate.promise, untilAborted(program.signal)]);
    await storeResult(program, 'Completed', 'Pass');
    return 0;
  };
  const cluster = await startStandIn(context, { experiment });
  for (const name of ['quick', 'slow', 'slower', 'later']) await cluster.experiment(name);
  await cluster.apply(
    engineOf('web', ['quick', 'slow', 'slower', 'later'], {
      execution: { order: 'parallel', maxParallel: 2 },
    }),
  );
  const words = ({ status }: ChaosEngine): string =>
    (status?.experiments ?? []).map(({ status: word }) => word.slice(0, 3)).join();
  await cluster.engine('web', (engine) => words(engine) === 'Com,Run,Run,Wai');
  await cluster.client.delete(PODS, 'web-runner', { namespace: NAMESPACE, gracePeriodSeconds: 0 });
  await cluster.engine('web', ({ status }) => status?.runnerAttempts === 2);
  gate.resolve();
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(
    engine.status?.experiments?.map(({ verdict }) => verdict),
    ['Pass', 'Pass', 'Pass', 'Pass'],
  );
  assert.deepEqual(starts.sort(), ['later', 'quick', 'slow', 'slower']);
});
