import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEngine } from './build-engine.ts';
import { buildWorkflow } from './build-workflow.ts';
import { checkDraft } from './check-draft.ts';
import { type Draft, EMPTY_DRAFT, type Step } from './draft.ts';
import { readFault } from './read-fault.ts';
import { addStep, changeStep, groupsOf, moveStep, removeStep } from './steps.ts';

const env = [
  { name: 'TOTAL_CHAOS_DURATION', value: '30' },
  { name: 'FORCE', value: 'false' },
  { name: 'TARGET_PODS' },
];
const RESOURCE = { description: { message: 'Deletes pods.\n' }, spec: { definition: { env } } };
const suggested = [{ name: 'TOTAL_CHAOS_DURATION', value: '15' }];
const ENGINE = {
  spec: { appinfo: { appns: 'default' }, experiments: [{ spec: { components: { env: suggested } } }] },
};
const PODS = readFault('pod-delete', RESOURCE, ENGINE);
const NODES = readFault('node-drain', RESOURCE, { spec: {} });

const NAMED: Draft = { ...EMPTY_DRAFT, name: 'shop', infraID: 'i' };
const target = { namespace: 'shop', kind: 'deployment', label: 'app=web' };
const ONE = changeStep(addStep(NAMED, PODS), 'pod-delete', { target });
const THREE = addStep(addStep(ONE, PODS), NODES);
const names = ({ steps }: Draft): string[] => steps.map(({ name }) => name);

test('a fault is read from the files of a hub, whatever they hold', () => {
  assert.equal(PODS.description, 'Deletes pods.');
  assert.deepEqual([...PODS.defaults.keys()], ['TOTAL_CHAOS_DURATION', 'FORCE', 'TARGET_PODS']);
  assert.deepEqual([PODS.hasTarget, NODES.hasTarget], [true, false]);
  assert.equal(readFault('odd', null, [3]).defaults.size, 0);
});

test('steps have names of their own, and the target of the one before', () => {
  assert.deepEqual(names(THREE), ['pod-delete', 'pod-delete-2', 'node-drain']);
  assert.deepEqual(THREE.steps[1]?.target, target);
});

const MOVES: readonly [name: string, by: number, after: readonly string[]][] = [
  ['node-drain', -1, ['pod-delete', 'node-drain', 'pod-delete-2']],
  ['node-drain', -9, ['node-drain', 'pod-delete', 'pod-delete-2']],
  ['pod-delete', 1, ['pod-delete-2', 'pod-delete', 'node-drain']],
  ['node-drain', 1, ['pod-delete', 'pod-delete-2', 'node-drain']],
  ['unknown', 1, ['pod-delete', 'pod-delete-2', 'node-drain']],
];
for (const [name, by, after] of MOVES) {
  test(`${name} moved by ${by}`, () => assert.deepEqual(names(moveStep(THREE, name, by)), after));
}

test('steps that begin together are a group, and what becomes the first begins alone', () => {
  const together = changeStep(THREE, 'pod-delete-2', { isParallel: true });
  const groups = (draft: Draft): string[] =>
    groupsOf(draft.steps).map((group) => group.map(({ name }) => name).join(' '));
  assert.deepEqual(groups(together), ['pod-delete pod-delete-2', 'node-drain']);
  assert.deepEqual(groups(removeStep(together, 'pod-delete')), ['pod-delete-2', 'node-drain']);
  assert.deepEqual(groups(moveStep(together, 'pod-delete-2', -1)), [
    'pod-delete-2',
    'pod-delete',
    'node-drain',
  ]);
});

test('an engine has the target, the probes and the settings that differ from the defaults', () => {
  const step: Step = { ...(ONE.steps[0] as Step), probes: [{ name: 'web', mode: 'SOT' }] };
  const engine = buildEngine(ONE, step) as Record<string, Record<string, unknown>>;
  assert.deepEqual(engine.spec?.appinfo, { appns: 'shop', applabel: 'app=web', appkind: 'deployment' });
  assert.deepEqual(engine.spec?.experiments, [
    { name: 'pod-delete', spec: { components: { env: suggested } } },
  ]);
  assert.deepEqual(engine.metadata?.annotations, { probeRef: '[{"name":"web","mode":"SOT"}]' });
  const [, , drain] = THREE.steps;
  assert.ok(drain !== undefined && !('appinfo' in (buildEngine(THREE, drain) as { spec: object }).spec));
});

test('a schedule makes it a CronWorkflow of the same workflow, and each fault is installed once', () => {
  const plain = buildWorkflow(THREE, JSON.stringify) as { spec: { templates: object[] } };
  const timed = buildWorkflow({ ...THREE, cron: '0 3 * * *', timezone: 'Europe/Berlin' }, JSON.stringify);
  assert.deepEqual((timed as typeof plain).spec, {
    ...{ schedule: '0 3 * * *', timezone: 'Europe/Berlin', workflowSpec: plain.spec },
  });
  const install = plain.spec.templates[1] as { inputs: { artifacts: { name: string }[] } };
  assert.deepEqual(
    install.inputs.artifacts.map(({ name }) => name),
    ['pod-delete', 'node-drain'],
  );
});

const PROBLEMS: readonly [what: string, draft: Draft, fields: readonly string[]][] = [
  ['nothing', EMPTY_DRAFT, ['name', 'infraID', 'steps']],
  ['a complete draft', ONE, []],
  ['capitals in the name', { ...ONE, name: 'Shop' }, ['name']],
  ['a name that is too long', { ...ONE, name: 's'.repeat(51) }, ['name']],
  ['the name of a step', { ...ONE, name: 'pod-delete' }, ['name']],
  ['four fields', { ...ONE, cron: '0 3 * *' }, ['cron']],
  ['a weight of 11', changeStep(ONE, 'pod-delete', { weight: 11 }), ['pod-delete/weight']],
  ['no label', addStep(NAMED, PODS), ['pod-delete/label']],
  ['a fault of nodes', addStep(NAMED, NODES), []],
];
for (const [what, draft, fields] of PROBLEMS) {
  test(`problems of ${what}`, () =>
    assert.deepEqual(
      checkDraft(draft).map(({ field }) => field),
      fields,
    ));
}
