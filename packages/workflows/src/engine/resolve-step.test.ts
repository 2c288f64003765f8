import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Artifact } from '../kinds/parameters.ts';
import { Player } from './testing/player.ts';

const LEAVES = `
- name: ok
  container: {image: i}
- name: echo
  inputs: {parameters: [{name: m}]}
  container: {image: i, args: ['{{inputs.parameters.m}}']}
- name: file
  inputs: {artifacts: [{name: f, path: /f}]}
  container: {image: i}
- name: list
  inputs: {parameters: [{name: m}, {name: more, value: '["y"]'}]}
  steps: [[{name: inner, template: echo, withParam: '{{=concat([inputs.parameters.m], fromJSON(inputs.parameters.more), [workflow.parameters.d])}}', arguments: {parameters: [{name: m, value: '{{=item + inputs.parameters.m}}'}]}}]]
`;

function steps(body: string): Player {
  return new Player(`
entrypoint: main
arguments: {parameters: [{name: d, value: HELLO}, {name: flag, value: 'false'}]}
templates:
${LEAVES}
- name: main
  inputs: {parameters: [{name: own, value: mine}]}
  steps:
${body}`);
}

function dag(tasks: string): Player {
  return new Player(`
entrypoint: main
arguments: {parameters: [{name: d, value: HELLO}, {name: flag, value: 'false'}]}
templates:
${LEAVES}
- name: main
  inputs: {parameters: [{name: own, value: mine}]}
  dag:
    tasks:
${tasks}`);
}

function argument(player: Player, node: string): string | undefined {
  return player.node(node).inputs?.parameters?.[0]?.value;
}

function artifact(player: Player, node: string): Artifact | undefined {
  return player.node(node).inputs?.artifacts?.[0];
}

describe('an expression with item and another scope', () => {
  const rows: readonly [expression: string, a: string, b: string][] = [
    ['item.b != nil ? string(item.b) : workflow.parameters.d', 'HELLO', '3'],
    ['item.b ?? inputs.parameters.own', 'mine', '3'],
    ['string(item.a) + workflow.name', '1w', '2w'],
    ['string(item.a) + steps.first.outputs.result', '1out', '2out'],
    ['item.b == nil ? "none" : workflow.parameters.d', 'none', 'HELLO'],
  ];
  for (const [expression, a, b] of rows) {
    test(`in an argument: ${expression}`, () => {
      const player = steps(`
  - [{name: first, template: ok}]
  - - {name: each, template: echo, withItems: [{a: 1}, {a: 2, b: 3}], arguments: {parameters: [{name: m, value: '{{=${expression}}}'}]}}`);
      player.finish('first', 'Succeeded', { result: 'out' });
      assert.equal(argument(player, 'each(0:a:1)'), a);
      assert.equal(argument(player, 'each(1:a:2,b:3)'), b);
    });
  }

  test('of a task', () => {
    const player = dag(`
    - {name: first, template: ok}
    - {name: each, dependencies: [first], template: echo, withItems: [x], arguments: {parameters: [{name: m, value: '{{=item + tasks.first.outputs.result}}'}]}}`);
    player.finish('first', 'Succeeded', { result: 'out' });
    assert.equal(argument(player, 'each(0:x)'), 'xout');
  });

  test('in a condition', () => {
    const player = steps(`
  - - {name: each, template: ok, withItems: [HELLO, b], when: '{{=item == workflow.parameters.d}}'}`);
    assert.deepEqual(player.pods('Pending'), ['each(0:HELLO)']);
    assert.equal(player.node('each(1:b)').message, "when 'false' evaluated false");
  });

  test('in the list of a nested loop', () => {
    const player = steps(`
  - - {name: each, template: list, withItems: [x], arguments: {parameters: [{name: m, value: '{{item}}'}]}}`);
    assert.deepEqual(player.pods('Pending'), ['inner(0:x)', 'inner(1:y)', 'inner(2:HELLO)']);
    assert.equal(argument(player, 'inner(2:HELLO)'), 'HELLOx');
  });

  test('in the key of an artifact, and in the name of what it is taken from', () => {
    const player = steps(`
  - - {name: each, template: file, withItems: [x], arguments: {artifacts: [{name: f, s3: {key: '{{=item + workflow.parameters.d}}'}}]}}`);
    assert.deepEqual(artifact(player, 'each(0:x)')?.['s3'], { key: 'xHELLO' });
    const taken = steps(`
  - - {name: gen-x, template: ok}
  - - {name: each, template: file, withItems: [x], arguments: {artifacts: [{name: f, from: '{{steps.gen-{{item}}.outputs.artifacts.o}}', subPath: '{{item}}'}]}}`);
    taken.finish('gen-x', 'Succeeded', { artifacts: [{ name: 'o', s3: { key: 'k' } }] });
    assert.deepEqual(artifact(taken, 'each(0:x)')?.['s3'], { key: 'k/x' });
  });
});

