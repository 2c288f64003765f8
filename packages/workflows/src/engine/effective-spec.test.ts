import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow, WorkflowTemplate } from '../kinds/workflow.ts';
import { effectiveSpec } from './effective-spec.ts';

const TEMPLATE: WorkflowTemplate = {
  metadata: { name: 't' },
  spec: {
    entrypoint: 'main',
    serviceAccountName: 'below',
    arguments: {
      parameters: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ],
    },
    templates: [{ name: 'main' }],
  },
};

function workflow(spec: Workflow['spec'], status?: Workflow['status']): Workflow {
  return { metadata: { name: 'w' }, spec, ...(status && { status }) };
}

const none = new Map();
const facts = {
  workflowTemplates: new Map([['t', TEMPLATE]]),
  clusterWorkflowTemplates: none,
  parameterConfigMaps: none,
};

test("the workflow's own fields win, and parameters are merged by name", () => {
  const spec = effectiveSpec(
    workflow({
      workflowTemplateRef: { name: 't' },
      serviceAccountName: 'own',
      arguments: { parameters: [{ name: 'b', value: '3' }] },
    }),
    facts,
  );
  assert.equal(spec.serviceAccountName, 'own');
  assert.equal(spec.entrypoint, 'main');
  assert.deepEqual(spec.arguments?.parameters, [
    { name: 'b', value: '3' },
    { name: 'a', value: '1' },
  ]);
});

test('what was stored when it began wins over the template of today; clients still control it', () => {
  const stored = { entrypoint: 'main', templates: [{ name: 'main', daemon: true }] };
  const spec = effectiveSpec(
    workflow(
      { workflowTemplateRef: { name: 't' }, shutdown: 'Stop' },
      { storedWorkflowTemplateSpec: stored },
    ),
    facts,
  );
  assert.deepEqual(spec, { ...stored, shutdown: 'Stop' });
});

test('a template that is not there is named', () => {
  assert.throws(
    () => effectiveSpec(workflow({ workflowTemplateRef: { name: 'x', clusterScope: true } }), facts),
    /clusterworkflowtemplates\.argoproj\.io "x" not found/,
  );
});
