import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Player } from '@turnsole/workflows/engine/testing/player';
import { parseNodeSelector } from './node-selector.ts';
import { treesOf } from './tree.ts';

const LEAF = `
  - name: pod
    container: {image: i}`;

function drawn({ run }: Player, selector = ''): string[] {
  const trees = treesOf('w', Object.fromEntries(run.nodes), parseNodeSelector(selector));
  return trees.flatMap((rows) =>
    rows.map(({ branch, node }) => `${branch}${node.displayName} ${node.phase}`),
  );
}

const STEPS = `
entrypoint: main
onExit: pod
templates:
  - name: main
    steps:
      - - {name: a, template: pod}
      - - {name: b, template: inner}
        - {name: c, template: pod, when: 1 == 2}
        - {name: d, template: tried}
      - - {name: e, template: pod}
  - name: inner
    steps:
      - - {name: x, template: pod, withItems: [1, 2]}
      - - {name: y, template: pod}
  - name: tried
    retryStrategy: {limit: 1}
    container: {image: i}${LEAF}`;

function played(): Player {
  const player = new Player(STEPS);
  player.finish('a', 'Succeeded');
  player.finish('x(0:1)', 'Succeeded');
  player.finish('x(1:2)', 'Succeeded');
  player.finish('y', 'Succeeded');
  player.finish('d(0)', 'Failed');
  player.finish('d(1)', 'Succeeded');
  player.finish('e', 'Failed');
  return player;
}

describe('treesOf', () => {
  it('draws groups side by side, below one another what came after, and the exit handler by itself', () => {
    assert.deepEqual(drawn(played()), [
      'w Failed',
      '├───a Succeeded',
      '├─┬─b Succeeded',
      '│ │ ├─┬─x(0:1) Succeeded',
      '│ │ │ └─x(1:2) Succeeded',
      '│ │ └───y Succeeded',
      '│ ├─c Skipped',
      '│ └─d Succeeded',
      '│   ├─d(0) Failed',
      '│   └─d(1) Succeeded',
      '└───e Failed',
      'w.onExit Pending',
    ]);
  });

  it('shows a Retry of one attempt as that attempt', () => {
    const player = new Player(STEPS);
    player.finish('a', 'Succeeded');
    assert.ok(drawn(player).includes('  └─d(0) Pending'));
  });

  it('draws tasks of a dag without those that were omitted, and hooks of the workflow', () => {
    const player = new Player(`
entrypoint: main
hooks:
  running: {template: pod, expression: workflow.status == "Running"}
templates:
  - name: main
    dag:
      failFast: false
      tasks:
        - {name: a, template: pod}
        - {name: b, template: pod, depends: a}
        - {name: c, template: pod}${LEAF}`);
    player.finish('a', 'Failed');
    assert.deepEqual(drawn(player), ['w Running', '├─a Failed', '└─c Pending', 'w.hooks.running Pending']);
  });

  const SELECTED: readonly { readonly selector: string; readonly rows: readonly string[] }[] = [
    { selector: 'displayName=y', rows: ['w Failed', '└───b Succeeded', '    └───y Succeeded'] },
    { selector: 'phase=Failed,templateName!=tried', rows: ['w Failed', '└───e Failed'] },
    { selector: 'inputs.parameters.p.value=1', rows: [] },
  ];
  for (const { selector, rows } of SELECTED) {
    it(`shows what ${selector} selects, and what leads there`, () => {
      assert.deepEqual(drawn(played(), selector), rows);
    });
  }

  it('refuses a selector of a field that nodes do not have', () => {
    assert.throws(
      () => parseNodeSelector('color=red'),
      /cannot be selected by color; expected one of displayName/,
    );
    assert.throws(() => parseNodeSelector('phase'), /--node-field-selector: invalid selector/);
  });
});
