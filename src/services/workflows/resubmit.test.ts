import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Player } from '@turnsole/workflows/engine/testing/player';
import { nodeId } from '@turnsole/workflows/kinds/pod-names';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { resubmissionOf } from './resubmit.ts';

const SPEC = `
entrypoint: main
onExit: bye
templates:
  - name: main
    steps:
      - - {name: a, template: pod}
      - - {name: b, template: pod}
        - {name: c, template: pod}
  - name: pod
    container: {image: i}
  - name: bye
    container: {image: i}`;

function failed(): Workflow {
  const player = new Player(SPEC);
  player.finish('a', 'Succeeded', { result: 'from a', parameters: [{ name: 'p', value: '1' }] });
  player.finish('b', 'Failed');
  player.finish('c', 'Succeeded');
  player.finish('w.onExit', 'Succeeded');
  const { workflow, status, nodes } = player.run;
  const labels = {
    'workflows.argoproj.io/completed': 'true',
    'workflows.argoproj.io/phase': 'Failed',
    'workflows.argoproj.io/creator': 'me',
    own: 'x',
  };
  return {
    ...workflow,
    metadata: { ...workflow.metadata, labels },
    spec: { ...workflow.spec, shutdown: 'Stop', activeDeadlineSeconds: 0 },
    status: { ...status, nodes: Object.fromEntries(nodes) },
  };
}

describe('resubmissionOf', () => {
  it('is the same spec under a new name, without what the earlier run has written', () => {
    const fresh = resubmissionOf(failed(), {
      parameters: new Map([['p', 'v']]),
      suffix: 'abcde',
      priority: 3,
    });
    assert.deepEqual(fresh.metadata, {
      generateName: 'w-',
      namespace: 'n',
      labels: { own: 'x', 'workflows.argoproj.io/resubmitted-from-workflow': 'w' },
    });
    assert.equal(fresh.status, undefined);
    const { shutdown, activeDeadlineSeconds, arguments: args, priority, templates } = fresh.spec;
    assert.deepEqual([shutdown, activeDeadlineSeconds, priority], [undefined, undefined, 3]);
    assert.deepEqual(args, { parameters: [{ name: 'p', value: 'v' }] });
    assert.equal(templates?.length, 3);
  });

  it('takes over what pods have done, and runs the rest', () => {
    const fresh = resubmissionOf(failed(), { parameters: new Map(), suffix: 'abcde', memoized: true });
    assert.deepEqual([fresh.metadata.name, fresh.metadata.generateName], ['w-abcde', undefined]);
    const nodes = Object.values(fresh.status?.nodes ?? {});
    assert.deepEqual(
      nodes.map(({ name, type, phase, message }) => [name, type, phase, message]),
      [
        ['w-abcde', 'Steps', 'Pending', undefined],
        ['w-abcde[0]', 'StepGroup', 'Pending', undefined],
        ['w-abcde[0].a', 'Skipped', 'Skipped', `original pod: ${nodeId('w', 'w[0].a')}`],
        ['w-abcde[1]', 'StepGroup', 'Pending', undefined],
        ['w-abcde[1].b', 'Pod', 'Pending', undefined],
        ['w-abcde[1].c', 'Skipped', 'Skipped', `original pod: ${nodeId('w', 'w[1].c')}`],
      ],
    );
    // Every edge leads to a node that there is.
    const ids = new Set(nodes.map(({ id }) => id));
    for (const { id, children = [], boundaryID } of nodes) {
      assert.ok(id.startsWith('w-abcde'));
      assert.deepEqual(
        [...children, ...(boundaryID === undefined ? [] : [boundaryID])].filter((to) => !ids.has(to)),
        [],
      );
    }
    assert.equal(nodes[2]?.outputs?.result, 'from a');
  });

  it('goes on from there, by the engine itself', () => {
    const workflow = failed();
    // The player knows one name.
    const named = { ...workflow, metadata: { ...workflow.metadata, generateName: '' } };
    const fresh = resubmissionOf(named, { parameters: new Map(), suffix: 'w', memoized: true });
    const player = new Player(SPEC, {}, fresh.status);
    player.finish('b', 'Succeeded');
    player.finish('w.onExit', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
    assert.deepEqual(player.pods('Succeeded'), ['b', 'w.onExit']);
  });

  it('refuses to take over results of one that has not failed', () => {
    const running = { ...failed(), status: { phase: 'Running' as const } };
    assert.throws(
      () => resubmissionOf(running, { parameters: new Map(), suffix: 'x', memoized: true }),
      /it is Running, neither Failed nor Error; without --memoized all of it runs again/,
    );
  });
});
