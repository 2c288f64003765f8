import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import fc from 'fast-check';
import { expireQueuedRuns, QUEUE_LIMIT_MS } from '../run/expire-queued-runs.ts';
import { pruneRuns } from '../run/prune-runs.ts';
import { scoreOfRow } from '../run/run-outcome.ts';
import { executionText } from '../run/testing/execution.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { engineYaml, faultTemplate, workflowOf } from './testing/manifests.ts';
import { Scene } from './testing/scene.ts';

const STOP = `mutation ($p: ID!, $id: String!, $n: String) { stopExperimentRuns(projectID: $p, experimentID: $id, notifyID: $n) }`;
const REMOVE = `mutation ($p: ID!, $id: String!, $n: String) { deleteChaosExperiment(projectID: $p, experimentID: $id, experimentRunID: $n) }`;

const SHOP = workflowOf(faultTemplate(engineYaml())).object;
const ENGINE = { engineName: 'pod-deleteabcde', experimentVerdict: 'Pass', probeSuccessPercentage: '50' };
const WORDS = [
  { text: executionText([]) },
  { text: executionText([{ ...ENGINE, phase: 'Running' }]) },
  { text: executionText([ENGINE], { phase: 'Completed', finishedAt: '9' }), completed: true },
  { text: executionText([ENGINE], { phase: 'Error', finishedAt: '9' }), completed: true },
];

/** What may happen to a run, by its number among those of the test. */
type Step =
  | { readonly do: 'run' | 'expire' | 'prune' | 'stop all' }
  | { readonly do: 'tell'; readonly run: number; readonly word: number }
  | { readonly do: 'stop' | 'delete'; readonly run: number };

const run = fc.nat({ max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'run' } as const) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('tell' as const), run, word: fc.nat({ max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'delete' as const), run }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'expire' }, { do: 'prune' }, { do: 'stop all' } as const) },
) as fc.Arbitrary<Step>;

/** One experiment of one server; operations that are refused change nothing. */
class World {
  readonly #scene: Scene;
  readonly #clock: FakeClock;
  readonly #id: string;
  readonly #started: string[] = [];

  constructor(scene: Scene, clock: FakeClock, id: string) {
    this.#scene = scene;
    this.#clock = clock;
    this.#id = id;
  }

  async take(one: Step): Promise<void> {
    const { plane } = this.#scene.server;
    switch (one.do) {
      case 'run':
        this.#started.push(await this.#scene.run(this.#id));
        return;
      case 'tell': {
        const notifyID = this.#started[one.run];
        if (notifyID === undefined) return;
        await this.#scene.report({
          experimentID: this.#id,
          runID: `uid ${notifyID}`,
          notifyID,
          ...WORDS[one.word],
        });
        return;
      }
      case 'stop':
      case 'delete':
        await this.#scene.refusal(one.do === 'stop' ? STOP : REMOVE, {
          id: this.#id,
          n: this.#started[one.run] ?? 'none',
        });
        return;
      case 'stop all':
        await this.#scene.refusal(STOP, { id: this.#id });
        return;
      case 'expire':
        await this.#clock.advance(QUEUE_LIMIT_MS + 1);
        await expireQueuedRuns({ plane });
        return;
      case 'prune':
        await pruneRuns(plane, this.#clock.now(), new AbortController().signal);
    }
  }

  /** What is counted, and what counting the runs gives. */
  async counts(): Promise<readonly [counted: object, recounted: object]> {
    const { read } = this.#scene.server.plane.store;
    const experiment = await read
      .selectFrom('experiments')
      .select(['completed_runs', 'score_sum'])
      .where('id', '=', this.#id)
      .executeTakeFirstOrThrow();
    const rows = await read
      .selectFrom('run_counters')
      .select(['phase', 'runs'])
      .where('runs', '!=', 0)
      .execute();
    const runs = await read.selectFrom('runs').selectAll().where('removed', '=', 0).execute();
    const scores = runs
      .filter(({ experiment_id }) => experiment_id === this.#id)
      .map(scoreOfRow)
      .filter((score) => score !== null);
    const phases = [...Map.groupBy(runs, ({ phase }) => phase)].map(([phase, group]) => [
      phase,
      group.length,
    ]);
    return [
      { ...experiment, phases: Object.fromEntries(rows.map(({ phase, runs: number }) => [phase, number])) },
      {
        completed_runs: scores.length,
        score_sum: scores.reduce((sum, score) => sum + score, 0),
        phases: Object.fromEntries(phases),
      },
    ];
  }
}

describeOnDatabases('what is counted of runs', (database) => {
  test('is what counting them gives, whatever happens in whatever order', async () => {
    const clock = new FakeClock();
    const scene = await Scene.start(database, { clock });
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const id = `e${made++}`;
        const manifest = JSON.stringify({ ...SHOP, metadata: { name: id, namespace: 'litmus' } });
        await scene.save(id, { name: id, manifest });
        const world = new World(scene, clock, id);
        for (const one of steps) await world.take(one);
        const [counted, recounted] = await world.counts();
        assert.deepEqual(counted, recounted);
      }),
      { numRuns: 12 },
    );
  });
});
