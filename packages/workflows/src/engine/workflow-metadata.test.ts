import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Player, START } from './testing/player.ts';
import { workflowMetadata } from './workflow-metadata.ts';

const SPEC = `
entrypoint: main
arguments: {parameters: [{name: team, value: blue}]}
templates: [{name: main, suspend: {}}]
`;

test('labels of expressions stand beside those that are written', () => {
  const { run } = new Player(`${SPEC}
workflowMetadata:
  labels: {a: b}
  annotations: {c: d}
  labelsFrom: {team: {expression: "workflow.parameters.team + '-team'"}}
`);
  assert.deepEqual(workflowMetadata(run, START), {
    labels: { a: 'b', team: 'blue-team' },
    annotations: { c: 'd' },
  });
});

test('without the field there is nothing', () => {
  assert.deepEqual(workflowMetadata(new Player(SPEC).run, START), {});
});

test('a label that is no text is refused by name', () => {
  const { run } = new Player(`${SPEC}
workflowMetadata: {labelsFrom: {team: {expression: "1 + 1"}}}
`);
  assert.throws(() => workflowMetadata(run, START), {
    message: 'failed to evaluate label "team" expression "1 + 1" evaluated to 2 but must be a string',
  });
});
