import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from './play.ts';

const CHECKED = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: nightly }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: count, template: count }
        - - { name: many, template: restore, when: '{{steps.count.outputs.result}} > 3' }
          - { name: few, template: report, when: '{{steps.count.outputs.result}} <= 3' }
    - { name: count, script: { image: python, command: [python], source: print(4) } }
    - name: restore
      retryStrategy: { limit: 2, backoff: { duration: 5m } }
      container: { image: restore, command: [restore] }
    - { name: report, container: { image: mail, command: [mail] } }
`;

/** Templates of the pods that are asked for. */
function templates(pods: readonly string[]): readonly (string | undefined)[] {
  return pods.map((pod) => /^nightly-([a-z]+)-\d+$/.exec(pod)?.[1]);
}

test('more than three: it is restored, at the third attempt', () => {
  let attempts = 0;
  const { phase, pods } = play(CHECKED, (template) => {
    if (template === 'count') return { exitCode: 0, result: '4' };
    attempts += 1;
    return { exitCode: attempts < 3 ? 1 : 0 };
  });
  assert.equal(phase, 'Succeeded');
  assert.deepEqual(templates(pods), ['count', 'restore', 'restore', 'restore']);
});

test('not more than three: a report is all', () => {
  const { phase, pods } = play(CHECKED, () => ({ exitCode: 0, result: '3' }));
  assert.deepEqual([phase, templates(pods)], ['Succeeded', ['count', 'report']]);
});

test('what fails too often fails the workflow', () => {
  const { phase, pods } = play(CHECKED, (template) =>
    template === 'count' ? { exitCode: 0, result: '9' } : { exitCode: 1 },
  );
  assert.deepEqual([phase, pods.length], ['Failed', 4]);
});

test('a step of a template that is not there is named before anything begins', () => {
  const broken = CHECKED.replace('template: report,', 'template: raport,');
  assert.throws(() => play(broken, () => ({ exitCode: 0 })), /steps\[1\]\[1\].*: .*'raport' undefined/);
});