describe('an expression that is left over never reaches a container', () => {
  const rows: readonly [place: string, body: string][] = [
    [
      'in an argument',
      "{name: a, template: echo, arguments: {parameters: [{name: m, value: '{{=workflow.parameters.zz}}'}]}}",
    ],
    ['in a template', "{name: a, inline: {container: {image: i, args: ['{{=inputs.parameters.zz}}']}}}"],
    ['with item outside of a loop', "{name: a, inline: {container: {image: i, args: ['{{=item.x}}']}}}"],
  ];
  for (const [place, body] of rows) {
    test(place, () => {
      const player = steps(`  - [${body}]`);
      assert.equal(player.node('a').phase, 'Error');
      assert.match(player.node('a').message ?? '', /failed to resolve \{\{=.*(?:zz|item\.x)\}\}/);
      assert.deepEqual(
        player.actions.filter(({ kind }) => kind === 'createPod'),
        [],
      );
    });
  }

  test('but the names of other languages do', () => {
    const player = steps(`  - [{name: a, inline: {container: {image: i, args: ['{{=site.title}}']}}}]`);
    assert.equal(player.node('a').phase, 'Pending');
  });

  test('in a condition the message names it', () => {
    const player = steps(`  - [{name: a, template: ok, when: '{{=workflow.parameters.zz}} == 1'}]`);
    assert.match(player.result, /failed to resolve \{\{=workflow\.parameters\.zz\}\}/);
  });
});

