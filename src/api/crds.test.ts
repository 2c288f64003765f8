import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { isObject } from '@turnsole/kube/text/json';
import { parse } from 'yaml';
import { CUSTOM_RESOURCES } from './crds.ts';
import { generatedFiles, generatedFileUrl } from './generate.ts';
import {
  applyDefaults,
  findUnknownFields,
  formatFieldError,
  prune,
  type StructuralSchema,
  validate,
} from './validation/index.ts';
import { WORKFLOW_DEFINITIONS } from './workflow-definitions.ts';

describe('generated definitions', () => {
  for (const file of generatedFiles()) {
    it(`${file.path} is up to date (else: npm run generate)`, async () => {
      assert.equal(await readFile(generatedFileUrl(file), 'utf8'), file.content);
    });
  }

  it("of Argo's kinds have the names, scopes and subresources that its clients rely on", () => {
    const seen = WORKFLOW_DEFINITIONS.map(({ metadata, spec: { scope, names, versions } }) => [
      metadata.name,
      scope,
      names.kind,
      names.shortNames?.join() ?? '',
      versions.map(({ subresources }) => Object.keys(subresources ?? {}).join()).join(),
    ]);
    assert.deepEqual(seen, [
      ['workflows.argoproj.io', 'Namespaced', 'Workflow', 'wf', ''],
      ['workflowtemplates.argoproj.io', 'Namespaced', 'WorkflowTemplate', 'wftmpl', ''],
      [
        'clusterworkflowtemplates.argoproj.io',
        'Cluster',
        'ClusterWorkflowTemplate',
        'clusterwftmpl,cwft',
        '',
      ],
      ['cronworkflows.argoproj.io', 'Namespaced', 'CronWorkflow', 'cwf,cronwf', ''],
      ['workflowtasksets.argoproj.io', 'Namespaced', 'WorkflowTaskSet', 'wfts', 'status'],
      ['workflowtaskresults.argoproj.io', 'Namespaced', 'WorkflowTaskResult', '', ''],
      ['workflowartifactgctasks.argoproj.io', 'Namespaced', 'WorkflowArtifactGCTask', 'wfat', 'status'],
      ['workfloweventbindings.argoproj.io', 'Namespaced', 'WorkflowEventBinding', 'wfeb', ''],
    ]);
  });

  it('are five, namespaced, without short names; but for policies with status in the object', () => {
    assert.deepEqual(
      CUSTOM_RESOURCES.map(({ definition: { metadata, spec } }) => [
        metadata.name,
        spec.scope,
        spec.names.kind,
      ]),
      [
        ['chaosengines.litmuschaos.io', 'Namespaced', 'ChaosEngine'],
        ['chaosexperiments.litmuschaos.io', 'Namespaced', 'ChaosExperiment'],
        ['chaosresults.litmuschaos.io', 'Namespaced', 'ChaosResult'],
        ['chaosschedules.litmuschaos.io', 'Namespaced', 'ChaosSchedule'],
        ['eventtrackerpolicies.eventtracker.litmuschaos.io', 'Namespaced', 'EventTrackerPolicy'],
      ],
    );
    for (const { definition } of CUSTOM_RESOURCES) {
      assert.equal('shortNames' in definition.spec.names, false);
      const isPolicy = definition.spec.names.kind === 'EventTrackerPolicy';
      for (const version of definition.spec.versions) assert.equal('subresources' in version, isPolicy);
    }
  });
});

