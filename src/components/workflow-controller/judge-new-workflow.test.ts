import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts } from '@turnsole/workflows/engine/run';
import { decodeWorkflowTemplate } from '@turnsole/workflows/kinds/decode/workflow';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { judgeNewWorkflow } from './judge-new-workflow.ts';

const OK = { name: 'ok', container: { image: 'i' } };
/** A library whose parameters are a map, which nothing can read. */
const MALFORMED = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'WorkflowTemplate',
  metadata: { name: 'malformed', namespace: 'n' },
  spec: { entrypoint: 'ok', arguments: { parameters: { a: 'b' } }, templates: [OK] },
};

function refusal(spec: object): string | undefined {
  const facts: Facts = {
    workflowTemplates: new Map([['malformed', decodeWorkflowTemplate(MALFORMED)]]),
    clusterWorkflowTemplates: new Map(),
    parameterConfigMaps: new Map(),
  };
  const served = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w', namespace: 'n' },
    spec,
  };
  // As a client may write it, whatever its type says.
  const seen = judgeNewWorkflow(served as unknown as Workflow, facts, undefined);
  return seen.kind === 'refused' ? `${seen.phase}: ${seen.message}` : undefined;
}

const ROWS: readonly [about: string, spec: object, expected: string][] = [
  [
    'a map in place of a list',
    { entrypoint: 'ok', arguments: { parameters: { a: 'b' } }, templates: [OK] },
    'Failed: invalid spec: spec.arguments.parameters: expected a list, found an object',
  ],
  [
    'steps that are not in groups',
    { entrypoint: 'm', templates: [{ name: 'm', steps: [{ name: 'a', template: 'ok' }] }, OK] },
    'Failed: invalid spec: spec.templates[0].steps[0]: expected a list, found an object',
  ],
  [
    'a text in place of a boolean, which would count as true',
    { entrypoint: 'm', templates: [{ ...OK, name: 'm', daemon: 'false' }] },
    'Failed: invalid spec: spec.templates[0].daemon: expected a boolean, found the text "false"',
  ],
  [
    'a reference to a library that is malformed',
    { workflowTemplateRef: { name: 'malformed' } },
    'Failed: invalid spec: spec.entrypoint is required',
  ],
];

for (const [about, spec, expected] of ROWS) {
  test(`is refused with its place: ${about}`, () => assert.equal(refusal(spec), expected));
}
