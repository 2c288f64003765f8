import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { KeptProbe } from '../../probe/manifest-probe.ts';
import { runName } from '../run-experiment.ts';
import {
  cronOf,
  engineYaml,
  faultTemplate,
  INLINE_PROBE,
  standaloneOf,
  workflowOf,
} from '../testing/manifests.ts';
import { prepareRun, prepareSchedule, withSuspended } from './prepare-run.ts';
import { prepareStored } from './prepare-stored.ts';
import type { Manifest } from './read-manifest.ts';

const KEPT: ReadonlyMap<string, KeptProbe> = new Map([
  [
    'web-answers',
    {
      name: 'web-answers',
      type: 'httpProbe',
      body: { runProperties: { probeTimeout: '1s', interval: '3' } },
    },
  ],
  ['slow', { name: 'slow', type: 'cmdProbe', body: { runProperties: { initialDelaySeconds: 4 } } }],
]);
const RUN = { name: 'shop-1700000000000', notifyID: 'notify' };

// oxlint-disable-next-line no-explicit-any -- a test walks through JSON.
const loose = (value: unknown): any => value;

function stored(manifest: Manifest): Manifest {
  const ids = { experimentID: 'exp', infraID: 'inf', revisionID: 'rev' };
  const { object } = prepareStored(manifest, {
    ids,
    weights: new Map(),
    known: new Map(),
    suffix: () => 'x',
  });
  return { ...manifest, object };
}

function engineOf(object: unknown, spec = loose(object).spec) {
  const data: string = spec.templates[1].inputs.artifacts[0].raw.data;
  return { data, engine: parse(data.replace('{{workflow.parameters.policy}}', 'retain')) };
}

const REFERENCES = `  annotations: {probeRef: '[{"name":"web-answers","mode":"SOT"},{"name":"slow","mode":"EOT"}]', "other": "[1"}\n`;

test('a run of a workflow has a name and an id of its own, and the labels it had', () => {
  const { metadata } = loose(prepareRun(stored(workflowOf()), { run: RUN, kept: KEPT }));
  assert.equal(metadata.name, 'shop-1700000000000');
  assert.equal(metadata.labels.notify_id, 'notify');
  assert.equal(metadata.labels.workflow_id, 'exp');
  assert.equal(metadata.labels.subject, '{{workflow.parameters.x}}');
});

test('its engines say of which run they are, with tags that stay tags', () => {
  const { data, engine } = engineOf(
    prepareRun(stored(workflowOf(faultTemplate(engineYaml()))), { run: RUN, kept: KEPT }),
  );
  assert.deepEqual(engine.metadata.labels, {
    infra_id: 'inf',
    step_pod_name: '{{pod.name}}',
    workflow_run_id: '{{workflow.uid}}',
    context: 'shop',
  });
  assert.match(data, /jobCleanUpPolicy: \{\{workflow\.parameters\.policy\}\}/);
  assert.match(data, /namespace: "\{\{workflow\.parameters\.adminModeNamespace\}\}"/);
});

test('probes that it names are put in with units; annotations of others do not matter', () => {
  const manifest = stored(workflowOf(faultTemplate(engineYaml({ annotations: REFERENCES }))));
  const { engine } = engineOf(prepareRun(manifest, { run: RUN, kept: KEPT }));
  assert.deepEqual(engine.spec.experiments[0].spec.probe, [
    {
      name: 'web-answers',
      type: 'httpProbe',
      mode: 'SOT',
      runProperties: { probeTimeout: '1s', interval: '3s' },
    },
    { name: 'slow', type: 'cmdProbe', mode: 'EOT', runProperties: { initialDelay: '4s' } },
  ]);
});

test('a probe that it holds and names runs once, as the project has it now', () => {
  const manifest = stored(workflowOf(faultTemplate(engineYaml({ probe: INLINE_PROBE }))));
  const { engine } = engineOf(prepareRun(manifest, { run: RUN, kept: KEPT }));
  assert.deepEqual(engine.spec.experiments[0].spec.probe, [
    {
      name: 'web-answers',
      type: 'httpProbe',
      mode: 'Continuous',
      runProperties: { probeTimeout: '1s', interval: '3s' },
    },
  ]);
});

