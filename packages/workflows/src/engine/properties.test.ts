import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { NodeStatus } from '../kinds/status.ts';
import type { Change } from './change.ts';
import { decide } from './decide.ts';
import { readProgress } from './progress.ts';
import { type Run, rebuildIndex } from './run.ts';
import type { RunIndex } from './run-index.ts';
import { endedPod, Player, runningPod } from './testing/player.ts';

/** Workflows with something of everything that counts nodes. */
const SPECS: Readonly<Record<string, string>> = {
  steps: `
entrypoint: main
templates:
- name: ok
  container: {image: i}
- name: inner
  steps:
  - [{name: x, template: ok}, {name: y, template: ok, continueOn: {failed: true}}]
  - [{name: z, template: ok, withItems: [1, 2, 3]}]
- name: main
  parallelism: 2
  steps:
  - [{name: a, template: inner, continueOn: {failed: true}}, {name: b, template: ok, continueOn: {failed: true}}]
  - [{name: c, template: ok, hooks: {exit: {template: ok}}}]`,
  dag: `
entrypoint: main
templates:
- name: ok
  container: {image: i}
- name: again
  retryStrategy: {limit: 2}
  container: {image: i}
- name: main
  dag:
    tasks:
    - {name: a, template: ok}
    - {name: b, template: again, depends: a}
    - {name: c, template: ok, depends: a.Failed || a.Succeeded, withSequence: {count: 4}}
    - {name: d, template: ok, depends: b && c}
    - {name: e, template: ok, depends: b.Failed}`,
  exit: `
entrypoint: main
onExit: bye
parallelism: 1
templates:
- name: ok
  container: {image: i}
- name: bye
  steps:
  - [{name: p, template: ok}]
- name: main
  dag:
    tasks:
    - {name: a, template: ok, onExit: ok}
    - {name: b, template: ok}`,
};

/** Which of the pods that may change does, and how. */
const plays = fc.array(fc.tuple(fc.nat(), fc.constantFrom('run', 'Succeeded', 'Failed', 'gone')), {
  maxLength: 60,
});
const specs = fc.constantFrom(...Object.keys(SPECS));

/** Plays random ends of pods; `check` sees every change and the run after it. */
function play(
  name: string,
  moves: readonly (readonly [number, string])[],
  check: (player: Player, change: Change) => void,
): Player {
  const player = new Player(SPECS[name] ?? '');
  for (const [which, what] of moves) {
    const open = [...player.run.nodes.values()].filter(isOpenPod);
    const node = open[which % Math.max(1, open.length)];
    if (node === undefined) break;
    const change = changeOf(node, what);
    player.feed(change);
    check(player, change);
  }
  return player;
}

function isOpenPod({ type, phase }: NodeStatus): boolean {
  return type === 'Pod' && (phase === 'Pending' || phase === 'Running');
}

function changeOf({ id }: NodeStatus, what: string): Change {
  if (what === 'gone') return { kind: 'podGone', node: id };
  const pod = what === 'run' ? runningPod() : endedPod(what === 'Failed' ? 'Failed' : 'Succeeded');
  return { kind: 'podChanged', node: id, pod };
}

