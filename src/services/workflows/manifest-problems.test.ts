import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseManifests } from '../manifests/load.ts';
import { checkWorkflows } from './manifest-problems.ts';

const MISSPELT = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: w-}
spec:
  entrypoint: main
  arguments: {parameters: [{name: later}]}
  templates:
  - name: main
    retryStrtegy: {limit: 1}
    dag:
      tasks:
      - {name: a, template: leaf}
      - {name: b, template: leaf, dependecies: [a]}
  - name: leaf
    container:
      image: i
      someExtraField: x
`;

test('a strict check names fields that nothing reads, with their places and what was meant', () => {
  const manifests = parseManifests('w.yaml', MISSPELT, []);
  const { problems } = checkWorkflows(manifests, undefined, { isLint: true, isStrict: true });
  assert.deepEqual(
    problems.map(({ line, field, message }) => `${line} ${field}: ${message}`),
    [
      '9 spec.templates[0].retryStrtegy: unknown field; did you mean "retryStrategy"?',
      '13 spec.templates[0].dag.tasks[1].dependecies: unknown field; did you mean "dependencies"?',
      '17 spec.templates[1].container.someExtraField: unknown field, ignored',
    ],
  );
  assert.deepEqual(checkWorkflows(manifests, undefined, { isLint: true }).problems, []);
});

test('what is to run has values for all of its arguments', () => {
  const { problems } = checkWorkflows(parseManifests('w.yaml', MISSPELT, []));
  assert.deepEqual(
    problems.map(({ field }) => field),
    ['spec.arguments.parameters[0]'],
  );
});
