import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_TEMPLATES } from '@turnsole/workflows/validation/library';
import type { ChaosEngine } from '../../../api/index.ts';
import { parseManifests } from '../../manifests/load.ts';
import { planWorkflow, type WorkflowPlan } from './workflow-plan.ts';

function plan(spec: string): WorkflowPlan {
  const indented = spec.replaceAll(/^/gm, '  ');
  const text = `apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: { generateName: demo- }\nspec:\n${indented}`;
  const problems: Parameters<typeof parseManifests>[2] = [];
  const [manifest] = parseManifests('x.yaml', text, problems);
  assert.ok(manifest !== undefined, JSON.stringify(problems));
  return planWorkflow(manifest, { namespace: 'litmus', library: NO_TEMPLATES });
}

const steps = ({ steps: all }: WorkflowPlan): string[] =>
  all.map(({ number, name, remarks }) => [number, name, ...remarks].join(' | '));

/** A template with an engine in an artifact, and the command of its container. */
const fault = (engine: string, container: string): string => `
entrypoint: f
arguments: { parameters: [{ name: ns, value: shop }, { name: seconds, value: 30 }] }
templates:
  - name: f
    inputs:
      artifacts:
        - name: engine
          path: /tmp/chaosengine.yaml
          raw:
            data: |
${engine.trim().replaceAll(/^/gm, '              ')}
    container: ${container}
`;

const ENGINE = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata:
  generateName: pod-delete-
  namespace: "{{workflow.parameters.ns}}"
  labels: { workflow_run_id: "{{workflow.uid}}" }
spec:
  appinfo: { appns: shop, applabel: app=web, appkind: deployment }
  chaosServiceAccount: admin
  experiments:
    - name: pod-delete
      spec:
        components:
          env:
            - { name: TOTAL_CHAOS_DURATION, value: "{{workflow.parameters.seconds}}" }
            - { name: PODS_AFFECTED_PERC, value: "{{steps.a.outputs.result}}" }
`;
const CHECKER = '{ image: litmuschaos/litmus-checker, args: ["-file=/tmp/chaosengine.yaml"] }';

describe('planWorkflow', () => {
  it('numbers steps in the order in which they begin, those side by side alike', () => {
    const found = plan(`
entrypoint: main
onExit: leaf
templates:
  - name: main
    steps:
      - - { name: a, template: leaf }
      - - { name: b, template: inner }
        - { name: c, template: leaf, when: "{{steps.a.outputs.result}} == yes" }
        - { name: d, template: leaf, withItems: [x, y] }
        - { name: e, template: leaf, withParam: "{{steps.a.outputs.result}}" }
  - name: inner
    dag:
      tasks:
        - { name: last, template: leaf, depends: first.Succeeded }
        - { name: first, template: leaf }
  - name: leaf
    container: { image: i }`);
    assert.deepEqual(steps(found), [
      ' | the workflow',
      '1 | a',
      '2 | b',
      '2.1 | first',
      '2.2 | last | depends on first.Succeeded',
      '2 | c | only when {{steps.a.outputs.result}} == yes',
      '2 | d(0:x)',
      '2 | d(1:y)',
      '2 | e | for each of {{steps.a.outputs.result}}',
      'exit | exit handler',
    ]);
  });

  it('names the elements of a loop as the run does, where their list is known', () => {
    const found = plan(`
entrypoint: main
arguments: { parameters: [{ name: list, value: '[{"os": "linux", "n": 1}, [1, "(x)"]]' }, { name: count, value: "2" }] }
templates:
  - name: main
    steps:
      - - { name: a, template: leaf, withItems: [{ b: 2, a: "{{workflow.parameters.count}}" }] }
        - { name: b, template: leaf, withParam: "{{workflow.parameters.list}}" }
        - { name: c, template: leaf, withSequence: { count: "{{workflow.parameters.count}}", start: 5 } }
        - { name: d, template: leaf, withSequence: { count: 30 } }
        - { name: e, template: leaf, withSequence: { count: "{{steps.z.outputs.result}}" } }
        - { name: f, template: leaf, withItems: [] }
        - { name: g, template: leaf, withParam: "no list" }
        - { name: h, template: leaf, withItems: ["{{steps.z.outputs.result}}", x] }
  - name: leaf
    container: { image: i }`);
    assert.deepEqual(steps(found).slice(1), [
      '1 | a(0:a:2,b:2)',
      '1 | b(0:n:1,os:linux)',
      '1 | b(1:[1 x])',
      '1 | c(0:5)',
      '1 | c(1:6)',
      '1 | d | for each of 30 items',
      '1 | e | for each of a sequence',
      '1 | f',
      '1 | g | for each of no list',
      '1 | h(0:{{steps.z.outputs.result}})',
      '1 | h(1:x)',
    ]);
  });

  it('does not follow a template into itself for ever', () => {
    const found = plan(`
