/** The operator beside a runner that knows only upstream's fields and writes the engine as a whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import {
  engineOf,
  NAMESPACE,
  type Program,
  type Run,
  startStandIn,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { putAsUpstream, withEntries } from '../../../test/support/upstream-writer.ts';
import { CHAOS_ENGINES, type ChaosEngine, LABEL_RUN_ID } from '../../api/index.ts';
import { ANNOTATION_RUN, runRecordOf } from '../../chaos/run-record.ts';

const KNOWN = ['litmuschaos/go-runner', 'litmuschaos/chaos-runner'];
const FOREIGN_RUNNER = 'registry.example/chaos-runner:3.9';
const foreign = { components: { runner: { image: FOREIGN_RUNNER } } };

/** What upstream's runner does first: its entries are appended, and everything it does not know is gone. */
async function beginAsUpstream({ client, env }: Program): Promise<readonly string[]> {
  const names = (env.EXPERIMENT_LIST ?? '').split(',');
  const engine = env.CHAOSENGINE ?? '';
  await putAsUpstream(client, engine, NAMESPACE, withEntries(names, `${engine}-runner`));
  return names;
}

/** All experiments get their Job, their entries a verdict. */
const upstreamRunner: Run = async (program) => {
  const { client, env } = program;
  const names = await beginAsUpstream(program);
  for (const name of names) {
    const metadata = { generateName: `${name}-`, labels: { chaosUID: uidOf(program.pod) } };
    const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } } };
    await client.create<Job>(JOBS, { metadata, spec } as unknown as Job, { namespace: NAMESPACE });
  }
  await putAsUpstream(client, env.CHAOSENGINE ?? '', NAMESPACE, (engine) => ({
    ...engine,
    status: {
      ...engine.status,
      experiments: (engine.status?.experiments ?? []).map((entry) => ({
        ...entry,
        status: 'Completed',
        verdict: 'Pass',
      })),
    },
  }));
  return 0;
};

function uidOf({ metadata }: Pod): string {
  return metadata.labels?.chaosUID ?? '';
}

test('foreign runner: one that drops the run id is no runner of another run', async (context) => {
  const cluster = await startStandIn(context, {
    runner: upstreamRunner,
    operator: { knownImages: KNOWN },
    podStatus: ({ spec }) => (spec?.containers[0]?.image === 'x' ? { phase: 'Succeeded' } : undefined),
  });
  await cluster.experiment('pod-delete');
  const names = Array.from({ length: 16 }, (_, index) => `web-${index}`);
  await Promise.all(names.map((name) => cluster.apply(engineOf(name, ['pod-delete'], foreign))));
  const engines = await Promise.all(names.map((name) => cluster.ended(name, 'completed')));
  for (const { metadata, status } of engines) {
    assert.deepEqual(
      status?.experiments?.map(({ status: word, verdict }) => `${word} ${verdict}`),
      ['Completed Pass'],
      metadata.name,
    );
    assert.equal(status?.runnerAttempts, 1);
    assert.equal(metadata.annotations?.[ANNOTATION_RUN], undefined, 'the record goes with the run');
    const steps = status?.timeline?.map(({ step }) => step) ?? [];
    assert.deepEqual(steps, ['EngineCreated', 'EngineInitialized', 'RunnerCreated', 'EngineCompleted']);
  }
  const jobs = await cluster.jobs();
  for (const { metadata } of engines) {
    assert.equal(jobs.filter((job) => job.metadata.labels?.chaosUID === metadata.uid).length, 1);
  }
});

test('foreign runner: the settings of the run are kept, and back in the spec when it ends', async (context) => {
  let seen: ChaosEngine | undefined;
  const runner: Run = async (program) => {
    await beginAsUpstream(program);
    const name = program.env.CHAOSENGINE ?? '';
    seen = await program.client.get<ChaosEngine>(CHAOS_ENGINES, name, { namespace: NAMESPACE });
    return 0;
  };
  const cluster = await startStandIn(context, {
    runner,
    operator: { knownImages: KNOWN, protectedNamespaces: 'db' },
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { ...foreign, dryRun: true }));
  const engine = await cluster.ended('web', 'completed');
  assert.ok(seen);
  assert.equal(seen.spec.dryRun, undefined, 'the runner has dropped it');
  const record = runRecordOf(seen);
  assert.equal(record?.settings.dryRun, true);
  assert.equal(record?.protectedNamespaces, 'db');
  assert.equal(engine.spec.dryRun, true);
  assert.equal(engine.status?.runId, record?.runId);
  assert.equal(engine.status?.conditions?.find(({ type }) => type === 'DryRun')?.status, 'True');
});

