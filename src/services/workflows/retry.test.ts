import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Player, START } from '@turnsole/workflows/engine/testing/player';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';
import { retryOf } from './retry.ts';

const LEAF = `
  - name: pod
    container: {image: i}
  - name: bye
    container: {image: i}
`;

/** The workflow as it is stored after what the player did, as a client reads it. */
function stored({ run }: Player, extra: Partial<Workflow['metadata']> = {}): Workflow {
  const { phase, ...status } = run.status;
  return {
    ...run.workflow,
    metadata: {
      ...run.workflow.metadata,
      labels: { 'workflows.argoproj.io/completed': 'true', own: 'x' },
      ...extra,
    },
    status: { ...status, phase, nodes: Object.fromEntries(run.nodes) },
  };
}

function names(workflow: Workflow, ids: readonly string[]): string[] {
  return ids.map((id) => workflow.status?.nodes?.[id]?.name ?? '').sort();
}

interface Row {
  readonly name: string;
  readonly spec: string;
  /** What is done, until the workflow has ended. */
  readonly play: (player: Player) => void;
  readonly settings?: { readonly restartSuccessful: boolean; readonly displayName: string };
  readonly removed: readonly string[];
  readonly reopened: readonly string[];
  /** Pods that are started anew, in the order in which they end well. */
  readonly again: readonly string[];
}

const STEPS = `
entrypoint: main
templates:
  - name: main
    steps:
      - - {name: a, template: pod}
      - - {name: b, template: pod}
        - {name: c, template: pod}
      - - {name: d, template: pod}${LEAF}`;

const ROWS: readonly Row[] = [
  {
    name: 'a step that failed, beside one that did not',
    spec: STEPS,
    play: (player) => {
      player.finish('a', 'Succeeded');
      player.finish('b', 'Failed');
      player.finish('c', 'Succeeded');
    },
    removed: ['w[1].b'],
    reopened: ['w', 'w[1]'],
    again: ['b', 'd'],
  },
  {
    name: 'a workflow of one pod',
    spec: `entrypoint: pod\ntemplates:${LEAF}`,
    play: (player) => player.finish('w', 'Failed'),
    removed: ['w'],
    reopened: [],
    again: ['w'],
  },
  {
    name: 'a task, with those that were omitted for it',
    spec: `
entrypoint: main
templates:
  - name: main
    dag:
      failFast: false
      tasks:
        - {name: a, template: pod}
        - {name: b, template: pod, depends: a}
        - {name: c, template: pod}
        - {name: d, template: pod, depends: b && c}${LEAF}`,
    play: (player) => {
      player.finish('a', 'Failed');
      player.finish('c', 'Succeeded');
    },
    removed: ['w.a', 'w.b', 'w.d'],
    reopened: ['w'],
    again: ['a', 'b', 'd'],
  },
  {
    name: 'steps in a task of a dag',
    spec: `
entrypoint: main
templates:
  - name: main
    dag:
      tasks:
        - {name: a, template: inner}
        - {name: b, template: pod, depends: a}
  - name: inner
    steps:
      - - {name: x, template: pod}
      - - {name: y, template: pod}${LEAF}`,
    play: (player) => {
      player.finish('x', 'Succeeded');
      player.finish('y', 'Failed');
    },
    removed: ['w.a[1].y', 'w.b'],
    reopened: ['w', 'w.a', 'w.a[1]'],
    again: ['y', 'b'],
  },
  {
    name: 'all attempts of a retry that gave up',
    spec: `
entrypoint: main
templates:
  - name: main
    steps:
      - - {name: a, template: tried}
  - name: tried
    retryStrategy: {limit: 1}
    container: {image: i}`,
    play: (player) => {
      player.finish('a(0)', 'Failed');
      player.finish('a(1)', 'Failed');
    },
    removed: ['w[0].a(0)', 'w[0].a(1)'],
    reopened: ['w', 'w[0]', 'w[0].a'],
    again: ['a(0)'],
  },
  {
    name: 'an attempt that failed stays where a later one did better',
    spec: `
entrypoint: main
templates:
  - name: main
    steps:
      - - {name: a, template: tried}
      - - {name: b, template: pod}
  - name: tried
    retryStrategy: {limit: 1}
    container: {image: i}${LEAF}`,
    play: (player) => {
      player.finish('a(0)', 'Failed');
      player.finish('a(1)', 'Succeeded');
      player.finish('b', 'Failed');
    },
    removed: ['w[1].b'],
    reopened: ['w', 'w[1]'],
    again: ['b'],
  },
  {
    name: 'one element of a loop',
    spec: `
entrypoint: main
templates:
  - name: main
    dag:
      tasks:
        - {name: a, template: pod, withItems: [x, y]}
        - {name: b, template: pod, depends: a}${LEAF}`,
    play: (player) => {
      player.finish('a(0:x)', 'Succeeded');
      player.finish('a(1:y)', 'Failed');
    },
    removed: ['w.a(1:y)', 'w.b'],
    reopened: ['w', 'w.a'],
    again: ['a(1:y)', 'b'],
  },
  {
    name: 'the first element of a loop of steps and of one of tasks',
    spec: `
entrypoint: main
templates:
  - name: main
    steps:
      - - {name: s, template: pod, withItems: [x, y, z]}
        - {name: t, template: inner}
  - name: inner
    dag:
      tasks:
        - {name: a, template: pod, withItems: [x, y, z]}${LEAF}`,
    play: (player) => {
      for (const item of ['0:x', '1:y', '2:z']) {
        const phase = item === '0:x' ? 'Failed' : 'Succeeded';
        player.finish(`s(${item})`, phase);
        player.finish(`a(${item})`, phase);
      }
    },
    removed: ['w[0].s(0:x)', 'w[0].t.a(0:x)'],
    reopened: ['w', 'w[0]', 'w[0].t', 'w[0].t.a'],
    again: ['s(0:x)', 'a(0:x)'],
  },
  {
    name: 'the exit handler runs again, though it went well',
    spec: `
entrypoint: pod
onExit: bye
templates:${LEAF}`,
    play: (player) => {
      player.finish('w', 'Failed');
      player.finish('w.onExit', 'Succeeded');
    },
    removed: ['w', 'w.onExit'],
    reopened: [],
    again: ['w', 'w.onExit'],
  },
  {
    name: 'what succeeded and is chosen, with everything after it',
    spec: STEPS,
    play: (player) => {
      for (const step of ['a', 'b', 'c', 'd']) player.finish(step, 'Succeeded');
    },
    settings: { restartSuccessful: true, displayName: 'b' },
    removed: ['w[1].b', 'w[2]', 'w[2].d'],
    reopened: ['w', 'w[1]'],
    again: ['b', 'd'],
  },
];