function shown(index: RunIndex): unknown {
  const counts = [index.open, index.created, index.active, index.failed].map((table) =>
    table.entries().sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return { counts, unfulfilled: [...index.unfulfilled].sort(), pods: index.pods, progress: index.progress };
}

function changes(run: Run, change: Change, now: number): unknown {
  const { nodes, status, actions } = decide(run, change, now);
  return { nodes, status, actions };
}

const NOTHING = { nodes: [], status: {}, actions: [] };

describe('whatever pods do', () => {
  test('the index kept equals the one made anew', () => {
    fc.assert(
      fc.property(specs, plays, (name, moves) => {
        play(name, moves, ({ run }) => assert.deepEqual(shown(run.index), shown(rebuildIndex(run))));
      }),
      { numRuns: 60 },
    );
  });

  test('deciding everything anew yields nothing further', () => {
    fc.assert(
      fc.property(specs, plays, (name, moves) => {
        play(name, moves, ({ run, now }) => assert.deepEqual(changes(run, { kind: 'look' }, now), NOTHING));
      }),
      { numRuns: 60 },
    );
  });

  test('a new process that knows the status alone has nothing to add', () => {
    fc.assert(
      fc.property(specs, plays, (name, moves) => {
        play(name, moves, ({ run, now }) => {
          const fresh: Run = { ...run, index: rebuildIndex(run), frames: new Map(), elements: new Map() };
          assert.deepEqual(changes(fresh, { kind: 'look' }, now), NOTHING);
        });
      }),
      { numRuns: 60 },
    );
  });

  test('a repeated change changes nothing', () => {
    fc.assert(
      fc.property(specs, plays, (name, moves) => {
        play(name, moves, ({ run, now }, change) => {
          // A pod that is gone before it ran is asked for again each time.
          if (change.kind === 'podChanged') assert.deepEqual(changes(run, change, now), NOTHING);
        });
      }),
      { numRuns: 60 },
    );
  });

  test('deciding leaves the run as it is', () => {
    fc.assert(
      fc.property(specs, plays, (name, moves) => {
        play(name, moves, (player) => {
          const { run, now } = player;
          const open = [...run.nodes.values()].find(isOpenPod);
          if (open === undefined) return;
          const change = changeOf(open, 'Succeeded');
          const before = JSON.stringify([...run.nodes]);
          const first = changes(run, change, now);
          assert.equal(JSON.stringify([...run.nodes]), before);
          assert.deepEqual(changes(run, change, now), first);
        });
      }),
      { numRuns: 40 },
    );
  });

  test('every run ends once its pods do, and no node stays open', () => {
    fc.assert(
      fc.property(specs, fc.array(fc.boolean(), { maxLength: 40 }), (name, ends) => {
        const player = new Player(SPECS[name] ?? '');
        for (let round = 0; player.run.status.finishedAt === undefined; round++) {
          assert.ok(round < 200, `still ${player.run.status.phase}: ${player.names.join(', ')}`);
          const node = [...player.run.nodes.values()].find(isOpenPod);
          assert.ok(node, `nothing runs, and nothing ends: ${player.names.join(', ')}`);
          player.feed(changeOf(node, ends[round] === false ? 'Failed' : 'Succeeded'));
        }
        const open = [...player.run.nodes.values()].filter(
          ({ phase }) => phase === 'Pending' || phase === 'Running',
        );
        assert.deepEqual(open, []);
        const { done, total } = readProgress(player.run.status.progress);
        assert.ok(done <= total);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the cost of an event', () => {
  /** The most nodes that one event looked at, after the first tenth and before the end. */
  function mostVisits(player: Player, count: number): number {
    let most = 0;
    for (let at = 0; at < count - 1; at++) {
      const node = [...player.run.index.unfulfilled]
        .map((id) => player.run.nodes.get(id))
        .find((open) => open && isOpenPod(open));
      assert.ok(node);
      player.feed(changeOf(node, 'Succeeded'));
      if (at > count / 10) most = Math.max(most, player.visits);
    }
    return most;
  }

  const chain = (count: number): Player =>
    new Player(`
entrypoint: main
templates:
- name: ok
  container: {image: i}
- name: main
  dag:
    tasks:
${Array.from({ length: count }, (_, at) => `    - {name: t${at}, template: ok${at === 0 ? '' : `, depends: t${at - 1}`}}`).join('\n')}`);

  const groups = (count: number): Player =>
    new Player(`
entrypoint: main
templates:
- name: ok
  container: {image: i}
- name: main
  steps:
${Array.from({ length: count }, (_, at) => `  - [{name: t${at}, template: ok}]`).join('\n')}`);

  const shapes: readonly [name: string, make: (count: number) => Player][] = [
    ['a dag that is a chain', chain],
    ['steps in a row', groups],
  ];
  for (const [name, make] of shapes) {
    test(`does not grow with what is finished: ${name}`, () => {
      assert.equal(mostVisits(make(400), 400), mostVisits(make(100), 100));
    });
  }
});
