import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_TEMPLATES } from '@turnsole/workflows/validation/library';
import { parseManifests } from '../../../services/manifests/load.ts';
import { planDocument } from '../../../services/plan/plan-document.ts';
import { type CheckedWorkflowPlan, planWorkflows } from '../../../services/plan/workflow-plans.ts';
import { formatWorkflowPlan } from './plan.ts';

const WORKFLOW = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: demo }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: install, templateRef: { name: lib, template: install } }
        - - { name: a, template: leaf }
          - { name: b, template: TEMPLATE, when: "1 == 1" }
    - name: leaf
      container: { image: i }
`;
const LIBRARY = `---
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: { name: lib }
spec:
  templates:
    - name: install
      inputs:
        artifacts:
          - name: x
            path: /tmp/x.yaml
            raw: { data: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: { name: cm }\\n" }
      container: { image: k8s, command: [sh, -c], args: ["kubectl apply -f /tmp/"] }
`;

function planOf(template: string): CheckedWorkflowPlan[] {
  const manifests = parseManifests('x.yaml', WORKFLOW.replace('TEMPLATE', template) + LIBRARY, []);
  const [workflows, others] = [manifests.slice(0, 1), manifests.slice(1)];
  return planWorkflows(workflows, { others, namespace: 'shop', library: NO_TEMPLATES });
}

describe('the plan of a workflow', () => {
  it('says which steps run in which order, and what they bring along', () => {
    assert.deepEqual(planOf('leaf').flatMap(formatWorkflowPlan), [
      'Workflow shop/demo',
      '     STEP          TEMPLATE',
      '  ·  the workflow  main',
      '  1  install       install   ConfigMap cm by kubectl',
      '  2  a             leaf',
      '  2  b             leaf      only when 1 == 1',
      '  steps with the same number run side by side; nothing was run',
    ]);
  });

  it('says what validation finds, with the line, and that a run would be refused', () => {
    const plans = planOf('gone');
    const lines = plans.flatMap(formatWorkflowPlan).slice(-2);
    assert.deepEqual(lines, [
      '  1 problem; a run would be refused:',
      "    x.yaml:12: Workflow demo: spec.templates[0].steps[1][1]: templates.main.steps[1].b template name 'gone' undefined [WORKFLOW_INVALID]",
    ]);
    const { exitCode, wouldRun, workflows } = planDocument([], plans, []);
    assert.deepEqual([exitCode, wouldRun, workflows?.[0]?.wouldRun], [2, false, false]);
  });

  it('stands in the document beside the engines', () => {
    const { exitCode, workflows = [] } = planDocument([], planOf('leaf'), []);
    assert.equal(exitCode, 0);
    assert.deepEqual(workflows[0]?.steps[1], {
      number: '1',
      name: 'install',
      template: 'install',
      isLeaf: true,
      remarks: [],
      brings: [{ kind: 'ConfigMap', name: 'cm', source: 'artifact x', appliedBy: 'kubectl' }],
    });
  });
});
