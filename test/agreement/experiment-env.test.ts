/** What a plan takes for the environment of an experiment is what operator and runner give it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvVar } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../src/api/index.ts';
import { SkipError } from '../../src/chaos/experiments/skip-error.ts';
import { readRunnerSettings } from '../../src/components/runner/settings.ts';
import { planJob } from '../../src/engines/pods/job-plan.ts';
import { buildRunnerPod, type RunnerPodDefaults } from '../../src/engines/pods/runner-pod.ts';
import { experimentEnvironment } from '../../src/experiment/plan/experiment-env.ts';

/** Drawn when the run begins, or known when the pod is there: no plan has them. */
const OF_THE_RUN = ['RUN_ID', 'POD_NAME'];

const text = fc.constantFrom('', ' ', 'a', 'kube-system,shop', 'true', '7', '$(X)');
const names = fc.constantFrom(
  'TOTAL_CHAOS_DURATION',
  'PROTECTED_NAMESPACES',
  'ANNOTATION_CHECK',
  'ANNOTATION_KEY',
  'STATUS_CHECK_TIMEOUT',
  'STATUS_CHECK_DELAY',
  'TARGETS',
  'CHAOS_NAMESPACE',
  'LIB_IMAGE_PULL_POLICY',
  'DRY_RUN',
  'JOB_CLEANUP_POLICY',
  'TOKEN',
  '',
);
const variable: fc.Arbitrary<EnvVar> = fc.oneof(
  fc.record({ name: names, value: text }),
  // What an older CRD lets through.
  fc.record({ name: names, value: fc.constantFrom(5, true, null) as unknown as fc.Arbitrary<string> }),
  fc.record({ name: names, valueFrom: fc.constant({ secretKeyRef: { name: 's', key: 'k' } }) }),
  fc.record({ name: names }),
);
const env = fc.oneof(fc.constant(undefined), fc.array(variable, { maxLength: 6 }));
const image = fc.constantFrom('litmuschaos.docker.scarf.sh/litmuschaos/go-runner:3.0.0', 'mine:1');

const experiments: fc.Arbitrary<ChaosExperiment> = fc.record({
  metadata: fc.constant({ name: 'pod-delete' }),
  spec: fc.record({
    definition: fc.record(
      { image, env, imagePullPolicy: fc.constantFrom('', 'Always', 'Never') },
      { requiredKeys: ['image'] },
    ),
  }),
}) as fc.Arbitrary<ChaosExperiment>;

const entries: fc.Arbitrary<EngineExperiment> = fc.record(
  {
    name: fc.constant('pod-delete'),
    spec: fc.record({
      components: fc.record(
        {
          env,
          experimentImage: image,
          statusCheckTimeouts: fc.record(
            { delay: fc.nat({ max: 3 }), timeout: fc.nat({ max: 3 }) },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  { requiredKeys: ['name'] },
) as fc.Arbitrary<EngineExperiment>;

const target = fc.constantFrom('', 'shop', 'kube-system');

function engines(entry: EngineExperiment): fc.Arbitrary<ChaosEngine> {
  return fc.record({
    metadata: fc.record(
      {
        name: fc.constant('eng'),
        namespace: fc.constant('shop'),
        uid: fc.constant('u1'),
        annotations: fc.constantFrom({}, { 'turnsole.io/dry-run': 'true' }),
      },
      { requiredKeys: ['name', 'namespace', 'uid'] },
    ),
    spec: fc.record(
      {
        experiments: fc.constantFrom([entry], [{ name: 'other' }, entry]),
        appinfo: fc.record({ appns: target, applabel: text, appkind: fc.constantFrom('', 'deployment') }),
        selectors: fc.record({ pods: fc.array(fc.record({ namespace: target, names: text })) }),
        chaosServiceAccount: fc.constantFrom('', 'chaos-sa'),
        auxiliaryAppInfo: fc.constantFrom('', 'shop:app=db'),
        annotationCheck: fc.constantFrom('', 'true', 'false'),
        dryRun: fc.boolean(),
        defaultHealthCheck: fc.boolean(),
        terminationGracePeriodSeconds: fc.nat({ max: 30 }),
        jobCleanUpPolicy: fc.constantFrom('retain', 'delete'),
      },
      { requiredKeys: ['experiments'] },
    ),
  }) as fc.Arbitrary<ChaosEngine>;
}

const operators = fc.record(
  {
    otel: fc.constantFrom<Record<string, string>>({}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' }),
    protectedNamespaces: fc.constantFrom('', 'kube-system,istio-system'),
    annotationKey: fc.constantFrom('', 'shop.io/chaos'),
    ownImage: fc.constantFrom({ name: 'turnsole:1' }, { name: 'turnsole:1', pullPolicy: 'Never' }),
  },
  { requiredKeys: [] },
);

/** The way of a run: operator, runner pod, runner, container. A reason where the runner skips the experiment. */
function environmentOfRun(
  engine: ChaosEngine,
  experiment: ChaosExperiment,
  operator: Partial<RunnerPodDefaults>,
): readonly EnvVar[] | string {
  const pod = buildRunnerPod(engine, experiment, { image: 'runner:1', ...operator });
  const settings = readRunnerSettings(
    Object.fromEntries((pod.spec?.containers[0]?.env ?? []).map(({ name, value }) => [name, value])),
  );
  const position = settings.experiments.indexOf(experiment.metadata.name);
  const item = { name: experiment.metadata.name, position, iteration: 1 };
  try {
    return planJob({ engine, experiment, item, index: position, settings, runId: 'r1' }).env;
  } catch (error) {
    if (!(error instanceof SkipError)) throw error;
    return error.message;
  }
}

test('a plan judges the environment that the run would give', () => {
  const cases = fc
    .tuple(experiments, entries, operators)
    .chain(([experiment, entry, operator]) =>
      engines(entry).map((engine) => ({ experiment, entry, operator, engine })),
    );
  let compared = 0;
  fc.assert(
    fc.property(cases, ({ engine, experiment, entry, operator }) => {
      const planned = experimentEnvironment(engine, experiment, entry, operator);
      const run = environmentOfRun(engine, experiment, operator);
      if (typeof run === 'string') {
        assert.equal(planned.problems.join('; '), run);
        return;
      }
      compared += 1;
      assert.deepEqual(planned.problems, []);
      const ofBoth = run.filter(({ name }) => !OF_THE_RUN.includes(name));
      const known = ofBoth.filter(({ valueFrom }) => valueFrom === undefined);
      assert.deepEqual(planned.env, Object.fromEntries(known.map(({ name, value }) => [name, value ?? ''])));
      assert.deepEqual(
        planned.unknown,
        ofBoth.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => name),
      );
    }),
    { numRuns: 500 },
  );
  assert.ok(compared > 20, `only ${compared} environments were compared`);
});
