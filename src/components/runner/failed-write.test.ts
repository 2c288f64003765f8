/** Writes of the engine's status that the API server fails: nothing that was found out is lost or turned into something else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { JOBS } from '@turnsole/kube/kinds/resources';
import { silentLogger, systemClock } from '@turnsole/kube/runtime/index';
import { changedClient } from '@turnsole/kube/testing/changed-client';
import {
  engineOf,
  NAMESPACE,
  passingExperiment,
  type Run,
  startStandIn,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { EngineStatusWriter } from './engine-status.ts';
import { runRunner } from './run-runner.ts';

const failure = (code: number): ApiError =>
  new ApiError('PATCH chaosengines', code, { code, reason: 'InternalError', message: 'etcdserver: timeout' });

const summary = ({ status }: ChaosEngine): string[] =>
  (status?.experiments ?? []).map(({ name, status: word, verdict }) => `${name}: ${word}, ${verdict}`);

/** The client, with calls of one method that the handler may answer instead. */
function answering(
  client: KubeClient,
  method: 'patch' | 'find' | 'create',
  instead: (parameters: readonly unknown[], go: () => Promise<unknown>) => Promise<unknown>,
): KubeClient {
  return changedClient(client, {
    [method]: (...parameters: unknown[]) =>
      instead(parameters, async () => Reflect.apply(client[method], client, parameters)),
  });
}

/** A runner that the kubelet starts again while it fails, and the exit codes that it ended with. */
function restarted(runnerClient: (client: KubeClient) => KubeClient, exits: number[]): Run {
  return async ({ env, client, signal }) => {
    const io = { client: runnerClient(client), logger: silentLogger, signal };
    while (exits.at(-1) !== 0 && exits.length < 5) exits.push(await runRunner([], env, io));
    return exits.at(-1) ?? 1;
  };
}

for (const { name, code, isStored } of [
  { name: 'that was not stored', code: 500, isStored: false },
  { name: 'that was stored all the same', code: 504, isStored: true },
]) {
  test(`runner: a verdict ${name} when its write failed is stored by the runner that resumes`, async (context) => {
    let failures = 0;
    const failsOnce = (client: KubeClient): KubeClient =>
      answering(client, 'patch', async (parameters, go) => {
        if (failures > 0 || !JSON.stringify(parameters).includes('"verdict":"Pass"')) return go();
        failures += 1;
        if (isStored) await go();
        throw failure(code);
      });
    const exits: number[] = [];
    let starts = 0;
    const experiment: Run = (program) => {
      starts += 1;
      return passingExperiment(program);
    };
    const cluster = await startStandIn(context, { experiment, runner: restarted(failsOnce, exits) });
    await cluster.experiment('pod-delete');
    await cluster.apply(engineOf('web', ['pod-delete']));
    const engine = await cluster.ended('web', 'completed');
    assert.deepEqual(summary(engine), ['pod-delete: Completed, Pass']);
    assert.deepEqual([failures, starts, exits], [1, 1, [1, 0]]);
    const steps = engine.status?.timeline?.map(({ step }) => step) ?? [];
    assert.equal(steps.filter((step) => step === 'ExperimentEnded').length, 1);
    assert.ok(steps.includes('RunnerResumed') && !steps.includes('ExperimentSkipped'), steps.join(', '));
    const events = await cluster.events('web');
    assert.deepEqual(
      events.filter((text) => text.includes('skipping')),
      [],
    );
  });
}

test('runner: a Job that was created although the answer was an error is followed like any other', async (context) => {
  let failures = 0;
  const fails = (client: KubeClient): KubeClient =>
    answering(client, 'create', async (parameters, go) => {
      const created = await go();
      if (parameters[0] !== JOBS) return created;
      failures += 1;
      throw failure(504);
    });
  const exits: number[] = [];
  const cluster = await startStandIn(context, { runner: restarted(fails, exits) });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  assert.deepEqual(summary(await cluster.ended('web', 'completed')), ['pod-delete: Completed, Pass']);
  assert.deepEqual([failures, exits], [1, [0]]);
});

test('runner: an experiment that runs is not skipped when a resuming runner cannot read its Job', async (context) => {
  let step = 0;
  const fails = (client: KubeClient): KubeClient =>
    answering(
      answering(client, 'patch', (parameters, go) => {
        if (step > 0 || !JSON.stringify(parameters).includes('"verdict":"Pass"')) return go();
        step = 1;
        throw failure(500);
      }),
      'find',
      (parameters, go) => {
        if (step !== 1 || parameters[0] !== JOBS) return go();
        step = 2;
        throw failure(500);
      },
    );
  const exits: number[] = [];
  const cluster = await startStandIn(context, { runner: restarted(fails, exits) });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  assert.deepEqual(summary(await cluster.ended('web', 'completed')), ['pod-delete: Completed, Pass']);
  assert.deepEqual(exits, [1, 1, 0]);
});

test('runner: entries and lines of a write that failed are in the next one', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const engine = await cluster.apply(engineOf('web', ['pod-delete']));
  let failures = 0;
  const client = answering(cluster.client, 'patch', (_, go) => {
    failures += 1;
    if (failures === 1) throw failure(500);
    return go();
  });
  const { signal } = new AbortController();
  const entry = {
    name: 'pod-delete',
    runner: 'web-runner',
    experimentPod: 'pod-delete-x',
    status: 'Running',
    verdict: 'Awaited',
  } as const;
  const writer = new EngineStatusWriter({ client, clock: systemClock, engine, runId: undefined, signal }, [
    entry,
  ]);
  writer.note('ExperimentEnded', 'first');
  await assert.rejects(writer.update(0, { status: 'Completed', verdict: 'Pass' }), ApiError);
  writer.note('JobDeleted', 'second');
  await writer.flush();
  const { status } = await cluster.client.get<ChaosEngine>(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
  assert.deepEqual(
    status?.timeline?.map(({ message }) => message),
    ['first', 'second'],
  );
  assert.equal(status?.experiments?.[0]?.verdict, 'Pass');
});
