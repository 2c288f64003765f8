/** Form and YAML of the studio are in step: what one says, the other says; what the form does not know stays. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse, parseDocument } from 'yaml';
import type { Json } from '../../models/json/json.ts';
import { type Draft, EMPTY_DRAFT, type HubFault } from '../../models/studio/draft.ts';
import { readDraft } from '../../models/studio/read-draft.ts';
import { readFault } from '../../models/studio/read-fault.ts';
import { addStep, changeStep, moveStep, removeStep } from '../../models/studio/steps.ts';
import { newManifest, writeDraft } from '../../models/studio/write-draft.ts';
import { YAML_FORM } from './yaml-form.ts';
import { lineOfPart, yamlProblems } from './yaml-problems.ts';

const HUB = join(import.meta.dirname, '../../../deploy/hub');

/** A fault of the default hub. */
function hubFault(place: string): HubFault {
  const file = (name: string): unknown => parse(readFileSync(join(HUB, 'faults', place, name), 'utf8'));
  return readFault(place.split('/')[1] ?? '', file('fault.yaml'), file('engine.yaml'));
}

const PODS = hubFault('kubernetes/pod-delete');
const NETWORK = hubFault('kubernetes/pod-network-latency');
const DRAIN = hubFault('kubernetes/node-drain');

/** The draft that a manifest shows. */
function shown(object: Json, { description, infraID }: Draft): Draft {
  const read = readDraft(object, { description, infraID }, YAML_FORM);
  assert.ok('draft' in read, 'reason' in read ? read.reason : '');
  return read.draft;
}

/** The text of a manifest after the form has another draft. */
function afterForm(text: string, change: (draft: Draft) => Draft): string {
  const object = YAML_FORM.read(text) as Json;
  return YAML_FORM.change(text, writeDraft(object, change(shown(object, EMPTY_DRAFT)), YAML_FORM));
}

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const settingText = fc.oneof(
  fc.string(),
  fc.constantFrom('', '30', 'true', '{{workflow.parameters.x}}', 'a: b', '# no', '- x'),
);
type Change = (draft: Draft) => Draft;
const pick = (draft: Draft, place: number): string =>
  draft.steps[place % (draft.steps.length || 1)]?.name ?? '';
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(PODS, NETWORK, DRAIN).map(
    (fault): Change =>
      (draft) =>
        addStep(draft, fault),
  ),
  fc.nat(9).map(
    (place): Change =>
      (draft) =>
        removeStep(draft, pick(draft, place)),
  ),
  fc.tuple(fc.nat(9), fc.integer({ min: -3, max: 3 })).map(
    ([place, by]): Change =>
      (draft) =>
        moveStep(draft, pick(draft, place), by),
  ),
  fc.tuple(fc.nat(9), settingText).map(
    ([place, value]): Change =>
      (draft) => {
        const step = draft.steps[place % (draft.steps.length || 1)];
        if (step === undefined) return draft;
        const [setting = 'X'] = Object.keys(step.settings).slice(place % 4);
        // An empty field sets nothing.
        if (value === '' && step.settings[setting] === undefined) return draft;
        return changeStep(draft, step.name, { settings: { ...step.settings, [setting]: value } });
      },
  ),
  fc.tuple(fc.nat(9), settingText, fc.nat(10), fc.boolean()).map(
    ([place, label, weight, isParallel]): Change =>
      (draft) => {
        const step = draft.steps[place % (draft.steps.length || 1)];
        if (step === undefined) return draft;
        const probes = weight > 5 ? [{ name: 'web', mode: 'SOT' }] : [];
        const target = step.fault.hasTarget ? { namespace: 'shop', kind: 'statefulset', label } : step.target;
        const together = isParallel && step !== draft.steps[0];
        return changeStep(draft, step.name, { target, weight, probes, isParallel: together });
      },
  ),
  name.map(
    (text): Change =>
      (draft) => ({ ...draft, name: text }),
  ),
  name.map(
    (text): Change =>
      (draft) => ({ ...draft, agentNamespace: text }),
  ),
  fc.constantFrom<[string, string]>(['', ''], ['0 3 * * *', ''], ['*/5 * * * *', 'Europe/Berlin']).map(
    ([cron, timezone]): Change =>
      (draft) => ({ ...draft, cron, timezone }),
  ),
);