describe('schemas are structural', () => {
  for (const { resource, schema } of CUSTOM_RESOURCES) {
    it(`${resource.kind}: every node has a type, and nothing is there that an API server refuses`, () => {
      for (const [path, node] of nodes(schema, resource.kind)) {
        const words = new Set(Object.keys(node));
        const intOrString = node['x-kubernetes-int-or-string'] === true;
        assert.equal(typeof node.type === 'string', !intOrString, `${path}: type`);
        assert.ok(
          !(words.has('properties') && words.has('additionalProperties')),
          `${path}: both kinds of fields`,
        );
        for (const refused of ['$ref', 'const', 'patternProperties', 'anyOf', 'definitions', 'uniqueItems']) {
          assert.ok(!words.has(refused), `${path}: ${refused}`);
        }
        if (node.type === 'array') assert.ok(node.items !== undefined, `${path}: items`);
      }
    });

    it(`${resource.kind}: unknown fields below spec and status are preserved`, () => {
      for (const part of ['spec', 'status']) {
        for (const [path, node] of nodes(schema.properties?.[part] ?? {}, part)) {
          if (node.type !== 'object') continue;
          const open =
            node['x-kubernetes-preserve-unknown-fields'] === true || isObject(node.additionalProperties);
          assert.ok(open, path);
        }
      }
    });
  }
});

/** Every node of a schema with its path. */
function* nodes(schema: StructuralSchema, path: string): Generator<[string, StructuralSchema]> {
  yield [path, schema];
  for (const [key, child] of Object.entries(schema.properties ?? {})) yield* nodes(child, `${path}.${key}`);
  if (schema.items !== undefined) yield* nodes(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') yield* nodes(schema.additionalProperties, `${path}.*`);
}

const SAMPLES: readonly [name: string, yaml: string][] = [
  [
    'an experiment in the shape of the chart hub',
    `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
description:
  message: |
    Removes a pod
metadata: { name: sample, labels: { name: sample, app.kubernetes.io/part-of: litmus } }
spec:
  definition:
    scope: Namespaced
    permissions:
      - { apiGroups: [""], resources: [pods], verbs: [delete, get] }
    image: "registry.example/go-runner:latest"
    imagePullPolicy: Always
    command: [/bin/bash]
    args: [-c, ./experiments -name sample]
    env:
      - { name: FORCE, value: "true" }
      - { name: PODS_AFFECTED_PERC, value: "" }
      - { name: USER_NAME, valueFrom: { secretKeyRef: { name: vault, key: user } } }
    labels: { name: sample, app.kubernetes.io/component: experiment-job }
    secrets: [{ name: cloud-secret, mountPath: /tmp/ }]
`,
  ],
  [
    'an engine in the shape of the chart hub, with probes',
    `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: web-chaos, namespace: default, annotations: {} }
spec:
  appinfo: { appns: '', applabel: '', appkind: '' }
  engineState: 'active'
  chaosServiceAccount: sample-sa
  auxiliaryAppInfo: ''
  terminationGracePeriodSeconds: 30
  jobCleanUpPolicy: 'retain'
  monitoring: false
  components: { runner: { imagePullPolicy: Always } }
  experiments:
    - name: sample
      spec:
        components:
          env: [{ name: TOTAL_CHAOS_DURATION, value: '30' }]
        probe:
          - name: front
            type: httpProbe
            mode: Continuous
            httpProbe/inputs:
              url: http://front.default.svc
              insecureSkipVerify: false
              method: { get: { criteria: ==, responseCode: "200" } }
            runProperties: { probeTimeout: 1s, interval: 100ms, attempt: 1, probePollingInterval: 1s }
          - name: pods
            type: k8sProbe
            mode: Edge
            k8sProbe/inputs: { group: "", version: v1, resource: pods, namespace: default, operation: present }
            runProperties: { probeTimeout: 1s, interval: 1s, attempt: 3 }
`,
  ],
  [
    'a schedule',
    `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosSchedule
metadata: { name: nightly }
spec:
  schedule:
    repeat:
      timeRange: { startTime: "2026-01-01T00:00:00Z" }
      properties: { minChaosInterval: { hour: { everyNthHour: 2, minuteOfTheHour: 5 } }, random: false }
      workDays: { includedDays: "Mon,Tue" }
      workHours: { includedHours: 0-10 }
  concurrencyPolicy: Forbid
  engineTemplateSpec: { experiments: [{ name: sample }] }
`,
  ],
];

function schemaOf(kind: unknown): StructuralSchema {
  const found = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === kind);
  assert.ok(found, `no schema for kind ${String(kind)}`);
  return found.schema;
}

