import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../injection/fault.ts';
import { compile } from '../injection/testing/builders.ts';
import { permissionsOf } from './permissions.ts';

/** What a run asks beside what a fault without permissions of its own and without any settings does. */
function asked(targets: Fault['targets'], env: Readonly<Record<string, string>>): string[] {
  const fault = { targets, permissions: [] };
  const textsOf = (variables: Readonly<Record<string, string>>): string[] =>
    permissionsOf(fault, compile({ CHAOS_NAMESPACE: 'chaos', ...variables }).settings).map(
      ({ namespace, resource, verb }) => `${verb} ${resource} ${namespace}`,
    );
  const always = new Set(textsOf({}));
  return textsOf(env).filter((text) => !always.has(text));
}

const PODS = 'list pods shop';
const SETS = 'list replicasets shop';
const CONTROLLERS = 'list replicationcontrollers shop';
const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets', 'rollouts', 'deploymentconfigs'].map(
  (plural) => `get ${plural} shop`,
);

const TABLE: readonly [string, Fault['targets'], Record<string, string>, string[]][] = [
  ['no targets, no application', 'nodes', {}, []],
  ['the health of an application by its label', 'nodes', { TARGETS: 'deployment:shop:[app=web]' }, [PODS]],
  ['the health of a deployment that is named', 'nodes', { TARGETS: 'deployment:shop:[web]' }, [PODS, SETS]],
  ['of a stateful set that is named', 'nodes', { TARGETS: 'statefulset:shop:[db]' }, [PODS]],
  [
    'of a replication controller',
    'none',
    { TARGETS: 'replicationcontroller:shop:[rc]' },
    [PODS, CONTROLLERS],
  ],
  [
    'none with the check off',
    'nodes',
    { TARGETS: 'deployment:shop:[web]', DEFAULT_HEALTH_CHECK: 'false' },
    [],
  ],
  [
    'auxiliary applications of faults of machines',
    'nodes',
    { AUXILIARY_APPINFO: 'bank:app=x,shop:app=y' },
    ['list pods bank', PODS],
  ],
  ['but not of others', 'pods', { AUXILIARY_APPINFO: 'bank:app=x' }, []],
  ['pods of a deployment as targets', 'pods', { TARGETS: 'deployment:shop:[app=web]' }, [PODS, SETS]],
  [
    'pods whose workload has to agree',
    'pods',
    { TARGETS: 'statefulset:shop:[app=db]', ANNOTATION_CHECK: 'true' },
    [PODS, ...WORKLOADS],
  ],
  [
    'pods on nodes with a label',
    'pods',
    { TARGETS: 'pod:shop:[app=web]', NODE_LABEL: 'a=b' },
    [PODS, 'list nodes '],
  ],
  ['pods that are named', 'pods', { TARGET_PODS: 'web-1' }, ['list pods chaos']],
];
for (const [name, targets, env, expected] of TABLE) {
  test(`what a run asks: ${name}`, () => assert.deepEqual(asked(targets, env).sort(), expected.sort()));
}