test('what the form says is in the YAML, and the YAML gives the form the same again, after any changes', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 12 }), (list) => {
      let draft: Draft = EMPTY_DRAFT;
      let text = YAML_FORM.write(newManifest(draft, YAML_FORM));
      for (const change of list) {
        draft = change(draft);
        text = YAML_FORM.change(text, writeDraft(YAML_FORM.read(text) as Json, draft, YAML_FORM));
        assert.deepEqual(shown(YAML_FORM.read(text) as Json, draft), draft, text);
      }
    }),
    { numRuns: 25 },
  );
});

test('a draft that is written again changes nothing of the text', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (list) => {
      const draft = list.reduce((before, change) => change(before), EMPTY_DRAFT as Draft);
      const text = YAML_FORM.write(newManifest(draft, YAML_FORM));
      assert.equal(YAML_FORM.change(text, writeDraft(YAML_FORM.read(text) as Json, draft, YAML_FORM)), text);
    }),
    { numRuns: 30 },
  );
});

test('what is added to a list of nothing stands in lines', () => {
  const text = YAML_FORM.write(
    newManifest(addStep(EMPTY_DRAFT, { ...PODS, suggested: new Map() }), YAML_FORM),
  );
  const set = afterForm(text, (draft) => changeStep(draft, 'pod-delete', { settings: { FORCE: 'true' } }));
  assert.match(set, /\n +env:\n +- name: FORCE\n +value: "true"\n/);
});

const SAMPLES = readdirSync(join(HUB, 'experiments')).filter((one) => one !== 'icons');
for (const sample of SAMPLES) {
  test(`the experiment ${sample} of the hub is shown, and kept to the letter where nothing is changed`, () => {
    const text = readFileSync(join(HUB, 'experiments', sample, 'experiment.yaml'), 'utf8');
    assert.equal(
      afterForm(text, (draft) => draft),
      text,
    );
    const renamed = afterForm(text, (draft) => ({ ...draft, name: 'mine' }));
    // Long lines are not folded where something has changed.
    const unfolded = parseDocument(text).toString({ lineWidth: 0 }).split('\n');
    const lines = new Set(unfolded);
    const changed = renamed.split('\n').filter((line) => !lines.has(line));
    assert.ok(
      changed.every((line) => line.includes('mine')),
      changed.join('\n'),
    );
    assert.equal(renamed.split('\n').length, unfolded.length);
  });
}

/** With what the form does not know, in places of its own. */
const FOREIGN = `# kept: first line
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: shop # kept: what it is called
  namespace: litmus
  annotations: { team: web } # kept
spec:
  entrypoint: all
  activeDeadlineSeconds: 600
  arguments:
    parameters:
      - { name: appLabel, value: app=web }
  templates:
    - name: all
      steps:
        - - name: load # kept
            template: load-test
            when: "true"
        - - name: first
            template: delete-pods
            continueOn: { failed: true }
    - name: load-test
      container: { image: load } # kept
    - name: delete-pods
      retryStrategy: { limit: 1 } # kept
      inputs:
        artifacts:
          - name: engine
            path: /tmp/engine.yaml
            raw:
              data: |
                # kept: of the engine
                kind: ChaosEngine
                apiVersion: litmuschaos.io/v1alpha1
                metadata:
                  generateName: delete-pods
                  namespace: {{workflow.parameters.ns}} # kept
                spec:
                  jobCleanUpPolicy: {{workflow.parameters.policy}}
                  appinfo:
                    appns: shop # kept: of the target
                    applabel: "{{workflow.parameters.appLabel}}"
                    appkind: deployment
                  experiments:
                    - name: pod-delete
                      spec:
                        components:
                          nodeSelector: { disk: ssd }
                          env:
                            - name: SECRET # kept
                              valueFrom: { secretKeyRef: { name: a, key: b } }
                            - name: FORCE # kept
                              value: "false" # kept: of the value
      container: { image: checker }
`;

