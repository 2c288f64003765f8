import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDraft } from './check-draft.ts';
import { type Draft, EMPTY_DRAFT, type Step } from './draft.ts';
import { COMMON_SETTINGS as common, KNOWN_FAULTS as faults } from './generated/fault-settings.ts';
import { type Labelled, labelOf, labelsOf } from './live-target.ts';
import { nextTimes } from './next-times.ts';
import { podsHit, podsHitWords } from './pods-hit.ts';
import { readFault } from './read-fault.ts';
import { settingFields, settingProblems } from './settings.ts';
import { stepNodes } from './step-nodes.ts';
import { stepWords, wayWords } from './step-words.ts';
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

const BOOK = { common, faults };
const withSettings = (settings: Step['settings']): Draft => changeStep(ONE, 'pod-delete', { settings });

const PROBLEMS: readonly [what: string, draft: Draft, fields: readonly string[]][] = [
  ['nothing', EMPTY_DRAFT, ['what name', 'what steps', 'where infraID']],
  ['a complete draft', ONE, []],
  ['capitals in the name', { ...ONE, name: 'Shop' }, ['what name']],
  ['a name that is too long', { ...ONE, name: 's'.repeat(51) }, ['what name']],
  ['the name of a step', { ...ONE, name: 'pod-delete' }, ['what name']],
  ['four fields', { ...ONE, cron: '0 3 * *' }, ['when cron']],
  ['an hour that there is not', { ...ONE, cron: '0 24 * * *' }, ['when cron']],
  ['a macro, and so on', { ...ONE, cron: '@daily', timezone: 'Europe/Berlin' }, []],
  ['no such zone', { ...ONE, cron: '@every 5m', timezone: 'Europe/Atlantis' }, ['when timezone']],
  ['a weight of 11', changeStep(ONE, 'pod-delete', { weight: 11 }), ['checks weight']],
  ['no label', addStep(NAMED, PODS), ['where label']],
  ['a label by a tag', changeStep(ONE, 'pod-delete', { target: { ...target, label: '{{x}}' } }), []],
  ['a fault of nodes', addStep(NAMED, NODES), []],
  [
    'settings',
    withSettings({ FORCE: 'perhaps', CHAOS_INTERVAL: 'ten' }),
    ['settings FORCE', 'settings CHAOS_INTERVAL'],
  ],
];
for (const [what, draft, fields] of PROBLEMS) {
  test(`problems of ${what}`, () =>
    assert.deepEqual(
      checkDraft(draft, BOOK).map(({ part, field }) => `${part} ${field}`),
      fields,
    ));
}

const VALUES: readonly [fault: string, settings: Step['settings'], problem: string | undefined][] = [
  ['pod-delete', { TOTAL_CHAOS_DURATION: '' }, undefined],
  ['pod-delete', { TOTAL_CHAOS_DURATION: '0' }, 'Needs a whole number of seconds from 1 to 604800'],
  ['pod-delete', { PODS_AFFECTED_PERC: '20-40' }, undefined],
  [
    'pod-delete',
    { PODS_AFFECTED_PERC: '40-20' },
    /^Needs a whole number of percent from 0 to \d+ or a range low-high$/.source,
  ],
  ['pod-delete', { SEQUENCE: 'SERIAL' }, undefined],
  ['pod-delete', { SEQUENCE: 'sideways' }, 'Needs one of parallel, serial, random'],
  ['pod-delete', { CHAOS_INTERVAL: '5-9' }, 'Needs a whole number of seconds from 0 to 604800'],
  ['pod-delete', { CHAOS_INTERVAL: '5-9', RANDOMNESS: 'true' }, undefined],
  ['pod-delete', { TOTAL_CHAOS_DURATION: '{{workflow.parameters.time}}' }, undefined],
  ['pod-delete', { MADE_UP: 'anything' }, undefined],
  ['node-taint', { TAINTS: '' }, 'Needs'],
  ['of-another-hub', { TOTAL_CHAOS_DURATION: 'ten' }, undefined],
];
for (const [fault, settings, problem] of VALUES) {
  test(`the settings ${JSON.stringify(settings)} of ${fault}`, () => {
    const step = { ...(ONE.steps[0] as Step), fault: { ...PODS, name: fault }, settings };
    const [found] = settingProblems(step, BOOK).values();
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', new RegExp(problem));
  });
}

test('a setting is shown with its default and what it takes, and what a run sets by itself is not', () => {
  const { own, further } = settingFields(ONE.steps[0] as Step, BOOK);
  const duration = own.find(({ name }) => name === 'TOTAL_CHAOS_DURATION');
  assert.deepEqual([duration?.value, duration?.fallback], ['15', '30']);
  assert.equal(duration?.form, 'a whole number of seconds from 1 to 604800');
  assert.ok(
    own.some(({ name }) => name === 'CHAOS_INTERVAL'),
    'also what the resource does not list',
  );
  assert.ok(further.some(({ name }) => name === 'RAMP_TIME'));
  assert.ok(![...own, ...further].some(({ name }) => name === 'CHAOS_UID'));
});

