import type { FaultNames, ScaffoldOptions } from './scaffold-options.ts';

/** What differs between the kinds of objects. */
const KINDS = {
  pods: {
    type: 'Pod',
    resource: 'PODS',
    options: '{ namespace: target.namespace, signal }',
    /** A pod that was made anew is another one. */
    uid: 'uid: target.uid, ',
    rules: "[{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'patch'] }]",
  },
  nodes: {
    type: 'Node',
    resource: 'NODES',
    options: '{ signal }',
    uid: '',
    rules: "[{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'patch'] }]",
  },
} as const;

/** A fault that acts through the API: it marks objects by an annotation. Pure. */
export function apiFault(
  { name, variable }: FaultNames,
  targets: 'pods' | 'nodes',
  shape: ScaffoldOptions['shape'],
): string {
  const { type, resource, options, uid, rules } = KINDS[targets];
  const isHeld = shape === 'sustained';
  const kind = isHeld ? 'ApiHold' : 'ApiPulse';
  const interval = `
  CHAOS_INTERVAL: chaosInterval(10, 'Time from one round to the next.'),`;
  const revert = `
/** Has nothing but the injection: it may run in another process, after inject never finished, when the target is gone. */
async function revert({ target }: Injection, { client, signal }: FaultContext): Promise<void> {
  try {
    await client.patch<${type}>(${resource}, target.name, 'merge', annotation(target, null), ${options});
  } catch (error) {
    // Gone, or replaced by another one of the same name: nothing of ours is left.
    if (error instanceof ApiError && (error.code === 404 || error.code === 409)) return;
    throw error;
  }
}
`;
  const errors = isHeld ? `import { ApiError } from '@turnsole/kube/client/errors';\n` : '';
  return `${errors}import type { ${type} } from '@turnsole/kube/kinds/core';
import { ${resource} } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../api/index.ts';
import type { ${kind}, FaultContext, Injection, PlanInput } from '../../experiment/injection/fault.ts';
import { chaosDuration${isHeld ? '' : ', chaosInterval'} } from '../../experiment/injection/settings/common-tunables.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';

const ANNOTATION = 'turnsole.io/${name}';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long chaos lasts.'),${isHeld ? '' : interval}
  MARK: {
    type: 'text',
    default: 'chaos',
    pattern: '[a-z0-9-]+',
    form: 'lower-case letters, digits and dashes',
    description: 'What the annotation says.',
  },
} as const satisfies TunableSchema;

/**
 * TODO: what it does, in a sentence.
 *
 * What is touched: an annotation of each target. How it is undone: ${isHeld ? 'it is removed' : 'not at all'}. What remains if the process dies:
 * ${isHeld ? 'the annotation, until the recovery removes it by the ledger' : 'the annotation'}.
 */
export const ${variable}: ${kind}<typeof tunables> = {
  name: '${name}',
  summary: 'TODO: what it does, in a sentence.',
  tunables,
  targets: '${targets}',
  shape: '${shape}',
  where: 'api',
  permissions: ${rules},
  plan,
  inject,
  revert${isHeld ? '' : ': () => Promise.resolve()'},
};

export default ${variable};

/** Pure, and run for every target before the first is hit: refuse here what would do lasting harm. */
function plan({ tunables: { MARK }, targets }: PlanInput<typeof tunables>): readonly Injection[] {
  return targets.map((target) => ({
    id: \`\${target.namespace ?? ''}.\${target.name}\`,
    target,
    parameters: { mark: MARK },
  }));
}

/** A second call for the same injection changes nothing more. */
async function inject({ target, parameters }: Injection, { client, signal }: FaultContext): Promise<void> {
  const body = annotation(target, String(parameters.mark));
  await client.patch<${type}>(${resource}, target.name, 'merge', body, ${options});
}
${isHeld ? revert : ''}
function annotation(${uid === '' ? '_target' : 'target'}: InjectionTarget, value: string | null) {
  return { metadata: { ${uid}annotations: { [ANNOTATION]: value } } };
}
`;
}

/** Its test, with a real API server. Pure. */
export function apiTest(
  { name, variable }: FaultNames,
  targets: 'pods' | 'nodes',
  shape: ScaffoldOptions['shape'],
): string {
  const isHeld = shape === 'sustained';
  const { type, resource } = KINDS[targets];
  const make =
    targets === 'pods'
      ? `const namespace = await cluster.namespace();
  const [pod] = await cluster.deployment(namespace, 'web', 1);
  assert.ok(pod);
  const target = { kind: 'pod', namespace, name: pod.metadata.name, uid: pod.metadata.uid };`
      : `await cluster.client.create(NODES, { metadata: { name: 'n1' } });
  const target = { kind: 'node', name: 'n1' };`;
  const at = targets === 'pods' ? '{ namespace }' : '{}';
  const after = isHeld
    ? `
  await ${variable}.revert(injection, context);
  await ${variable}.revert(injection, context);
  assert.equal(await mark(), undefined);

  await cluster.client.delete(${resource}, target.name, ${at});
  await ${variable}.revert(injection, context);
`
    : '';
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ${type} } from '@turnsole/kube/kinds/core';
import { ${resource} } from '@turnsole/kube/kinds/resources';
import { startExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { contextFor } from '../../experiment/injection/testing/builders.ts';
import { validateFaultEnv } from '../index.ts';
import ${variable} from './${name}.ts';

test('settings are checked before anything is touched', async () => {
  assert.deepEqual(await validateFaultEnv('${name}', {}), []);
  assert.deepEqual(await validateFaultEnv('${name}', { MARK: 'No way' }), [
    { variable: 'MARK', found: 'No way', expected: 'lower-case letters, digits and dashes' },
  ]);
});

test('${isHeld ? 'it is injected and reverted, as often as it is asked to' : 'it is injected, as often as it is asked to'}', async (t) => {
  const cluster = await startExperimentCluster(t);
  ${make}
  const context = contextFor(cluster.client);
  const mark = async () => {
    const object = await cluster.client.get<${type}>(${resource}, target.name, ${at});
    return object.metadata.annotations?.['turnsole.io/${name}'];
  };
  const settings = { TOTAL_CHAOS_DURATION: 30, ${isHeld ? '' : 'CHAOS_INTERVAL: 10, '}MARK: 'x' };
  const [injection] = ${variable}.plan({ tunables: settings, targets: [target], round: 0, random: () => 0 });
  assert.ok(injection);

  await ${variable}.inject(injection, context);
  await ${variable}.inject(injection, context);
  assert.equal(await mark(), 'x');
${after}});
`;
}
