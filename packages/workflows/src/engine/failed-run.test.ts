import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyDecision, decide } from './decide.ts';
import { failedRun } from './failed-run.ts';
import { Player, runningPod } from './testing/player.ts';

test('a run on which the engine failed ends: open nodes are errors, their pods are ended, nothing goes on', () => {
  const player = new Player(`
entrypoint: main
templates:
- name: main
  steps:
  - - {name: a, template: leaf}
    - {name: b, template: leaf}
  - - {name: c, template: leaf}
- {name: leaf, container: {image: x}}
`);
  player.finish('a', 'Succeeded');
  const b = player.node('b');
  player.feed({ kind: 'podChanged', node: b.id, pod: runningPod() });
  const decision = failedRun(player.run, 'internal error in workflow n/w', player.now);
  applyDecision(player.run, decision);
  assert.equal(player.result, 'Error: internal error in workflow n/w');
  assert.deepEqual(
    ['w', '[0]', 'a', 'b'].map((name) => player.node(name).phase),
    ['Error', 'Error', 'Succeeded', 'Error'],
  );
  assert.deepEqual(decision.actions, [
    { kind: 'endPod', node: b.id, isPending: false },
    { kind: 'releaseLocks', node: '' },
  ]);
  assert.deepEqual(decide(player.run, { kind: 'look' }, player.now).nodes, []);
});