const HITS: readonly [settings: Step['settings'], matching: number, words: RegExp][] = [
  [{ PODS_AFFECTED_PERC: '33' }, 3, /^About 1 of 3 would be hit in each round: 3 pods have/],
  [{}, 3, /^About 1 of 3 /],
  [{ PODS_AFFECTED_PERC: '20-60' }, 10, /^About 2 to 6 of 10 /],
  [{ PODS_AFFECTED_PERC: '100' }, 1, /^About 1 of 1 would be hit in each round: 1 pod has/],
  [{ TARGET_PODS: 'a, b' }, 3, /^About 2 of 3 /],
  [{ PODS_AFFECTED_PERC: '{{x}}' }, 3, /^3 pods have this label now\.$/],
  [{}, 0, /^No pod has this label now\.$/],
];
for (const [settings, matching, words] of HITS) {
  test(`what ${JSON.stringify(settings)} hits of ${matching}`, () =>
    assert.match(podsHitWords(podsHit({ settings }, matching), matching), words));
}

const NOW = Date.parse('2026-03-28T12:00:00Z');
const TIMES: readonly [cron: string, timezone: string, times: readonly string[]][] = [
  ['0 3 * * *', '', ['2026-03-29T03:00', '2026-03-30T03:00']],
  // The clocks of Berlin go forward on the 29th.
  ['0 3 * * *', 'Europe/Berlin', ['2026-03-29T01:00', '2026-03-30T01:00']],
  ['@every 90m', '', ['2026-03-28T13:30', '2026-03-28T15:00']],
  ['0 0 30 2 *', '', []],
  ['no cron', '', []],
  ['@daily', 'Europe/Atlantis', []],
];
for (const [cron, timezone, times] of TIMES) {
  test(`the next times of ${cron} ${timezone}`, () =>
    assert.deepEqual(
      nextTimes(cron, timezone, NOW, 2).map((time) => new Date(time).toISOString().slice(0, 16)),
      times,
    ));
}

const pod = (name: string, ...labels: string[]): Labelled => ({ name, labels });
const SHOP_PODS = [
  pod('web-5b7d-a', 'app=web', 'part-of=shop', 'pod-template-hash=5b7d'),
  pod('web-5b7d-b', 'app=web', 'part-of=shop', 'version=2', 'pod-template-hash=5b7d'),
  pod('db-0', 'app=db', 'part-of=shop', 'statefulset.kubernetes.io/pod-name=db-0'),
];
const WORKLOADS: readonly [what: string, workload: Labelled, label: string | undefined][] = [
  ['the label that its pods have and others have not', pod('web', 'team=a'), 'app=web'],
  ['no label that is of one pod', pod('db'), 'app=db'],
  ['its own label while it has no pods', pod('idle', 'app=idle'), 'app=idle'],
  ['nothing where nothing is known', pod('bare'), undefined],
];
for (const [what, workload, label] of WORKLOADS) {
  test(`a workload is named by ${what}`, () => assert.equal(labelOf(workload, SHOP_PODS), label));
}

test('labels that are offered are of applications', () =>
  assert.deepEqual(labelsOf(SHOP_PODS), ['app=db', 'app=web', 'part-of=shop', 'version=2']));

test('steps as a graph: each leads to all that begin after it', () => {
  const together = changeStep(THREE, 'pod-delete-2', { isParallel: true });
  assert.deepEqual(
    stepNodes(together.steps).map(({ id, children }) => [id, ...children]),
    [['pod-delete', 'node-drain'], ['pod-delete-2', 'node-drain'], ['node-drain']],
  );
});

const WORDS: readonly [fault: string, settings: Step['settings'], words: RegExp][] = [
  [
    'pod-delete',
    { TOTAL_CHAOS_DURATION: '30', CHAOS_INTERVAL: '10' },
    /Target: deployment with app=web in shop\. One pod, in each round\. For 30 s, again every 10 s\.$/,
  ],
  [
    'pod-network-latency',
    { TOTAL_CHAOS_DURATION: '90', PODS_AFFECTED_PERC: '50' },
    /\. 50 % of its pods, one at least\. For 1 min 30 s, then reverted\.$/,
  ],
  ['pod-delete', { TARGET_PODS: 'a,b', TOTAL_CHAOS_DURATION: '{{x}}' }, /\. The pods a,b\.$/],
  ['of-another-hub', {}, /^Deletes pods\. Target: .* One pod\.$/],
];
for (const [fault, settings, words] of WORDS) {
  test(`what ${fault} does with ${JSON.stringify(settings)}`, () => {
    const step = { ...(ONE.steps[0] as Step), fault: { ...PODS, name: fault }, settings };
    assert.match(stepWords(step, new Map(), BOOK), words);
  });
}

test('each known fault has a text about how it works', () => {
  const ways = Object.values(faults).map(wayWords);
  assert.ok(ways.includes('Hits pods through the API, in rounds.'));
  assert.ok(
    ways.includes(
      "Hits containers by a helper on the targets' nodes, for the whole time, then it is reverted.",
    ),
    ways.join(),
  );
  assert.ok(ways.every((words) => !words.includes('undefined')));
});
