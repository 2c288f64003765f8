import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { KeptProbe } from '../../probe/manifest-probe.ts';
import {
  cronOf,
  engineYaml,
  faultTemplate,
  INLINE_PROBE,
  standaloneOf,
  workflowOf,
} from '../testing/manifests.ts';
import { prepareStored, type StoredContext } from './prepare-stored.ts';
import type { Manifest } from './read-manifest.ts';

const LABELS = { workflow_id: 'exp', infra_id: 'inf', revision_id: 'rev' };
const INSTANCE = { 'workflows.argoproj.io/controller-instanceid': 'inf' };

function prepared(manifest: Manifest, context: Partial<StoredContext> = {}) {
  return prepareStored(manifest, {
    ids: { experimentID: 'exp', infraID: 'inf', revisionID: 'rev' },
    weights: new Map(),
    known: new Map(),
    suffix: () => '4f2a',
    ...context,
  });
}

/** Deep reading of what the types leave open. */
// oxlint-disable-next-line no-explicit-any -- a test walks through JSON.
const loose = (value: unknown): any => value;

test('a workflow gets labels, and keeps those it has', () => {
  const { object } = prepared(workflowOf());
  assert.deepEqual(loose(object).metadata.labels, {
    subject: '{{workflow.parameters.x}}',
    ...LABELS,
    ...INSTANCE,
  });
});

test('a CronWorkflow hands its labels on to the workflows it makes', () => {
  const object = loose(prepared(cronOf(workflowOf())).object);
  assert.deepEqual(object.spec.workflowMetadata.labels, { ...LABELS, ...INSTANCE });
  assert.deepEqual(object.metadata.labels, { subject: '{{workflow.parameters.x}}', ...LABELS, ...INSTANCE });
});

for (const kind of ['ChaosEngine', 'ChaosSchedule'] as const) {
  test(`a ${kind} gets labels of an experiment without a workflow, and its weight`, () => {
    const { object, faults } = prepared(standaloneOf(kind), { weights: new Map([['pod-delete', 3]]) });
    assert.deepEqual(loose(object).metadata.labels, { ...LABELS, type: 'standalone_workflow', weight: '3' });
    assert.deepEqual(faults, [{ name: 'pod-delete', weight: 3, artifact: '', template: '', probes: [] }]);
  });
}

const WEIGHTS: readonly [name: string, label: unknown, given: [string, number][], weight: number][] = [
  ['the request', '4', [['pod-delete', 7]], 7],
  ['the label', '4', [['other', 7]], 4],
  ['a label that is a number', 0, [], 0],
  ['nobody', undefined, [], 10],
];

for (const [name, label, given, weight] of WEIGHTS) {
  test(`the weight is that of ${name}; other labels of the template stay`, () => {
    const labels = { team: 'shop', ...(label !== undefined && { weight: label }) };
    const manifest = workflowOf(faultTemplate(engineYaml(), { labels, annotations: { a: 'b' } }));
    const { object, faults } = prepared(manifest, { weights: new Map(given) });
    assert.deepEqual(loose(object).spec.templates[1].metadata, {
      labels: { team: 'shop', weight: String(weight) },
      annotations: { a: 'b' },
    });
    assert.equal(faults[0]?.weight, weight);
  });
}

const REFUSED: readonly (readonly [name: string, manifest: Manifest, message: string])[] = [
  [
    'a weight that is no number',
    workflowOf(faultTemplate(engineYaml(), { labels: { weight: 'much' } })),
    'failed to convert',
  ],
  [
    'an engine without generateName',
    workflowOf(faultTemplate(engineYaml().replace('generateName', 'name'))),
    'empty chaos experiment name',
  ],
  [
    'an engine without experiments',
    workflowOf(
      faultTemplate('kind: ChaosEngine\nmetadata: {generateName: pod-delete}\nspec: {experiments: []}'),
    ),
    'no experiments specified in chaosengine - pod-delete',
  ],
  [
    'an engine that is no YAML',
    workflowOf(faultTemplate('kind: ChaosEngine\nx: y: z')),
    'failed to unmarshal chaosengine',
  ],
  [
    'an annotation that names no probes',
    workflowOf(faultTemplate(engineYaml({ annotations: '  annotations: {probeRef: "web"}\n' }))),
    'failed to unmarshal experiment annotation object',
  ],
  [
    'a probe whose mode is no text',
    workflowOf(
      faultTemplate(engineYaml({ annotations: `  annotations: {probeRef: '[{"name":"web","mode":1}]'}\n` })),
    ),
    'failed to unmarshal experiment annotation object',
  ],
  ...(
    [
      [
        '[{"name":"http-probe"}]',
        'annotation probeRef: probe http-probe has no mode, which says when it runs: add one of SOT, EOT, Edge, Continuous, OnChaos',
      ],
      [
        '[{"name":"a","mode":"SOT"},{"name":"b","mode":"sot"}]',
        'annotation probeRef: probe b has the mode "sot", which is none of SOT, EOT, Edge, Continuous, OnChaos',
      ],
      [
        '[{"mode":"SOT"}]',
        'annotation probeRef: a probe without name; each entry needs the name of a probe of the project',
      ],
    ] as const
  ).map(
    ([references, message]) =>
      [
        `the probes ${references}`,
        workflowOf(
          faultTemplate(engineYaml({ annotations: `  annotations: {probeRef: '${references}'}\n` })),
        ),
        message,
      ] as const,
  ),
];

