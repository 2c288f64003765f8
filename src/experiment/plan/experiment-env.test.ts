import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvVar } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosExperiment } from '../../api/index.ts';
import { faultNameOf } from '../../chaos/fault-name.ts';
import type { Fault } from '../injection/fault.ts';
import { compile } from '../injection/testing/builders.ts';
import { experimentEnvironment } from './experiment-env.ts';
import { permissionsOf } from './permissions.ts';
import { countSteps } from './plan-experiment.ts';

const experiment = (definition: ChaosExperiment['spec']['definition']): ChaosExperiment => ({
  metadata: { name: 'my-chaos' },
  spec: { definition },
});

test('the engine goes over the ChaosExperiment, and that over what the engine implies', () => {
  const engine: ChaosEngine = {
    metadata: { name: 'eng', namespace: 'shop', uid: 'u' },
    spec: {
      appinfo: { appns: 'shop', applabel: 'app=web', appkind: 'deployment' },
      defaultHealthCheck: true,
      experiments: [],
    },
  };
  const own: EnvVar[] = [
    { name: 'DEFAULT_HEALTH_CHECK', value: 'false' },
    { name: 'FORCE', value: 'true' },
    { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
  ];
  const { env, unknown } = experimentEnvironment(engine, experiment({ env: own }), {
    name: 'pod-delete',
    spec: { components: { env: [{ name: 'FORCE', value: 'false' }], statusCheckTimeouts: { timeout: 9 } } },
  });
  assert.deepEqual(env, {
    CHAOSENGINE: 'eng',
    TARGETS: 'deployment:shop:[app=web]',
    CHAOS_NAMESPACE: 'shop',
    CHAOS_UID: 'u',
    EXPERIMENT_NAME: 'pod-delete',
    DEFAULT_HEALTH_CHECK: 'false',
    FORCE: 'false',
    STATUS_CHECK_DELAY: '2',
    STATUS_CHECK_TIMEOUT: '9',
    JOB_CLEANUP_POLICY: 'retain',
  });
  assert.deepEqual(unknown, ['SECRET']);
});

test('annotationCheck "true" cannot be switched off by a chart', () => {
  const check = (annotationCheck: string): string | undefined => {
    const engine: ChaosEngine = { metadata: { name: 'eng' }, spec: { annotationCheck, experiments: [] } };
    const chart = experiment({ env: [{ name: 'ANNOTATION_CHECK', value: 'false' }] });
    return experimentEnvironment(engine, chart, { name: 'pod-delete' }).env.ANNOTATION_CHECK;
  };
  assert.deepEqual([check('true'), check('false')], ['true', 'false']);
});

test('which fault a ChaosExperiment runs', () => {
  const named = (args: string[], command: string[] = []) => faultNameOf(experiment({ args, command }));
  assert.equal(named(['-c', './experiments -name pod-delete']), 'pod-delete');
  assert.equal(named(['experiment', '--name=container-kill']), 'container-kill');
  assert.equal(named(['-name', 'pod-delete'], ['turnsole', 'experiment']), 'pod-delete');
  assert.equal(named([]), 'my-chaos');
});

test('permissions are needed in the namespace of the engine and in those of the targets, each once', () => {
  const fault: Pick<Fault, 'targets' | 'permissions'> = {
    targets: 'pods',
    permissions: [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'get'] }],
  };
  const { settings } = compile({ CHAOS_NAMESPACE: 'chaos', TARGETS: 'pod:shop:[a=b];pod:shop:[c]' });
  const needed = permissionsOf(fault, settings).filter(({ resource }) => resource === 'pods');
  assert.deepEqual(needed.map(({ namespace, verb }) => `${namespace} ${verb}`).sort(), [
    'chaos get',
    'chaos list',
    'shop get',
    'shop list',
  ]);
});

test('how many rounds a run has when nothing is slow', () => {
  const fixed = (duration: number, interval: number) =>
    countSteps({
      durationMs: duration * 1000,
      interval: { lowMs: interval * 1000, highMs: interval * 1000 },
    });
  assert.deepEqual([fixed(15, 5), fixed(30, 10), fixed(16, 5), fixed(3, 10)], [3, 3, 4, 1]);
});
