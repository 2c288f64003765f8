import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { readManifest } from './read-manifest.ts';

function read(spec: string, kind = 'Workflow') {
  const { object, unknown } = readManifest({
    apiVersion: 'argoproj.io/v1alpha1',
    kind,
    metadata: { generateName: 'w-' },
    spec: parse(spec),
  });
  return { spec: (object as { readonly spec: unknown }).spec, unknown };
}

describe('values as Go reads them', () => {
  const rows: readonly (readonly [about: string, written: string, meant: string])[] = [
    [
      'numbers and booleans where texts are expected',
      '{templates: [{name: 1, container: {image: i, args: [exit, 1, true, 1.5], env: [{name: A, value: 5}]}}]}',
      '{templates: [{name: "1", container: {image: i, args: [exit, "1", "true", "1.5"], env: [{name: A, value: "5"}]}}]}',
    ],
    [
      'in maps of texts',
      '{nodeSelector: {zone: 1}, templates: [{name: m, metadata: {labels: {a: 2}}}]}',
      '{nodeSelector: {zone: "1"}, templates: [{name: m, metadata: {labels: {a: "2"}}}]}',
    ],
    [
      'keys without regard to case',
      '{Templates: [{name: m, memoize: {key: k, Cache: {configMap: {Name: c}}}, inputs: {parameters: [{name: p, ValueFrom: {Parameter: x}}]}, container: {Image: i, Args: [1]}}]}',
      '{templates: [{name: m, memoize: {key: k, cache: {configMap: {name: c}}}, inputs: {parameters: [{name: p, valueFrom: {parameter: x}}]}, container: {image: i, args: ["1"]}}]}',
    ],
    [
      'what may be of any type stays: values of parameters, items, numbers of texts, quantities',
      '{arguments: {parameters: [{name: p, value: 5, enum: [1]}]}, templates: [{name: m, suspend: {duration: 5}, steps: [[{name: a, withItems: [1, {b: true}], withSequence: {count: 3}}]], container: {resources: {limits: {cpu: 1}}}, plugin: {Any: {thing: 1}}, activeDeadlineSeconds: 5, retryStrategy: {limit: 3}}]}',
      '{arguments: {parameters: [{name: p, value: 5, enum: [1]}]}, templates: [{name: m, suspend: {duration: "5"}, steps: [[{name: a, withItems: [1, {b: true}], withSequence: {count: 3}}]], container: {resources: {limits: {cpu: 1}}}, plugin: {Any: {thing: 1}}, activeDeadlineSeconds: 5, retryStrategy: {limit: 3}}]}',
    ],
    ['what is of another form', '{templates: hello, arguments: [1]}', '{templates: hello, arguments: [1]}'],
  ];
  for (const [about, written, meant] of rows) {
    test(about, () => {
      assert.deepEqual(read(written).spec, parse(meant));
    });
  }
});

describe('fields that Argo does not have', () => {
  const rows: readonly (readonly [written: string, path: string, suggestion: string | undefined])[] = [
    ['{someExtraField: 1}', 'spec.someExtraField', undefined],
    ['{onexit: x}', 'spec.onexit', 'onExit'],
    ['{activeDeadlineSecond: 5}', 'spec.activeDeadlineSecond', 'activeDeadlineSeconds'],
    ['{templates: [{retryStrtegy: {}}]}', 'spec.templates[0].retryStrtegy', 'retryStrategy'],
    [
      '{templates: [{dag: {tasks: [{name: a, dependecies: [b]}]}}]}',
      'spec.templates[0].dag.tasks[0].dependecies',
      'dependencies',
    ],
    ['{templates: [{steps: [[{name: a, whn: x}]]}]}', 'spec.templates[0].steps[0][0].whn', 'when'],
    ['{templates: [{container: {envs: []}}]}', 'spec.templates[0].container.envs', 'env'],
    [
      '{templates: [{inputs: {parameters: [{name: p, valueForm: {}}]}}]}',
      'spec.templates[0].inputs.parameters[0].valueForm',
      'valueFrom',
    ],
    [
      '{templates: [{inputs: {artifacts: [{s3: {buckt: b}}]}}]}',
      'spec.templates[0].inputs.artifacts[0].s3.buckt',
      'bucket',
    ],
    ['{volumes: [{name: v, emptydirs: {}}]}', 'spec.volumes[0].emptydirs', 'emptyDir'],
  ];
  for (const [written, path, suggestion] of rows)
    test(path, () => assert.deepEqual(read(written).unknown, [{ path, suggestion }]));

  test('of a CronWorkflow and of templates', () => {
    assert.deepEqual(read('{shedule: x, workflowSpec: {}}', 'CronWorkflow').unknown, [
      { path: 'spec.shedule', suggestion: 'schedule' },
    ]);
    for (const kind of ['WorkflowTemplate', 'ClusterWorkflowTemplate'])
      assert.equal(read('{templats: []}', kind).unknown[0]?.suggestion, 'templates');
  });

  test('old spellings, stores of ours and fields of Kubernetes are known', () => {
    const spec =
      '{synchronization: {mutex: {name: m}, semaphore: {configMapKeyRef: {name: c, key: k}}}, podPriority: 1, templates: [{outputs: {artifacts: [{name: a, volume: {hostPath: {}}}]}, container: {livenessProbe: {httpGet: {port: 80}}, securityContext: {capabilities: {add: [X]}}}, script: {image: i, source: x}, containerSet: {containers: [{name: a, dependencies: [b]}]}, sidecars: [{name: s, mirrorVolumeMounts: true}]}]}';
    assert.deepEqual(read(spec).unknown, []);
    assert.deepEqual(read('{schedule: x, workflowSpec: {}}', 'CronWorkflow').unknown, []);
  });

  test('objects of other kinds are left alone', () => {
    const job = { kind: 'Job', spec: { Template: 1 } };
    assert.deepEqual(readManifest(job), { object: job, unknown: [] });
  });
});