for (const [name, manifest, message] of REFUSED) {
  test(`refuses ${name}`, () => {
    assert.throws(() => prepared(manifest), { name: 'ManifestError', message });
  });
}

test('an engine that names its probes stays as it is', () => {
  const annotations = `  annotations: {probeRef: '[{"name":"web-answers","mode":"SOT"}]'}\n`;
  const text = engineYaml({ annotations });
  const { object, faults, made } = prepared(workflowOf(faultTemplate(text)));
  assert.equal(loose(object).spec.templates[1].inputs.artifacts[0].raw.data, text);
  assert.deepEqual(faults[0], {
    name: 'pod-delete',
    weight: 10,
    artifact: 'pod-delete-k8q',
    template: 'fault-step',
    probes: [{ name: 'web-answers', mode: 'SOT' }],
  });
  assert.deepEqual(made, []);
});

test('probes that stand in an engine become probes of the project, once for several engines', () => {
  const text = engineYaml({ probe: INLINE_PROBE });
  const { object, made, faults } = prepared(workflowOf(faultTemplate(text), faultTemplate(text)));
  assert.deepEqual(made, [WEB_ANSWERS]);
  const engines = loose(object)
    .spec.templates.slice(1)
    .map((template: unknown) =>
      parse(loose(template).inputs.artifacts[0].raw.data.replaceAll(/\{\{.*?\}\}/g, 'x')),
    );
  for (const engine of engines) {
    assert.equal(engine.metadata.annotations.probeRef, '[{"name":"web-answers","mode":"Continuous"}]');
    assert.equal(engine.spec.experiments[0].spec.probe.length, 1, 'the manifest stays whole');
  }
  assert.deepEqual(
    faults.map(({ probes }) => probes),
    [[{ name: 'web-answers', mode: 'Continuous' }], [{ name: 'web-answers', mode: 'Continuous' }]],
  );
});

const WEB_ANSWERS: KeptProbe = {
  name: 'web-answers',
  type: 'httpProbe',
  body: {
    'httpProbe/inputs': {
      url: 'http://web.{{workflow.parameters.appNamespace}}.svc',
      method: { get: { criteria: '==', responseCode: '200' } },
    },
    runProperties: { probeTimeout: '500ms', interval: '2s', attempt: 1 },
  },
};

test('a copy of an experiment makes no copies of probes', () => {
  const manifest = workflowOf(faultTemplate(engineYaml({ probe: INLINE_PROBE })));
  const { made, faults } = prepared(manifest, { known: new Map([['web-answers', WEB_ANSWERS]]) });
  assert.deepEqual(made, []);
  assert.deepEqual(faults[0]?.probes, [{ name: 'web-answers', mode: 'Continuous' }]);
});

test('a probe whose name belongs to a different probe of the project gets a new name', () => {
  const manifest = standaloneOf('ChaosEngine', [{ name: 'web-answers', mode: 'SOT', type: 'k8sProbe' }]);
  const { object, made } = prepared(manifest, { known: new Map([['web-answers', WEB_ANSWERS]]) });
  assert.deepEqual(made, [{ name: 'web-answers-4f2a', type: 'k8sProbe', body: {} }]);
  assert.equal(loose(object).metadata.annotations.probeRef, '[{"name":"web-answers-4f2a","mode":"SOT"}]');
  assert.equal(loose(object).spec.experiments[0].spec.probe[0].name, 'web-answers-4f2a');
});

test('what is prepared again stays the same', () => {
  const manifest = workflowOf(faultTemplate(engineYaml({ probe: INLINE_PROBE })));
  const once = prepared(manifest);
  const again = prepared(
    { ...manifest, object: once.object },
    { known: new Map([['web-answers', WEB_ANSWERS]]) },
  );
  assert.deepEqual(again.object, once.object);
});
