import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ContainerFact } from './change.ts';
import type { Estimates } from './run.ts';
import { Player, runningPod, START } from './testing/player.ts';

const LEAF = `
- name: ok
  container: {image: i}
- name: echo
  inputs: {parameters: [{name: m}]}
  container: {image: i, args: ['{{inputs.parameters.m}}']}
`;

function steps(body: string, rest = ''): Player {
  return new Player(`
entrypoint: main
${rest}
templates:
${LEAF}
- name: main
  steps:
${body}`);
}

/** A workflow whose template `loop` has a loop in it, whose results are put into a list. */
function withLoop(main: string): Player {
  return new Player(`
entrypoint: main
templates:
${LEAF}
- name: loop
  steps: [[{name: a, template: ok, withItems: [1]}]]
- name: main
  ${main}`);
}

function dag(tasks: string, rest = ''): Player {
  return new Player(`
entrypoint: main
templates:
${LEAF}
- name: main
  ${rest}
  dag:
    tasks:
${tasks}`);
}

describe('steps', () => {
  test('groups run one after the other, their steps together', () => {
    const player = steps(`
  - [{name: a, template: ok}, {name: b, template: ok}]
  - [{name: c, template: ok}]`);
    assert.deepEqual(player.pods('Pending'), ['a', 'b']);
    player.finish('a', 'Succeeded');
    assert.deepEqual(player.pods('Pending'), ['b']);
    player.finish('b', 'Succeeded');
    assert.deepEqual(player.pods('Pending'), ['c']);
    player.finish('c', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
    assert.equal(player.run.status.progress, '3/3');
    assert.deepEqual(player.node('w').outboundNodes, [player.node('c').id]);
  });

  test('a failed step ends the workflow, after its siblings', () => {
    const player = steps(`
  - [{name: a, template: ok}, {name: b, template: ok}]
  - [{name: c, template: ok}]`);
    player.finish('a', 'Failed');
    assert.equal(player.result, 'Running');
    player.finish('b', 'Succeeded');
    assert.equal(player.result, `Failed: child '${player.node('a').id}' failed`);
    assert.equal(player.has('c'), false);
    assert.equal(player.node('a').message, 'main: Error (exit code 1)');
  });

  test('continueOn lets the next group run', () => {
    const player = steps(`
  - [{name: a, template: ok, continueOn: {failed: true}}]
  - [{name: b, template: ok}]`);
    player.finish('a', 'Failed');
    player.finish('b', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
  });

  test('when decides with outputs of earlier steps', () => {
    const player = steps(`
  - [{name: a, template: ok}]
  - - {name: yes, template: ok, when: '{{steps.a.outputs.result}} == x'}
    - {name: no, template: ok, when: '{{steps.a.outputs.result}} == y'}`);
    player.finish('a', 'Succeeded', { result: 'x' });
    assert.deepEqual(player.pods('Pending'), ['yes']);
    assert.equal(player.node('no').message, "when 'x == y' evaluated false");
    assert.equal(player.node('no').type, 'Skipped');
  });

  test('a loop has a node for each element, and its results are a list', () => {
    const player = steps(`
  - [{name: a, template: ok, withItems: [x, {k: v}]}]
  - [{name: b, template: echo, arguments: {parameters: [{name: m, value: '{{steps.a.outputs.result}}'}]}}]`);
    assert.deepEqual(player.pods('Pending'), ['a(0:x)', 'a(1:k:v)']);
    player.finish('a(1:k:v)', 'Succeeded', { result: '2' });
    player.finish('a(0:x)', 'Succeeded', { result: '"one"' });
    assert.deepEqual(player.node('b').inputs?.parameters, [{ name: 'm', value: '["one",2]' }]);
  });

  test('a result of a loop that is no JSON is an error of the node around it', () => {
    const player = steps(`
  - [{name: a, template: ok, withItems: [1]}]
  - [{name: b, template: echo, arguments: {parameters: [{name: m, value: '{{steps.a.outputs.result}}'}]}}]`);
    player.finish('a(0:1)', 'Succeeded', { result: 'abc' });
    assert.equal(
      player.result,
      "Error: error in entry template execution: invalid character 'a' looking for beginning of value",
    );
    assert.equal(player.node('w').message, "invalid character 'a' looking for beginning of value");
    assert.equal(player.node('w').outboundNodes, undefined);
  });

  test('a step that breaks down is an error of its group, also with continueOn', () => {
    const player = withLoop(
      'steps: [[{name: inner, template: loop, continueOn: {failed: true, error: true}}]]',
    );
    player.finish('a(0:1)', 'Succeeded', { result: 'abc' });
    const reason = "invalid character 'a' looking for beginning of value";
    const message = `step group deemed errored due to child w[0].inner error: ${reason}`;
    assert.equal(player.node('w').phase, 'Failed');
    assert.equal(player.result, `Failed: ${message}`);
  });

  test('a loop over nothing is one skipped node', () => {
    const player = steps(`  - [{name: a, template: ok, withParam: '[]'}]`);
    assert.equal(player.node('a').message, 'Skipped, empty params');
    assert.equal(player.result, 'Succeeded');
  });

  test('a list that is none says which text and why', () => {
    const player = steps(`  - [{name: a, template: ok, withParam: nope}]`);
    assert.equal(
      player.result,
      "Failed: withParam value could not be parsed as a JSON list: nope: invalid character 'o' in literal null (expecting 'u')",
    );
  });

  test('the name of a step is put in by the template that it calls', () => {
    const player = steps(
      `  - [{name: a, template: echo, arguments: {parameters: [{name: m, value: '{{steps.name}}'}]}}]`,
    );
    const action = player.actions.find(({ kind }) => kind === 'createPod');
    assert.deepEqual(action?.kind === 'createPod' && action.template.container?.args, ['a']);
  });

  test('an input without a value is an error of the node and its group', () => {
    const player = steps(`  - [{name: a, template: echo}]`);
    assert.equal(
      player.result,
      'Failed: step group deemed errored due to child w[0].a error: inputs.parameters.m was not supplied',
    );
  });
});

describe('dags', () => {
  test('a task that breaks down is an error that names it', () => {
    const player = withLoop('dag: {tasks: [{name: inner, template: loop}]}');
    player.finish('a(0:1)', 'Succeeded', { result: 'abc' });
    assert.equal(
      player.node('inner').message,
      "task 'w.inner' errored: invalid character 'a' looking for beginning of value",
    );
    assert.equal(player.result, 'Error');
  });

  test('a task starts when what it waits for is over', () => {
    const player = dag(`
    - {name: a, template: ok}
    - {name: b, template: ok, dependencies: [a]}
    - {name: c, template: ok, dependencies: [a]}
    - {name: d, template: ok, depends: b && c}`);
    player.finish('a', 'Succeeded');
    assert.deepEqual(player.pods('Pending'), ['b', 'c']);
    player.finish('c', 'Succeeded');
    assert.equal(player.has('d'), false);
    player.finish('b', 'Succeeded');
    player.finish('d', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
  });

  test('what waits for a success is omitted, and the failure reaches the end', () => {
    const player = dag(`
    - {name: a, template: ok}
    - {name: b, template: ok, depends: a.Succeeded}
    - {name: c, template: ok, depends: a.Failed}`);
    player.finish('a', 'Failed');
    assert.equal(player.node('b').message, 'omitted: depends condition not met');
    assert.deepEqual(player.pods('Pending'), ['c']);
    player.finish('c', 'Succeeded');
    assert.equal(player.result, 'Failed');
  });

  test('a long chain of omitted tasks ends', () => {
    const chain = Array.from(
      { length: 3000 },
      (_, at) => `    - {name: t${at + 1}, template: ok, depends: t${at}.Failed}`,
    );
    const player = dag(`\n    - {name: t0, template: ok}\n${chain.join('\n')}`);
    player.finish('t0', 'Succeeded');
    assert.equal(player.node('t3000').phase, 'Omitted');
    assert.equal(player.result, 'Succeeded');
  });

  test('only targets and what leads to them run', () => {
    const player = new Player(`
entrypoint: main
templates:
${LEAF}
- name: main
  dag:
    target: b
    tasks:
    - {name: a, template: ok}
    - {name: b, template: ok, dependencies: [a]}
    - {name: c, template: ok}`);
    assert.deepEqual(player.pods('Pending'), ['a']);
  });

  test('parallelism holds tasks back until one ends', () => {
    const player = dag(
      `
    - {name: a, template: ok}
    - {name: b, template: ok}
    - {name: c, template: ok}`,
      'parallelism: 2',
    );
    assert.deepEqual(player.pods('Pending'), ['a', 'b']);
    player.finish('a', 'Succeeded');
    assert.deepEqual(player.pods('Pending'), ['b', 'c']);
  });
});

describe('retries', () => {
  const player = (strategy: string): Player =>
    new Player(`
entrypoint: main
templates:
- name: main
  retryStrategy: ${strategy}
  container: {image: i}`);

  test('as many as the limit, and then the reason', () => {
    const retried = player('{limit: 1}');
    retried.finish('w(0)', 'Failed');
    retried.finish('w(1)', 'Failed');
    assert.equal(retried.result, 'Failed: No more retries left');
  });

  test('back-off waits, and time goes on with it', () => {
    const retried = player('{limit: 2, backoff: {duration: 1m}}');
    retried.finish('w(0)', 'Failed');
    assert.equal(retried.node('w').message, 'Backoff for 1 minute');
    assert.equal(retried.last?.wakeAt, retried.now + 60_000);
    retried.wait(59_000);
    assert.equal(retried.has('w(1)'), false);
    retried.wait(1000);
    retried.finish('w(1)', 'Succeeded');
    assert.equal(retried.result, 'Succeeded');
  });

  test('the last attempt is not waited for', () => {
    const retried = player('{limit: 1, backoff: {duration: 1m}}');
    retried.finish('w(0)', 'Failed');
    retried.wait(60_000);
    retried.finish('w(1)', 'Failed');
    assert.equal(retried.result, 'Failed: No more retries left');
  });

  test('maxDuration ends attempts without a limit of their number, which do not wait', () => {
    const retried = player('{backoff: {duration: 10s, maxDuration: 1m}}');
    retried.now += 20_000;
    retried.finish('w(0)', 'Failed');
    assert.equal(retried.node('w(1)').phase, 'Pending');
    retried.now += 45_000;
    retried.finish('w(1)', 'Failed');
    assert.equal(retried.result, 'Failed: Max duration limit exceeded');
  });

  test('a wait that would end too late is not begun', () => {
    const retried = player('{limit: 3, backoff: {duration: 1m, maxDuration: 30s}}');
    retried.finish('w(0)', 'Failed');
    assert.equal(retried.result, 'Failed: Backoff would exceed max duration limit');
  });

  test('pods of later attempts end with maxDuration, the first does not', () => {
    const retried = player('{limit: 3, backoff: {duration: 5s, maxDuration: 1m}}');
    retried.finish('w(0)', 'Failed');
    retried.wait(5000);
    const deadlines = retried.actions.flatMap((action) =>
      action.kind === 'createPod' ? [action.deadline] : [],
    );
    assert.deepEqual(deadlines, [undefined, START + 60_000]);
  });

  test('the expression decides last', () => {
    const retried = player(`{limit: 5, expression: 'lastRetry.exitCode == "2"'}`);
    retried.finish('w(0)', 'Failed');
    assert.equal(retried.result, 'Failed: retryStrategy.expression evaluated to false');
  });
});

describe('the end', () => {
  test('the exit handler sees the phase, and cannot improve it', () => {
    const player = new Player(`
entrypoint: main
onExit: bye
templates:
- name: main
  container: {image: i}
- name: bye
  container: {image: i, args: ['{{workflow.status}}']}`);
    player.finish('w', 'Failed');
    const created = player.actions.filter((action) => action.kind === 'createPod').at(-1);
    assert.deepEqual(created?.template.container?.args, ['Failed']);
    player.finish('w.onExit', 'Succeeded');
    assert.equal(player.result, 'Failed: main: Error (exit code 1)');
  });

  test('a step-level exit hook runs before the group is over', () => {
    const player = steps(`
  - [{name: a, template: ok, hooks: {exit: {template: ok}}}]
  - [{name: b, template: ok}]`);
    player.finish('a', 'Succeeded');
    assert.deepEqual(player.pods('Pending'), ['a.onExit']);
    player.finish('a.onExit', 'Succeeded');
    assert.deepEqual(player.pods('Pending'), ['b']);
  });

  test('Stop ends pods, and their own end decides', () => {
    const player = steps(`  - [{name: a, template: ok}]`);
    player.feed({ kind: 'podChanged', node: player.node('a').id, pod: runningPod() });
    player.feed({ kind: 'specChanged', shutdown: 'Stop' });
    assert.equal(player.node('a').message, 'workflow shutdown with strategy:  Stop');
    assert.equal(player.result, 'Running');
    player.finish('a', 'Failed');
    assert.equal(player.result, `Failed: Stopped with strategy 'Stop'`);
  });

  test('the deadline of the workflow fails what is pending', () => {
    const player = steps(`  - [{name: a, template: ok}]`, 'activeDeadlineSeconds: 10');
    assert.equal(player.last?.wakeAt, player.now + 10_000);
    player.wait(10_000);
    assert.equal(player.node('a').message, 'Step exceeded its deadline');
    assert.match(player.result, /^Failed: child/);
  });

  test('a pod that is ended for the deadline of the workflow fails by the deadline, not by its exit code', () => {
    const player = steps(`  - [{name: a, template: ok}]`, 'activeDeadlineSeconds: 10');
    player.feed({ kind: 'podChanged', node: player.node('a').id, pod: runningPod() });
    player.wait(10_000);
    player.finish('a', 'Failed');
    assert.equal(player.node('a').message, 'Step exceeded its deadline');
    assert.equal(player.node('a').outputs?.exitCode, '1');
    assert.match(player.result, /^Failed: child/);
  });

  test('a suspended node resumes when its duration is over', () => {
    const player = new Player(`
entrypoint: main
templates:
- name: main
  suspend: {duration: 20}`);
    assert.equal(player.last?.wakeAt, player.now + 20_000);
    player.wait(20_000);
    assert.equal(player.result, 'Succeeded');
  });

  test('a daemon lets the next group run, and is ended with its boundary', () => {
    const player = new Player(`
entrypoint: main
templates:
${LEAF}
- name: srv
  daemon: true
  container: {image: i}
- name: main
  steps:
  - [{name: d, template: srv}]
  - [{name: c, template: echo, arguments: {parameters: [{name: m, value: '{{steps.d.ip}}'}]}}]`);
    player.feed({ kind: 'podChanged', node: player.node('d').id, pod: runningPod() });
    assert.deepEqual(player.node('c').inputs?.parameters, [{ name: 'm', value: '10.0.0.1' }]);
    player.finish('c', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
    assert.deepEqual(player.last?.actions, [{ kind: 'endPod', node: player.node('d').id, isPending: false }]);
  });
});

describe('answers from outside', () => {
  test('a pod that could not be created is tried again, or is an error', () => {
    const player = steps(`  - [{name: a, template: ok}]`);
    const { id } = player.node('a');
    player.feed({ kind: 'podRefused', node: id, message: 'exceeded quota', isTransient: true });
    assert.equal(player.node('a').phase, 'Pending');
    player.feed({ kind: 'podGone', node: id });
    assert.equal(player.last?.actions[0]?.kind, 'createPod');
    player.feed({ kind: 'podRefused', node: id, message: 'pods is forbidden', isTransient: false });
    assert.equal(player.node('a').phase, 'Error');
  });

  const SET = `
entrypoint: main
templates:
- name: main
  containerSet:
    containers: [{name: a, image: i}, {name: b, image: i, dependencies: [a]}]`;

  test('the containers of a set whose pod is refused are over with it', () => {
    const player = new Player(SET);
    const message = 'pods is forbidden';
    player.feed({ kind: 'podRefused', node: player.node('w').id, message, isTransient: false });
    assert.deepEqual(
      ['a', 'b'].map((name) => player.node(name).phase),
      ['Error', 'Error'],
    );
    assert.equal(player.result, 'Error: pods is forbidden');
  });

  test('the containers of a set whose pod failed before they ran are over with it', () => {
    const player = new Player(SET);
    const failed = { kind: 'terminated', exitCode: 2, reason: 'Error' } as const;
    const containers: ContainerFact[] = [
      { name: 'init', role: 'init', state: failed },
      { name: 'a', role: 'main', state: { kind: 'waiting', reason: 'PodInitializing' } },
      { name: 'b', role: 'main', state: { kind: 'waiting', reason: 'PodInitializing' } },
    ];
    player.feed({
      kind: 'podChanged',
      node: player.node('w').id,
      pod: { name: 'pod', phase: 'Failed', containers },
    });
    assert.equal(player.node('b').message, 'Pod Failed before container started');
    assert.equal(player.result, 'Error: init: Error (exit code 2)');
  });

  test('a pod that vanished while it ran is an error', () => {
    const player = steps(`  - [{name: a, template: ok}]`);
    player.feed({ kind: 'podChanged', node: player.node('a').id, pod: runningPod() });
    player.feed({ kind: 'podGone', node: player.node('a').id });
    assert.equal(player.node('a').message, 'pod deleted');
  });

  test('a node that waits for a lock has no pod before it is held', () => {
    const player = new Player(`
entrypoint: main
templates:
- name: main
  synchronization: {mutexes: [{name: m}]}
  container: {image: i}`);
    assert.deepEqual(
      player.actions.map(({ kind }) => kind),
      ['acquireLocks'],
    );
    player.feed({ kind: 'locksChanged', node: 'w', answer: { kind: 'held' } });
    player.finish('w', 'Succeeded');
    assert.deepEqual(
      player.actions.map(({ kind }) => kind),
      ['acquireLocks', 'createPod', 'releaseLocks'],
    );
  });

  test('what a lost process was to do is asked for again', () => {
    const player = new Player(`
entrypoint: main
templates:
- name: main
  memoize: {key: k, cache: {configMap: {name: c}}}
  containerSet: {containers: [{name: a, image: i}]}`);
    player.feed({ kind: 'unanswered', node: 'w' });
    assert.deepEqual(
      player.actions.map(({ kind }) => kind),
      ['readCache', 'readCache'],
    );
    player.feed({ kind: 'cacheRead', node: 'w' });
    player.feed({ kind: 'unanswered', node: 'w' });
    assert.deepEqual(
      player.actions.slice(2).map(({ kind }) => kind),
      ['createPod', 'createPod'],
    );
    assert.deepEqual(player.last?.nodes, []);
  });

  test('the lock of the workflow comes before its first node', () => {
    const player = new Player(`
entrypoint: main
synchronization: {mutexes: [{name: m}]}
templates:
- name: main
  container: {image: i}`);
    assert.equal(player.result, 'Pending');
    player.feed({ kind: 'unanswered', node: '' });
    player.feed({
      kind: 'locksChanged',
      node: '',
      answer: { kind: 'waiting', lock: 'n/Mutex/m', message: 'Waiting' },
    });
    assert.equal(player.result, 'Pending: Waiting');
    player.feed({ kind: 'locksChanged', node: '', answer: { kind: 'held' } });
    player.finish('w', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
    assert.deepEqual(
      player.actions.map(({ kind }) => kind),
      ['acquireLocks', 'acquireLocks', 'createPod', 'releaseLocks'],
    );
  });

  test('a cached node needs no pod', () => {
    const player = new Player(`
entrypoint: main
templates:
- name: main
  memoize: {key: k, cache: {configMap: {name: c}}}
  container: {image: i}`);
    player.feed({ kind: 'cacheRead', node: 'w', outputs: { result: 'kept' } });
    assert.equal(player.result, 'Succeeded');
    assert.equal(player.node('w').outputs?.result, 'kept');
    assert.equal(player.pods('Succeeded').length, 1);
  });

  test('an http node is answered', () => {
    const player = new Player(`
entrypoint: main
templates:
- name: main
  http: {url: 'http://x'}`);
    assert.equal(player.actions[0]?.kind, 'runTask');
    player.feed({
      kind: 'taskAnswered',
      node: 'w',
      phase: 'Failed',
      message: 'received non-2xx response code: 500',
    });
    assert.equal(player.result, 'Failed: received non-2xx response code: 500');
  });
});

describe('clients that edit', () => {
  test('spec.suspend starts nothing new, and resuming goes on', () => {
    const player = steps(`
  - [{name: a, template: ok}]
  - [{name: b, template: ok}]`);
    player.feed({ kind: 'specChanged', suspend: true });
    player.finish('a', 'Succeeded');
    assert.equal(player.has('b'), false);
    player.feed({ kind: 'specChanged', suspend: false });
    assert.deepEqual(player.pods('Pending'), ['b']);
  });

  test('a client resumes a suspended node by writing its phase', () => {
    const player = new Player(`
entrypoint: main
templates:
- name: main
  suspend: {}`);
    player.feed({ kind: 'nodesEdited', nodes: [{ ...player.node('w'), phase: 'Succeeded' }] });
    assert.equal(player.result, 'Succeeded');
    assert.equal(player.run.status.progress, '1/1');
  });

  test('a retry by a client goes on from the nodes that are left, with an empty phase', () => {
    const spec = `
entrypoint: main
templates:
- name: ok
  container: {image: i}
- name: main
  steps:
  - [{name: a, template: ok}]
  - [{name: b, template: ok}]`;
    const first = new Player(spec);
    first.finish('a', 'Succeeded');
    first.finish('b', 'Failed');
    const kept = [...first.run.nodes.values()]
      .filter(({ displayName }) => displayName !== 'b')
      .map((node) => {
        if (node.phase === 'Succeeded') return node;
        const { message: _message, finishedAt: _end, outboundNodes: _out, ...rest } = node;
        return {
          ...rest,
          phase: 'Running' as const,
          children: node.displayName === '[1]' ? [] : (node.children ?? []),
        };
      });
    const second = new Player(
      spec,
      {},
      { phase: '', nodes: Object.fromEntries(kept.map((node) => [node.id, node])) },
    );
    assert.equal(second.result, 'Running');
    assert.deepEqual(second.pods('Pending'), ['b']);
    second.finish('b', 'Succeeded');
    assert.equal(second.result, 'Succeeded');
  });
});

describe('exit handlers of several steps', () => {
  test('each of their groups knows how the workflow ends', () => {
    const player = new Player(`
entrypoint: main
onExit: bye
templates:
- name: ok
  container: {image: i}
- name: main
  container: {image: i}
- name: bye
  steps:
  - [{name: first, template: ok}]
  - [{name: cry, template: ok, when: '{{=workflow.status}} == Failed'}]`);
    player.finish('w', 'Failed');
    player.finish('first', 'Succeeded');
    assert.deepEqual(player.pods('Pending'), ['cry']);
  });

  test('an exit hook that is not due does not hold its dag', () => {
    const player = dag(`
    - {name: a, template: ok, hooks: {exit: {template: ok, expression: 'workflow.status == "Nope"'}}}
    - {name: b, template: ok, dependencies: [a]}`);
    player.finish('a', 'Succeeded');
    player.finish('b', 'Succeeded');
    assert.equal(player.result, 'Succeeded');
  });

  test('an exit hook that waits for a place is begun later', () => {
    const player = dag(
      `
    - {name: a, template: ok, onExit: ok}
    - {name: b, template: ok}
    - {name: c, template: ok}`,
      'parallelism: 1',
    );
    player.finish('a', 'Succeeded');
    for (const name of ['a.onExit', 'b', 'c']) player.finish(name, 'Succeeded');
    assert.equal(player.result, 'Succeeded');
  });
});

describe('estimates', () => {
  const SPEC = `
entrypoint: main
templates:
- {name: ok, container: {image: i}}
- name: main
  steps:
  - [{name: a, template: ok}]
  - [{name: b, template: ok}]`;
  const seconds = new Map([
    ['', 9],
    ['[0].a', 4],
  ]);
  const estimates: Estimates = {
    workflow: 10,
    node: (name, workflow) => seconds.get(name.slice(workflow.length)),
  };

  test('a workflow and its nodes have their estimates from the beginning', () => {
    const player = new Player(SPEC, { estimates });
    assert.equal(player.run.status.estimatedDuration, 10);
    assert.equal(player.node('w').estimatedDuration, 9);
    assert.equal(player.node('a').estimatedDuration, 4);
    player.finish('a', 'Succeeded');
    assert.equal('estimatedDuration' in player.node('b'), false);
    assert.equal('estimatedDuration' in new Player(SPEC).run.status, false);
  });

  test('a run that goes on keeps its estimate, and one that begins again gets a new one', () => {
    const { nodes, status } = new Player(SPEC, { estimates }).run;
    const stored = {
      startedAt: '2026-01-01T00:00:00Z',
      estimatedDuration: 10,
      nodes: Object.fromEntries(nodes),
    };
    assert.equal(status.phase, 'Running');
    assert.equal(new Player(SPEC, {}, { ...stored, phase: 'Running' }).run.status.estimatedDuration, 10);
    const again = new Player(SPEC, { estimates: { ...estimates, workflow: 20 } }, { ...stored, phase: '' });
    assert.equal(again.run.status.estimatedDuration, 20);
  });
});
