import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepManifest } from './step-manifest.ts';

const ENGINE = 'apiVersion: litmuschaos.io/v1alpha1\nkind: ChaosEngine\nspec: {}\n';
const templates = [
  { name: 'main', steps: [] },
  { name: 'pod-delete', inputs: { artifacts: [{ raw: { data: 'x' } }, { raw: { data: ENGINE } }] } },
];
const workflow = JSON.stringify({ kind: 'Workflow', spec: { templates } });
const cron = JSON.stringify({ kind: 'CronWorkflow', spec: { workflowSpec: { templates } } });
const engine = JSON.stringify({ kind: 'ChaosEngine', spec: { experiments: [] } });

const STEPS: readonly [
  name: string,
  manifest: string,
  step: string,
  what: string | undefined,
  text: RegExp,
][] = [
  ['a fault of a workflow', workflow, 'pod-delete', 'engine', /^apiVersion/],
  ['a fault of a scheduled workflow', cron, 'pod-delete', 'engine', /^apiVersion/],
  ['another step', workflow, 'main', 'template', /"steps": \[\]/],
  ['a step that is not there', workflow, 'none', undefined, /^$/],
  ['an engine without a workflow', engine, 'pod-delete', 'manifest', /"experiments": \[\]/],
  ['no manifest', '', 'pod-delete', undefined, /^$/],
  ['something else', '[1]', 'pod-delete', undefined, /^$/],
];
for (const [name, manifest, step, what, text] of STEPS) {
  test(`the manifest of a step: ${name}`, () => {
    const found = stepManifest(manifest, step);
    assert.equal(found?.what, what);
    assert.match(found?.text ?? '', text);
  });
}