entrypoint: main
templates:
  - name: main
    steps: [[{ name: again, template: main }]]`);
    assert.match(steps(found).at(-1) ?? '', /calls itself; not followed any further/);
    assert.equal(found.steps.length, 21);
  });

  it('sees the engine of an artifact, with what is known of its tags', () => {
    const { engines, warnings, inner } = plan(fault(ENGINE, CHECKER));
    const engine = engines[0]?.object as ChaosEngine;
    assert.deepEqual(
      [engine.metadata.name, engine.metadata.namespace, engine.metadata.labels],
      ['pod-delete', 'shop', {}],
    );
    const env = engine.spec.experiments[0]?.spec?.components?.env;
    assert.deepEqual(
      env?.map(({ value }) => value),
      ['30', ''],
    );
    assert.equal(inner[0]?.appliedBy, 'litmus-checker');
    assert.deepEqual(engines[0]?.within, { step: 'the workflow', source: 'artifact engine' });
    assert.deepEqual(warnings, [
      'step the workflow: ChaosEngine pod-delete in artifact engine: spec.experiments[0].spec.components.env[1].value is only known at run time ({{steps.a.outputs.result}}); planned with the default',
    ]);
  });

  const APPLIED: readonly {
    readonly name: string;
    readonly container: string;
    readonly by: string | undefined;
    readonly into?: string;
  }[] = [
    {
      name: 'kubectl with the file',
      container: '{ image: k, command: [sh, -c], args: ["kubectl apply -f /tmp/chaosengine.yaml"] }',
      by: 'kubectl',
    },
    {
      name: 'kubectl with the file, below the root of the pod',
      container:
        '{ image: k, command: [sh, -c], args: ["kubectl apply -f $TURNSOLE_POD_ROOT/tmp/chaosengine.yaml"] }',
      by: 'kubectl',
    },
    {
      name: 'kubectl with the folder, into a namespace',
      container:
        '{ image: k, command: [sh, -c], args: ["kubectl apply -f /tmp/ -n {{workflow.parameters.ns}} && sleep 30"] }',
      by: 'kubectl',
      into: 'shop',
    },
    {
      name: 'kubectl with another file',
      container: '{ image: k, command: [sh, -c], args: ["kubectl apply -f /tmp/chaos"] }',
      by: undefined,
    },
    {
      name: 'a command that reads it',
      container: '{ image: k, command: [cat, /tmp/chaosengine.yaml] }',
      by: undefined,
    },
  ];
  for (const { name, container, by, into } of APPLIED) {
    it(`tells how it gets into the cluster: ${name}`, () => {
      const { inner, warnings } = plan(fault(ENGINE, container));
      assert.deepEqual([inner[0]?.appliedBy, inner[0]?.into], [by, into]);
      assert.equal(
        warnings.some((warning) => warning.includes('nothing is seen in the step')),
        by === undefined,
      );
    });
  }

  it('sees the engine of a resource template, and does not plan one whose targets are known at run time', () => {
    const found = plan(`
entrypoint: f
templates:
  - name: f
    inputs: { parameters: [{ name: label }] }
    resource:
      action: create
      manifest: |
${ENGINE.trim().replace('app=web', '"{{inputs.parameters.label}}"').replaceAll(/^/gm, '        ')}`);
    assert.equal(found.inner[0]?.appliedBy, 'resource create');
    assert.deepEqual(found.engines, []);
    assert.match(
      found.warnings.join('\n'),
      /cannot be planned: spec\.appinfo\.applabel is only known at run time \(\{\{inputs\.parameters\.label\}\}\)/,
    );
  });
});