test('a probe that the project has deleted runs as the engine holds it', () => {
  const manifest = stored(workflowOf(faultTemplate(engineYaml({ probe: INLINE_PROBE }))));
  const { engine } = engineOf(prepareRun(manifest, { run: RUN, kept: new Map() }));
  const [probe, ...others] = engine.spec.experiments[0].spec.probe;
  assert.deepEqual(others, []);
  assert.deepEqual(probe.runProperties, { probeTimeout: '500ms', interval: '2s', attempt: 1 });
});

test('a probe that ChaosCenter made of one the engine holds does not run twice', () => {
  const name = 'web-answers-AbCdEfGhIjKlMnOpQrStUv';
  const annotations = `  annotations: {probeRef: '[{"name":"${name}","mode":"SOT"}]'}\n`;
  const manifest = stored(workflowOf(faultTemplate(engineYaml({ annotations, probe: INLINE_PROBE }))));
  const kept = new Map([[name, { name, type: 'httpProbe' as const, body: {} }]]);
  const { engine } = engineOf(prepareRun(manifest, { run: RUN, kept }));
  assert.deepEqual(engine.spec.experiments[0].spec.probe, [{ name, type: 'httpProbe', mode: 'SOT' }]);
});

test('a probe that is nowhere is refused by its name', () => {
  const manifest = stored(workflowOf(faultTemplate(engineYaml({ annotations: REFERENCES }))));
  assert.throws(() => prepareRun(manifest, { run: RUN, kept: new Map() }), {
    name: 'ManifestError',
    message:
      'failed to generate probes in workflow manifest, err: failed to fetch probe details: the project has no probe named web-answers, slow',
  });
});

test('a manifest without the label of its infrastructure is not run', () => {
  assert.throws(() => prepareRun(workflowOf(), { run: RUN, kept: KEPT }), {
    message:
      'failed to rerun the chaos experiment due to invalid metadata/labels. Check the troubleshooting guide or contact support',
  });
});

test('an engine without a workflow runs like one with it', () => {
  const probe = [{ name: 'web-answers', type: 'httpProbe', mode: 'EOT' }];
  const object = loose(prepareRun(stored(standaloneOf('ChaosEngine', probe)), { run: RUN, kept: KEPT }));
  assert.equal(object.metadata.name, RUN.name);
  assert.equal(object.metadata.labels.notify_id, 'notify');
  assert.equal(object.spec.experiments[0].spec.probe[0].runProperties.interval, '3s');
});

test('schedules keep their names, and their engines get probes', () => {
  const annotations = REFERENCES;
  const cron = stored(cronOf(workflowOf(faultTemplate(engineYaml({ annotations })))));
  const object = loose(prepareSchedule(cron, KEPT));
  assert.equal(object.metadata.name, 'shop');
  assert.equal(object.metadata.labels.notify_id, undefined);
  const { engine } = engineOf(object, object.spec.workflowSpec);
  assert.equal(engine.spec.experiments[0].spec.probe.length, 2);

  const probe = [{ name: 'web-answers', type: 'httpProbe', mode: 'EOT' }];
  const schedule = loose(prepareSchedule(stored(standaloneOf('ChaosSchedule', probe)), KEPT));
  assert.equal(schedule.spec.engineTemplateSpec.experiments[0].spec.probe[0].runProperties.interval, '3s');
});

test('a schedule is suspended and resumed in the words of its kind', () => {
  const cron = cronOf(workflowOf());
  const schedule = standaloneOf('ChaosSchedule');
  assert.equal(loose(withSuspended(cron, true)).spec.suspend, true);
  assert.equal(loose(withSuspended(cron, false)).spec.suspend, false);
  assert.equal(loose(withSuspended(schedule, true)).spec.scheduleState, 'halt');
  assert.equal(loose(withSuspended(schedule, false)).spec.scheduleState, 'active');
});

const NAMES: readonly [name: string, expected: string][] = [
  ['shop', 'shop-1700000000000'],
  ['a'.repeat(49), `${'a'.repeat(49)}-1700000000000`],
  ['a'.repeat(50), `${'a'.repeat(49)}-1700000000000`],
  [`${'a'.repeat(47)}--b`, `${'a'.repeat(47)}-1700000000000`],
];

for (const [name, expected] of NAMES) {
  test(`a run of ${name.length} letters has a name that a label can hold`, () => {
    assert.equal(runName(name, 1_700_000_000_000), expected);
    assert.ok(expected.length <= 63);
  });
}