describe('retryOf', () => {
  for (const { name, spec, play, settings, removed, reopened, again } of ROWS) {
    it(`takes away and opens again: ${name}`, () => {
      const player = new Player(spec);
      play(player);
      const ended = stored(player);
      const chosen = settings && {
        restartSuccessful: settings.restartSuccessful,
        isMeant: (node: { displayName: string }) => node.displayName === settings.displayName,
      };
      const retry = retryOf(ended, { parameters: new Map(), ...chosen }, START + 60_000);
      assert.deepEqual(names(ended, retry.removed), removed);
      assert.deepEqual(names(ended, retry.reopened), reopened);
      const { workflow } = retry;
      assert.equal(workflow.status?.phase, '');
      assert.deepEqual(workflow.metadata.labels, { own: 'x' });
      // What is stored then is gone on with, by the engine itself, to its end.
      const next = new Player(spec, {}, workflow.status);
      for (const displayName of again) next.finish(displayName, 'Succeeded');
      assert.equal(next.run.status.phase, 'Succeeded');
      const pods = next.actions.filter(({ kind }) => kind === 'createPod');
      assert.equal(pods.length, again.length);
    });
  }

  it('names the pods of what is run again, in the form that the workflow has', () => {
    const player = new Player(STEPS);
    player.finish('a', 'Failed');
    const v2 = retryOf(stored(player), { parameters: new Map() }, START);
    assert.deepEqual(
      v2.pods,
      player.actions.flatMap((action) => (action.kind === 'createPod' ? [action.podName] : [])),
    );
    const annotations = { 'workflows.argoproj.io/pod-name-format': 'v1' };
    const v1 = retryOf(stored(player, { annotations }), { parameters: new Map() }, START);
    assert.deepEqual(v1.pods, v1.removed);
  });

  it('drops what ended the workflow, and takes parameters', () => {
    const player = new Player(STEPS);
    player.finish('a', 'Failed');
    const ended = stored(player);
    const { workflow } = retryOf(
      {
        ...ended,
        spec: {
          ...ended.spec,
          shutdown: 'Stop',
          activeDeadlineSeconds: 0,
          arguments: { parameters: [{ name: 'p', value: 'old' }] },
        },
      },
      { parameters: new Map([['p', 'new']]) },
      START,
    );
    assert.deepEqual(
      [workflow.spec.shutdown, workflow.spec.activeDeadlineSeconds, workflow.spec.arguments],
      [undefined, undefined, { parameters: [{ name: 'p', value: 'new' }] }],
    );
    assert.deepEqual(workflow.status?.conditions, [{ type: 'Completed', status: 'False' }]);
  });

  const REFUSED: readonly { readonly phase: 'Running' | 'Succeeded'; readonly message: RegExp }[] = [
    { phase: 'Running', message: /it is Running, neither Failed nor Error; stop it or wait/ },
    { phase: 'Succeeded', message: /what succeeded runs again with --restart-successful/ },
  ];
  for (const { phase, message } of REFUSED) {
    it(`refuses one that is ${phase}`, () => {
      const ended = stored(new Player(STEPS));
      assert.throws(
        () => retryOf({ ...ended, status: { ...ended.status, phase } }, { parameters: new Map() }, START),
        (error) => error instanceof CommandError && message.test(error.message),
      );
    });
  }
});
