/** The runner with experiment images that are not Turnsole's, and beside writers that know only upstream's fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  engineOf,
  NAMESPACE,
  passingExperiment,
  type Run,
  startStandIn,
  storeResult,
} from '../../../test/support/stand-in-cluster.ts';
import { putAsUpstream } from '../../../test/support/upstream-writer.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { ANNOTATION_DRY_RUN, ANNOTATION_LAST_APPLIED, ANNOTATION_SETTINGS } from '../../chaos/run-record.ts';

const OWN = 'registry.example/turnsole:1';
const FOREIGN = 'litmuschaos/go-runner:upstream';
const knownImages = ['litmuschaos/chaos-runner', OWN, `!${FOREIGN}`];

function targetingDb(): ChaosEngine['spec']['experiments'] {
  const env = [{ name: 'TARGETS', value: 'deployment:db:[a=b]' }];
  return [{ name: 'foreign', spec: { components: { env } } }, { name: 'own' }];
}

for (const [what, spec, reason] of [
  ['dryRun', { dryRun: true }, /is not known to obey spec\.dryRun, which only the program in it could/],
  ['annotationCheck', { annotationCheck: 'true' }, /is not known to obey spec\.annotationCheck/],
  ['requireEffect', { requireEffect: true }, /is not known to obey spec\.requireEffect/],
  [
    'protected namespaces',
    { appinfo: { appns: 'db', applabel: 'a=b', appkind: 'deployment' } },
    /not known to spare protected namespaces.*in db/,
  ],
  [
    'protected namespaces, which its entry targets,',
    { experiments: targetingDb() },
    /not known to spare protected namespaces.*in db/,
  ],
] as const) {
  test(`runner: an image not known to keep ${what} is not started where that is asked for`, async (context) => {
    const started: string[] = [];
    const experiment: Run = (program) => {
      started.push(program.env.EXPERIMENT_NAME ?? '');
      return passingExperiment(program);
    };
    const cluster = await startStandIn(context, {
      experiment,
      operator: { knownImages, protectedNamespaces: 'db' },
    });
    await cluster.experiment('foreign', { image: FOREIGN });
    await cluster.experiment('own', { image: OWN });
    await cluster.apply(engineOf('web', ['foreign', 'own'], spec));
    const engine = await cluster.ended('web', 'completed');
    const [first, second] = engine.status?.experiments ?? [];
    assert.equal(first?.status, 'Skipped');
    assert.equal(first?.verdict, what === 'dryRun' ? 'N/A' : 'Fail');
    assert.match(first?.reason ?? '', reason);
    assert.equal(second?.status, 'Completed');
    assert.deepEqual(started, ['own']);
    const events = await cluster.events('web', 'ExperimentImageRefused');
    assert.ok(events.some((text) => reason.test(text)));
  });
}

test('runner: a foreign image runs where nothing is asked for that it would not keep', async (context) => {
  const cluster = await startStandIn(context, { operator: { knownImages } });
  await cluster.experiment('foreign', { image: FOREIGN });
  await cluster.apply(engineOf('web', ['foreign']));
  const engine = await cluster.ended('web', 'completed');
  assert.equal(engine.status?.experiments?.[0]?.verdict, 'Pass');
});

for (const [where, annotations] of [
  ['the annotation', { [ANNOTATION_DRY_RUN]: 'true' }],
  [
    'what kubectl applied',
    { [ANNOTATION_LAST_APPLIED]: '{"spec":{"dryRun":true,"experiments":[{"name":"own"}]}}' },
  ],
  ['what turnsole applied', { [ANNOTATION_SETTINGS]: '{"dryRun":true}' }],
] as const) {
  test(`runner: under an operator that drops dryRun it is known by ${where}, and handed on`, async (context) => {
    const dry: (string | undefined)[] = [];
    const experiment: Run = (program) => {
      dry.push(program.env.DRY_RUN);
      return passingExperiment(program);
    };
    const cluster = await startStandIn(context, { experiment, operator: false });
    await cluster.experiment('own', { image: OWN });
    await cluster.experiment('foreign', { image: FOREIGN });
    const engine = engineOf('web', ['own', 'foreign'], { dryRun: true });
    await cluster.apply({ ...engine, metadata: { ...engine.metadata, annotations } });
    await beginAsUpstreamsOperator(cluster.client, 'own,foreign');
    const isFinal = ({ status }: { status: string }): boolean => ['Completed', 'Skipped'].includes(status);
    const ended = await cluster.engine('web', ({ status }) => {
      const entries = status?.experiments ?? [];
      return entries.length === 2 && entries.every(isFinal);
    });
    assert.deepEqual(dry, ['true']);
    assert.deepEqual(
      ended.status?.experiments?.map(({ verdict }) => verdict),
      ['Pass', 'N/A'],
    );
  });
}

/** Upstream's operator: engineStatus initialized by a PUT, and the runner pod without any of our variables. */
async function beginAsUpstreamsOperator(
  client: Parameters<typeof putAsUpstream>[0],
  experiments: string,
): Promise<void> {
  const engine = await putAsUpstream(client, 'web', NAMESPACE, (stored) => ({
    ...stored,
    status: { ...stored.status, engineStatus: 'initialized' },
  }));
  const env = [
    { name: 'CHAOSENGINE', value: 'web' },
    { name: 'EXPERIMENT_LIST', value: experiments },
    { name: 'CHAOS_NAMESPACE', value: NAMESPACE },
  ];
  await client.create<Pod>(
    PODS,
    {
      metadata: { name: 'web-runner', labels: { app: 'web', chaosUID: engine.metadata.uid ?? '' } },
      spec: { containers: [{ name: 'chaos-runner', image: OWN, env }] },
    },
    { namespace: NAMESPACE },
  );
}

test('runner: goes on when another writer drops run id and timeline in the middle of the run', async (context) => {
  const experiment: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited');
    const { client } = program;
    await untilNoted(client, 'ExperimentPodCreated');
    await putAsUpstream(client, 'web', NAMESPACE);
    await storeResult(program, 'Completed', 'Pass');
    return 0;
  };
  const cluster = await startStandIn(context, { experiment });
  await cluster.experiment('first');
  await cluster.experiment('second');
  await cluster.apply(
    engineOf('web', ['second', 'first'], { execution: { order: 'sequential', onFailure: 'stop' } }),
  );
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(
    engine.status?.experiments?.map(({ name, verdict }) => `${name} ${verdict}`),
    ['second Pass', 'first Pass'],
  );
  const steps = engine.status?.timeline?.map(({ step }) => step) ?? [];
  for (const step of [
    'EngineInitialized',
    'RunnerStarted',
    'JobCreated',
    'ExperimentEnded',
    'EngineCompleted',
  ]) {
    assert.ok(steps.includes(step), `${step} of ${steps.join(', ')}`);
  }
  assert.deepEqual(engine.spec.execution, { order: 'sequential', onFailure: 'stop' });
});

/** Resolves when the engine's timeline has a line of the runner of this step. */
async function untilNoted(client: Parameters<typeof putAsUpstream>[0], step: string): Promise<void> {
  const { waitForObject } = await import('@turnsole/kube/runtime/index');
  await waitForObject<ChaosEngine>(
    client,
    CHAOS_ENGINES,
    'web',
    (engine) => engine?.status?.timeline?.some((line) => line.step === step) === true,
    { namespace: NAMESPACE, timeoutMs: PATIENCE_MS },
  );
}