describe('what does not run needs nothing', () => {
  const FLAG = "when: '{{workflow.parameters.flag}} == true'";

  test('a skipped loop over the output of a skipped step', () => {
    const player = steps(`
  - - {name: gen, template: ok, ${FLAG}}
  - - {name: each, template: echo, ${FLAG}, withParam: '{{steps.gen.outputs.result}}', arguments: {parameters: [{name: m, value: '{{item}}'}]}}
  - - {name: last, template: ok}`);
    assert.equal(player.node('each').phase, 'Skipped');
    assert.equal(player.node('each').message, "when 'false == true' evaluated false");
    player.finish('last', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
  });

  test('the same of tasks', () => {
    const player = dag(`
    - {name: gen, template: ok, ${FLAG}}
    - {name: each, depends: gen, template: echo, ${FLAG}, withParam: '{{tasks.gen.outputs.result}}', arguments: {parameters: [{name: m, value: '{{item}}'}]}}
    - {name: last, depends: each, template: ok}`);
    assert.equal(player.node('each').phase, 'Skipped');
    player.finish('last', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
  });

  test('a loop over the output of a skipped step is an error where it would run: nothing says what the list is', () => {
    const player = steps(`
  - - {name: gen, template: ok, ${FLAG}}
  - - {name: each, template: echo, withParam: '{{steps.gen.outputs.result}}', arguments: {parameters: [{name: m, value: '{{item}}'}]}}`);
    assert.match(
      player.node('[1]').message ?? '',
      /\{\{steps\.gen\.outputs\.result\}\}: output is an absent optional/,
    );
    assert.match(player.result, /^Failed: /);
  });

  test('a skipped loop whose list is known has a node for each element, whatever their arguments need', () => {
    const player = steps(`
  - - {name: gen, template: ok, ${FLAG}}
  - - {name: each, template: echo, ${FLAG}, withItems: [x, y], arguments: {parameters: [{name: m, value: 'a {{steps.gen.outputs.result}}'}]}}`);
    assert.equal(player.node('each(0:x)').phase, 'Skipped');
    assert.equal(player.node('each(1:y)').phase, 'Skipped');
    assert.equal(player.result, 'Succeeded');
  });

  test('an element that its condition skips', () => {
    const player = steps(`
  - - {name: each, template: file, withItems: [y, x], when: '{{item}} == x', arguments: {artifacts: [{name: f, from: '{{steps.each-{{item}}.outputs.artifacts.o}}', optional: true}]}}`);
    assert.equal(player.node('each(0:y)').phase, 'Skipped');
  });
});

describe('what is called is filled in', () => {
  const library = new Map([
    [
      'lib',
      {
        metadata: { name: 'lib' },
        spec: {
          templates: [
            { name: 'big', container: { image: 'b' } },
            { name: 'x', container: { image: 'x' } },
          ],
        },
      },
    ],
  ]);
  const call = 'templateRef: {name: "{{workflow.parameters.lib}}", template: "{{inputs.parameters.size}}"}';
  const of = (body: string): Player => {
    const spec = `
entrypoint: main
arguments: {parameters: [{name: lib, value: lib}]}
templates:
- name: main
  inputs: {parameters: [{name: size, value: big}]}
  ${body}`;
    return new Player(spec, {}, undefined, library);
  };
  const rows: readonly [about: string, body: string, node: string, template: string][] = [
    ['a step', `steps: [[{name: a, ${call}}]]`, 'a', 'big'],
    ['a task', `dag: {tasks: [{name: a, ${call}}]}`, 'a', 'big'],
    [
      'an element of a loop',
      'steps: [[{name: a, withItems: [x], templateRef: {name: lib, template: "{{item}}"}}]]',
      'a(0:x)',
      'x',
    ],
    [
      'the only element of a loop of tasks',
      'dag: {tasks: [{name: a, withItems: [x], templateRef: {name: lib, template: "{{item}}"}}]}',
      'a(0:x)',
      'x',
    ],
  ];
  for (const [about, body, node, template] of rows) {
    test(about, () => {
      const player = of(body);
      assert.deepEqual(player.node(node).templateRef, { name: 'lib', template });
      player.finish(node, 'Succeeded');
      assert.equal(player.result, 'Succeeded');
    });
  }

  test('a hook', () => {
    const player = of(`steps: [[{name: a, inline: {container: {image: i}}, hooks: {exit: {${call}}}}]]`);
    player.finish('a', 'Succeeded');
    assert.deepEqual(player.node('a.onExit').templateRef, { name: 'lib', template: 'big' });
  });

  test('the names of steps and tasks', () => {
    const player = of(
      'dag: {tasks: [{name: "run-{{inputs.parameters.size}}", inline: {container: {image: i}}}, {name: b, dependencies: ["run-{{inputs.parameters.size}}"], inline: {container: {image: i}}}]}',
    );
    player.finish('run-big', 'Succeeded');
    player.finish('b', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
  });

  test('but what a task would give itself never is', () => {
    const player = dag(`
    - {name: a, template: file, arguments: {artifacts: [{name: f, raw: {data: '{{tasks.a.outputs.result}}'}}]}}`);
    assert.match(player.node('a').message ?? '', /failed to resolve \{\{tasks\.a\.outputs\.result\}\}/);
  });
});

describe('outputs whose values the template gives', () => {
  const MADE =
    'inputs: {parameters: [{name: v}]}, container: {image: i}, outputs: {parameters: [{name: d, value: "{{inputs.parameters.v}}"}]}';
  const player = (retry: string): Player =>
    new Player(`
entrypoint: main
templates:
${LEAVES}
- {name: made, ${retry} ${MADE}}
- name: main
  steps:
  - - {name: el, template: made, withItems: [1, 2], arguments: {parameters: [{name: v, value: '{{item}}'}]}}
  - - {name: b, template: echo, arguments: {parameters: [{name: m, value: '{{steps.el.outputs.parameters.d}}'}]}}`);

  test('are a list of a loop', () => {
    const once = player('');
    once.finish('el(0:1)', 'Succeeded');
    once.finish('el(1:2)', 'Succeeded', { result: '"r"' });
    assert.equal(argument(once, 'b'), '["1","2"]');
    assert.equal(once.node('el(1:2)').outputs?.result, '"r"');
  });

  test('with attempts', () => {
    const again = player('retryStrategy: {limit: 1},');
    again.finish('el(0:1)(0)', 'Failed');
    again.finish('el(0:1)(1)', 'Succeeded');
    again.finish('el(1:2)(0)', 'Succeeded');
    assert.equal(argument(again, 'b'), '["1","2"]');
  });
});

describe('a template that stands within a step', () => {
  const inline =
    "name: a, withItems: [x, y], inline: {retryStrategy: {limit: 1}, container: {image: i, args: ['{{item}}', '{{=item + workflow.parameters.d}}']}}";
  const bodies = { steps: `steps: [[{${inline}}]]`, tasks: `dag: {tasks: [{${inline}}]}` };
  const spec = (body: string): string =>
    `{entrypoint: main, arguments: {parameters: [{name: d, value: HELLO}]}, templates: [{name: main, ${body}}]}`;
  const args = (player: Player) =>
    player.actions.flatMap((action) =>
      action.kind === 'createPod' ? [action.template.container?.args] : [],
    );
  for (const [about, body] of Object.entries(bodies)) {
    test(`knows the element of a loop of ${about}, in each attempt and after a restart`, () => {
      const player = new Player(spec(body));
      assert.deepEqual(args(player), [
        ['x', 'xHELLO'],
        ['y', 'yHELLO'],
      ]);
      const nodes = Object.fromEntries([...player.run.nodes].map(([id, node]) => [id, node]));
      const later = new Player(spec(body), {}, { ...player.run.status, nodes });
      later.finish('a(1:y)(0)', 'Failed');
      assert.deepEqual(args(later).at(-1), ['y', 'yHELLO']);
    });
  }

  test('knows the outputs of other steps', () => {
    const player = steps(`
  - [{name: first, template: ok}]
  - [{name: b, inline: {container: {image: i, args: ['{{=steps.first.outputs.result}}']}}}]`);
    player.finish('first', 'Succeeded', { result: 'out' });
    assert.deepEqual(args(player).at(-1), ['out']);
  });
});