describe('manifests as users have them', () => {
  for (const [name, yaml] of SAMPLES) {
    it(`${name}: is valid, known and kept whole`, () => {
      const object: Record<string, unknown> = parse(yaml);
      const schema = schemaOf(object.kind);
      assert.deepEqual(validate(schema, object).map(formatFieldError), []);
      assert.deepEqual(findUnknownFields(schema, object), []);
      assert.equal(applyDefaults(schema, object), object);
      assert.equal(prune(schema, object).value, object);
    });
  }

  it('old fields inside a probe are kept', () => {
    const inputs = {
      url: 'http://a',
      responseTimeout: 100,
      method: { get: { criteria: '==', responseCode: '200' } },
    };
    const probe = { name: 'a', type: 'httpProbe', mode: 'SOT', 'httpProbe/inputs': inputs };
    const run = { probeTimeout: '1s', interval: '1s' };
    const spec = { experiments: [{ name: 'a', spec: { probe: [{ ...probe, runProperties: run }] } }] };
    const object = { metadata: { name: 'a' }, spec };
    const schema = schemaOf('ChaosEngine');
    assert.deepEqual(validate(schema, object), []);
    assert.deepEqual(prune(schema, object).pruned, []);
  });

  it('what Go clients write is accepted: empty words and null lists', () => {
    const engine = {
      metadata: { name: 'a', creationTimestamp: null },
      spec: { engineState: '', appinfo: {}, components: { runner: { resources: {} } }, experiments: [] },
      status: { engineStatus: '', experiments: null },
    };
    const schema = schemaOf('ChaosEngine');
    assert.deepEqual(validate(schema, applyDefaults(schema, engine)), []);
  });

  it('words of other versions in a status are no reason to refuse an update', () => {
    const run = {
      name: 'a',
      runner: 'r',
      experimentPod: 'p',
      status: 'Paused',
      verdict: 'Unsure',
      lastUpdateTime: null,
    };
    const status = { engineStatus: 'paused', experiments: [run] };
    const engine = { metadata: { name: 'a' }, spec: { experiments: [] }, status };
    assert.deepEqual(validate(schemaOf('ChaosEngine'), engine), []);
  });
});

describe('bad manifests', () => {
  const cases: readonly [name: string, spec: unknown, problems: readonly string[]][] = [
    ['no experiments', {}, ['spec.experiments: Required value']],
    [
      'a word that is none',
      { experiments: [], engineState: 'paused' },
      ['spec.engineState: Unsupported value: "paused": supported values: "", "active", "stop"'],
    ],
    [
      'a number where text belongs',
      { experiments: [{ name: 'a', spec: { components: { env: [{ name: 'FORCE', value: true }] } } }] },
      [
        'spec.experiments[0].spec.components.env[0].value: Invalid value: "boolean": ' +
          'spec.experiments[0].spec.components.env[0].value in body must be of type string: "boolean"',
      ],
    ],
    [
      'an incomplete probe',
      { experiments: [{ name: 'a', spec: { probe: [{ name: 'p', type: 'http', mode: 'always' }] } }] },
      [
        'spec.experiments[0].spec.probe[0].runProperties: Required value',
        'spec.experiments[0].spec.probe[0].type: Unsupported value: "http": supported values: "httpProbe", ' +
          '"cmdProbe", "k8sProbe", "promProbe", "sloProbe", "loadProbe"',
        'spec.experiments[0].spec.probe[0].mode: Unsupported value: "always": supported values: "SOT", "EOT", ' +
          '"Edge", "Continuous", "OnChaos"',
      ],
    ],
  ];
  for (const [name, spec, problems] of cases) {
    it(name, () => {
      const object = { metadata: { name: 'a' }, spec };
      assert.deepEqual(validate(schemaOf('ChaosEngine'), object).map(formatFieldError), problems);
    });
  }
});