test('what the form does not know stays, with comments and tags, while the form changes everything that it knows', () => {
  const text = afterForm(FOREIGN, (draft) => {
    const [step] = draft.steps;
    assert.equal(step?.target.label, '{{workflow.parameters.appLabel}}');
    assert.deepEqual(step.settings, { FORCE: 'false' });
    const changed = changeStep(draft, 'delete-pods', {
      target: { ...step.target, namespace: 'store' },
      settings: { FORCE: 'true', CHAOS_INTERVAL: '5' },
      probes: [{ name: 'web', mode: 'SOT' }],
      weight: 3,
    });
    return addStep({ ...changed, name: 'store', cron: '@daily' }, PODS);
  });
  for (const line of FOREIGN.split('\n').filter((one) => one.includes('kept'))) {
    const said = line.slice(line.indexOf('#'));
    assert.equal(text.split(said).length, FOREIGN.split(said).length, `${said} in\n${text}`);
  }
  for (const part of [
    'namespace: {{workflow.parameters.ns}} # kept',
    'jobCleanUpPolicy: {{workflow.parameters.policy}}',
    'applabel: "{{workflow.parameters.appLabel}}"',
    'appns: store # kept: of the target',
    'value: "true" # kept: of the value',
    'activeDeadlineSeconds: 600',
    'continueOn: { failed: true }',
    'nodeSelector: { disk: ssd }',
    'name: store # kept: what it is called',
    'kind: CronWorkflow',
    'weight: "3"',
  ]) {
    assert.ok(text.includes(part), `${part} in\n${text}`);
  }
  const object = YAML_FORM.read(text) as Json;
  assert.deepEqual(
    shown(object, EMPTY_DRAFT).steps.map(({ name: step }) => step),
    ['delete-pods', 'pod-delete'],
  );
});

const UNKNOWN: readonly [what: string, text: string, reason: RegExp][] = [
  ['an engine', 'kind: ChaosEngine\nmetadata: { name: a }', /of kind ChaosEngine/],
  ['nothing of a kind', 'a: 1', /of kind nothing/],
  ['a workflow without its entrypoint', 'kind: Workflow\nspec: { entrypoint: a, templates: [] }', /"a"/],
  [
    'a graph of dependencies',
    'kind: Workflow\nspec: { entrypoint: a, templates: [{ name: a, dag: {} }] }',
    /a has no steps/,
  ],
  [
    'several schedules',
    'kind: CronWorkflow\nspec: { schedules: [a, b], workflowSpec: {} }',
    /several schedules/,
  ],
  [
    'two engines of a template',
    FOREIGN.replace(
      /( +)- - name: first[\s\S]*?failed: true }/,
      '$&\n$1- - { name: b, template: delete-pods }',
    ),
    /Two steps use the template delete-pods/,
  ],
  [
    'a step between faults',
    `${FOREIGN.replace(/( +)- - name: first[\s\S]*?failed: true }/, '$&\n$1- - { name: b, template: load-test }\n$1- - { name: c, template: more }')}${FOREIGN.slice(FOREIGN.indexOf('    - name: delete-pods')).replace('delete-pods', 'more')}`,
    /a step without a fault: b/,
  ],
];
for (const [what, text, reason] of UNKNOWN) {
  test(`the form says why it does not show ${what}`, () => {
    const object = YAML_FORM.read(text) as Json;
    const read = readDraft(object, EMPTY_DRAFT, YAML_FORM);
    assert.match('reason' in read ? read.reason : 'shown', reason);
    assert.equal(writeDraft(object, EMPTY_DRAFT, YAML_FORM), object);
  });
}

const UNREADABLE: readonly [what: string, text: string, lines: readonly number[]][] = [
  ['a manifest', FOREIGN, []],
  ['a field without its colon', FOREIGN.replace('kind: Workflow', 'kind Workflow'), [3]],
  ['an engine in it', FOREIGN.replace('applabel: "{', 'applabel: "x" y"{'), [43]],
  ['nothing', '', [1]],
  ['a word', 'chaos', [1]],
];
for (const [what, text, lines] of UNREADABLE) {
  test(`a part of ${what} that cannot be read is reported with its line`, () => {
    const found = yamlProblems(text).map(({ line }) => line);
    assert.deepEqual(found.slice(0, 1), lines);
  });
}

test('the YAML shows what a part of the form is about', () => {
  assert.equal(
    FOREIGN.split('\n')[(lineOfPart(FOREIGN, 'where', 'delete-pods') ?? 0) - 1]?.trim(),
    'appinfo:',
  );
  assert.equal(
    FOREIGN.split('\n')[(lineOfPart(FOREIGN, 'settings', 'delete-pods') ?? 0) - 1]?.trim(),
    'env:',
  );
  assert.equal(lineOfPart(FOREIGN, 'settings', 'another'), undefined);
  assert.equal(lineOfPart(FOREIGN, 'what', 'delete-pods'), undefined);
});