test('foreign runner: one that is lost is not replaced, as the next would start the experiments again', async (context) => {
  let runners = 0;
  const runner: Run = async (program) => {
    runners += 1;
    await beginAsUpstream(program);
    return 1;
  };
  const cluster = await startStandIn(context, { runner, operator: { knownImages: KNOWN } });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], foreign));
  const engine = await cluster.ended('web', 'stopped');
  assert.equal(runners, 1);
  assert.deepEqual(
    engine.status?.experiments?.map(({ verdict }) => verdict),
    ['Error'],
  );
  assert.match(engine.status?.experiments?.[0]?.reason ?? '', /would start the experiments once more/);
});

test('foreign writer: the limit of runner pods holds though every runner drops their count', async (context) => {
  let runners = 0;
  const cluster = await startStandIn(context, {
    runner: async (program) => {
      runners += 1;
      await beginAsUpstream(program);
      await untilAborted(program.signal);
      return 1;
    },
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const killed = new Set<string>();
  const isOver = ({ status }: ChaosEngine): boolean => status?.engineStatus === 'stopped';
  for (let pods = 0; pods < 3; pods++) {
    const [pod] = await cluster
      .podsWhen((all) => all.some(({ metadata }) => isNew(metadata, killed)))
      .then((all) => all.filter(({ metadata }) => isNew(metadata, killed)));
    assert.ok(pod);
    killed.add(pod.metadata.uid ?? '');
    await cluster.engine(
      'web',
      ({ status }) => status?.runId === undefined || isOver({ status } as ChaosEngine),
    );
    await cluster.client.delete(PODS, pod.metadata.name, { namespace: NAMESPACE, gracePeriodSeconds: 0 });
  }
  const engine = await cluster.ended('web', 'stopped');
  assert.equal(runners, 3);
  assert.match(
    engine.status?.conditions?.find(({ type }) => type === 'GivenUp')?.message ?? '',
    /3 of at most 3/,
  );
});

function isNew({ name, uid = '', labels }: Pod['metadata'], known: ReadonlySet<string>): boolean {
  return name === 'web-runner' && labels?.[LABEL_RUN_ID] !== undefined && !known.has(uid);
}

function targeting(value: string): ChaosEngine['spec']['experiments'] {
  return [{ name: 'pod-delete', spec: { components: { env: [{ name: 'TARGETS', value }] } } }];
}

for (const [what, spec, image, reason] of [
  [
    'a dry run of a foreign experiment',
    { dryRun: true },
    'their/go-runner:1',
    /their\/go-runner:1 is not known to obey spec\.dryRun/,
  ],
  [
    'annotationCheck with a foreign experiment',
    { annotationCheck: 'true' },
    'their/go-runner:1',
    /obey spec\.annotationCheck/,
  ],
  [
    'a protected namespace with a foreign experiment',
    { appinfo: { appns: 'kube-system', applabel: 'a=b', appkind: 'deployment' } },
    'their/go-runner:1',
    /protected namespaces.*kube-system/,
  ],
  [
    'TARGETS of an entry in a protected namespace with a foreign experiment',
    { experiments: targeting('deployment:kube-system:[a=b]') },
    'their/go-runner:1',
    /protected namespaces.*kube-system/,
  ],
  [
    'an order it does not know',
    { execution: { onFailure: 'stop' } },
    'litmuschaos/go-runner',
    /does not know spec\.execution/,
  ],
] as const) {
  test(`foreign runner: ${what} is refused before anything starts`, async (context) => {
    let runners = 0;
    const runner: Run = () => Promise.resolve(++runners);
    const cluster = await startStandIn(context, { runner, operator: { knownImages: KNOWN } });
    await cluster.experiment('pod-delete', { image });
    await cluster.apply(engineOf('web', ['pod-delete'], { ...foreign, ...spec }));
    const engine = await cluster.ended('web', 'stopped');
    const [entry] = engine.status?.experiments ?? [];
    assert.equal(entry?.verdict, 'Error');
    assert.match(entry?.reason ?? '', reason);
    assert.equal(runners, 0);
    const events = await cluster.events('web', 'ChaosResourcesOperationFailed');
    assert.ok(events.some((text) => reason.test(text)));
  });
}
