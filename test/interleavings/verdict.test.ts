/**
 * One verdict, whatever the order of writes: experiment, runner, operator and user write engine and result of one run, request by
 * request in an order that the property draws, with processes that are killed in between. The decisions and writers are the
 * real ones, on the embedded API server; only pods are played.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import { isConflict, isNotFound } from '@turnsole/kube/client/errors';
import { createClient } from '@turnsole/kube/client/index';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import fc from 'fast-check';
import { CUSTOM_RESOURCES } from '../../src/api/crds.ts';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  ENGINE_FINALIZER,
  LABEL_CHAOS_UID,
  LABEL_RUN_ID,
} from '../../src/api/index.ts';
import { decideEngine } from '../../src/components/operator/engine/decide-engine.ts';
import { EngineExecutor } from '../../src/components/operator/engine/engine-executor.ts';
import { observeEngine } from '../../src/components/operator/engine/observed.ts';
import { EngineStatusWriter, RunOverError } from '../../src/components/runner/engine-status.ts';
import type { RunContext } from '../../src/components/runner/run-context.ts';
import { recordVerdict } from '../../src/components/runner/run-experiment.ts';
import type { JobPlan } from '../../src/engines/pods/job-plan.ts';

const NAMESPACE = 'default';
const RUN = 'r1';
const EXPERIMENT = 'pod-delete';

/** Far more than a run takes: one that needs so many is stuck. */
const MAX_REQUESTS = 1_000;

/** How one run is played. */
interface Play {
  /** Verdict that the experiment stores if nobody stops it; `none` when it is killed before. */
  readonly verdict: 'Pass' | 'Fail' | 'Error' | 'none';
  /** Whether it still stores Stopped when it is aborted, or is killed outright. */
  readonly says: boolean;
  readonly stops: boolean;
  readonly deletes: boolean;
  readonly dryRun: boolean;
  /** Which of the waiting requests goes next, again and again. */
  readonly choices: readonly number[];
}

const plays: fc.Arbitrary<Play> = fc.record({
  verdict: fc.constantFrom('Pass', 'Fail', 'Error', 'none'),
  says: fc.boolean(),
  stops: fc.boolean(),
  deletes: fc.boolean(),
  dryRun: fc.boolean(),
  choices: fc.array(fc.nat(11), { minLength: 4, maxLength: 60 }),
});

/** Lets one request through at a time, in the order of the choices. */
class Turnstile {
  readonly #choices: readonly number[];
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #afterEach: () => Promise<void>;
  #turn = 0;

  constructor(choices: readonly number[], afterEach: () => Promise<void>) {
    this.#choices = choices;
    this.#afterEach = afterEach;
  }

  /** A client whose requests wait for their turn; those of a killed process never get one. */
  wrap(client: KubeClient, killed: () => boolean): KubeClient {
    const methods = new Set(['get', 'find', 'list', 'create', 'update', 'patch', 'delete']);
    return new Proxy(client, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (!methods.has(String(key))) return method;
        return (...args: unknown[]) =>
          new Promise((resolve, reject) => {
            this.#waiting.push(async () => {
              if (!killed()) await method(...args).then(resolve, reject);
            });
          });
      },
    });
  }

  /** Something that happens at a moment of its own: a step of the user's, or a look of the operator's. */
  async moment(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push(async () => resolve()));
  }

  /** Serves until `done` is settled. */
  async run(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    let idle = 0;
    void done.then(
      () => {
        isDone = true;
      },
      () => {
        isDone = true;
      },
    );
    for (;;) {
      // What the last answer leads to is asked for within a few turns of the event loop.
      for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
      if (isDone) return;
      // When the choices are used up, whoever waits longest goes next: everybody comes to an end.
      const choice = this.#choices[this.#turn++] ?? 0;
      const [next] = this.#waiting.splice(choice % Math.max(1, this.#waiting.length), 1);
      // Answers come over a real connection: nobody may be waiting for a moment.
      idle = next === undefined ? idle + 1 : 0;
      assert.ok(this.#turn < MAX_REQUESTS, 'the run does not come to an end');
      assert.ok(idle < MAX_REQUESTS, 'nobody asks for anything, and the run is not over');
      if (next === undefined) continue;
      await next();
      await this.#afterEach();
    }
  }
}

for (const statusSubresource of [false, true]) {
  const kind = statusSubresource ? 'status as subresource' : 'status in the object';

  describe(`interleavings of writes (${kind})`, () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-interleavings-'));
    const server = createApiServer({ dataDir });
    let client: KubeClient;
    let runs = 0;
    before(async () => {
      await server.listen();
      client = createClient(server.adminConfig);
      for (const { definition } of CUSTOM_RESOURCES) {
        // The definition as the API takes it; our own type leaves out what this changes.
        const object = structuredClone(definition) as unknown as KubeObject & {
          spec: { versions: { subresources?: object }[] };
        };
        if (statusSubresource)
          for (const version of object.spec.versions) version.subresources = { status: {} };
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, object);
      }
    });
    after(async () => {
      client.close();
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('leave one verdict, and the engine never says less than the result', {
      timeout: 240_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(plays, (play) => playRun(client, `e${runs++}`, play)),
        { numRuns: 100, interruptAfterTimeLimit: 120_000 },
      );
    });
  });
}

/** Plays one run to its end and judges it after every request. */
async function playRun(client: KubeClient, name: string, play: Play): Promise<void> {
  const place = { namespace: NAMESPACE };
  const resultName = `${name}-${EXPERIMENT}`;
  const engine = await startedEngine(client, name, play.dryRun);
  const history: Seen[] = [];
  const look = async (): Promise<void> => {
    const [now, result] = await Promise.all([
      client.find<ChaosEngine>(CHAOS_ENGINES, name, place),
      client.find<ChaosResult>(CHAOS_RESULTS, resultName, place),
    ]);
    history.push(seen(now, result));
    judge(history, play);
  };
  const turnstile = new Turnstile(play.choices, look);
  const stop = new AbortController();
  const world = { experiment: 'runs', runner: 'runs' } as World;
  const experiment = playExperiment(
    turnstile.wrap(client, () => world.experiment === 'gone'),
    engine,
    resultName,
    play,
    stop.signal,
  ).finally(() => {
    world.experiment = 'gone';
  });
  const runner = playRunner(turnstile, client, engine, resultName, experiment, world, stop.signal);
  // The end of either is judged by what is stored. A play that the time limit cuts off loses its server as well.
  for (const one of [experiment, runner]) one.catch(() => {});
  const user = playUser(turnstile, client, name, play);
  const operator = playOperator(turnstile, client, name, world, stop, play.says);
  const ended = Promise.all([user, operator]);
  await turnstile.run(ended);
  await ended;
  world.experiment = 'gone';
  world.runner = world.runner === 'completed' ? 'completed' : 'gone';
  const last = history.at(-1);
  assert.ok(last !== undefined);
  assert.ok(last.result === undefined || isFinal(last.result), `the result is left ${last.result}`);
  if (!play.deletes) assert.ok(isFinal(last.engine), `the engine is left ${last.engine}`);
}

interface World {
  experiment: 'runs' | 'gone';
  runner: 'runs' | 'completed' | 'gone';
}

/** What engine and result say at a moment: verdicts, undefined where there is none yet. */
interface Seen {
  readonly engine: string | undefined;
  readonly result: string | undefined;
}

function seen(engine: ChaosEngine | undefined, result: ChaosResult | undefined): Seen {
  const entry = engine?.status?.experiments?.[0];
  return {
    engine: entry === undefined || entry.status === 'Running' ? undefined : entry.verdict,
    result: result?.status?.experimentStatus?.verdict,
  };
}

function isFinal(verdict: string | undefined): boolean {
  return verdict !== undefined && verdict !== 'Awaited';
}

/** Holds after every single request. */
function judge(history: readonly Seen[], { verdict, dryRun }: Play): void {
  const [before_, now] = history.slice(-2).length === 2 ? history.slice(-2) : [undefined, history.at(-1)];
  if (now === undefined) return;
  const text = JSON.stringify(history.slice(-4));
  // A verdict that has been given stays, in both.
  if (isFinal(before_?.result)) assert.equal(now.result, before_?.result, `the result changed: ${text}`);
  if (isFinal(before_?.engine) && now.engine !== undefined) {
    assert.equal(now.engine, before_?.engine, `the engine changed: ${text}`);
  }
  // The engine is never ahead of its result, and agrees with it; a run that was stopped early may have none.
  if (isFinal(now.engine) && now.result !== undefined) {
    assert.equal(now.engine, now.result, `engine and result differ: ${text}`);
  }
  if (now.result === undefined) assert.ok(!isFinal(now.engine) || now.engine === 'Stopped', text);
  // Nobody invents a pass.
  if (now.result === 'Pass' || now.engine === 'Pass') assert.ok(verdict === 'Pass' && !dryRun, text);
}

async function startedEngine(client: KubeClient, name: string, dryRun: boolean): Promise<ChaosEngine> {
  const place = { namespace: NAMESPACE };
  const created = await client.create<ChaosEngine>(
    CHAOS_ENGINES,
    {
      metadata: { name, finalizers: [ENGINE_FINALIZER] },
      spec: { engineState: 'active', experiments: [{ name: EXPERIMENT }], ...(dryRun ? { dryRun } : {}) },
    },
    place,
  );
  const experiments = [
    {
      name: EXPERIMENT,
      runner: `${name}-runner`,
      experimentPod: 'pod',
      status: 'Running',
      verdict: 'Awaited',
    },
  ];
  const status = { engineStatus: 'initialized', runId: RUN, runnerAttempts: 1, experiments, timeline: [] };
  const options = await statusOptions(client, CHAOS_ENGINES, place);
  await client.patch(CHAOS_ENGINES, name, 'merge', { status }, options);
  return client.get<ChaosEngine>(CHAOS_ENGINES, created.metadata.name, place);
}

/** Stores Running, then its verdict; when it is aborted before that, Stopped or nothing. */
async function playExperiment(
  client: KubeClient,
  engine: ChaosEngine,
  resultName: string,
  { verdict, says, dryRun }: Play,
  signal: AbortSignal,
): Promise<void> {
  const place = { namespace: NAMESPACE };
  const options = await statusOptions(client, CHAOS_RESULTS, place);
  const store = async (phase: string, word: string): Promise<void> => {
    const experimentStatus = { phase, verdict: word, probeSuccessPercentage: '0' };
    const status = { experimentStatus, ...(dryRun ? { dryRun } : {}) };
    await client.patch(CHAOS_RESULTS, resultName, 'merge', { status }, options);
  };
  await client.create<ChaosResult>(
    CHAOS_RESULTS,
    {
      metadata: {
        name: resultName,
        labels: { [LABEL_CHAOS_UID]: engine.metadata.uid ?? '', [LABEL_RUN_ID]: RUN },
      },
      spec: { engine: engine.metadata.name, experiment: EXPERIMENT },
    },
    place,
  );
  await store('Running', 'Awaited');
  if (signal.aborted && says) return store('Stopped', 'Stopped');
  if (verdict === 'none') return;
  await store('Completed', dryRun && verdict === 'Pass' ? 'N/A' : verdict);
}

/** Waits for the end of the experiment, then judges it as the runner does. */
async function playRunner(
  turnstile: Turnstile,
  client: KubeClient,
  engine: ChaosEngine,
  resultName: string,
  experiment: Promise<void>,
  world: World,
  signal: AbortSignal,
): Promise<void> {
  const own = turnstile.wrap(client, () => world.runner === 'gone');
  const status = new EngineStatusWriter(
    { client: own, clock: systemClock, engine, runId: RUN, signal: new AbortController().signal },
    engine.status?.experiments ?? [],
  );
  // What judging does not use is left out.
  const run = {
    client: own,
    clock: systemClock,
    logger: silentLogger,
    settings: { namespace: NAMESPACE },
    runId: RUN,
    status,
    events: { emit: () => {} },
    signal: new AbortController().signal,
    background: () => {},
  } as unknown as RunContext;
  const plan = { name: EXPERIMENT, index: 0, runId: RUN, engine, resultName } as unknown as JobPlan;
  try {
    await experiment.catch(() => {});
    if (signal.aborted) return;
    await recordVerdict(run, plan, { kind: 'ended', pod: 'pod' });
    if (world.runner === 'runs') world.runner = 'completed';
  } catch (error) {
    if (!(error instanceof RunOverError)) throw error;
  } finally {
    if (world.runner === 'runs') world.runner = 'gone';
  }
}

async function playUser(turnstile: Turnstile, client: KubeClient, name: string, play: Play): Promise<void> {
  const own = turnstile.wrap(client, () => false);
  const place = { namespace: NAMESPACE };
  try {
    if (play.stops) await own.patch(CHAOS_ENGINES, name, 'merge', { spec: { engineState: 'stop' } }, place);
    if (play.deletes) await own.delete(CHAOS_ENGINES, name, place);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Looks, decides and acts until the run is over; pods go when it says so. */
async function playOperator(
  turnstile: Turnstile,
  client: KubeClient,
  name: string,
  world: World,
  stop: AbortController,
  graceful: boolean,
): Promise<void> {
  const place = { namespace: NAMESPACE };
  const killing = new Proxy(
    turnstile.wrap(client, () => false),
    {
      get: (target, key) => {
        if (key === 'deleteCollection') return () => endPods(turnstile, world, stop, graceful);
        if (key === 'delete') {
          // Of pods only a runner that has ended is deleted by its name.
          return async () => {
            world.runner = 'gone';
          };
        }
        return Reflect.get(target, key) as unknown;
      },
    },
  );
  const executor = new EngineExecutor({
    client: killing,
    namespace: NAMESPACE,
    clock: systemClock,
    logger: silentLogger,
    emit: () => {},
    runner: { image: 'runner' },
    monitor: { image: 'monitor' },
  });
  for (;;) {
    await turnstile.moment();
    const engine = await killing.find<ChaosEngine>(CHAOS_ENGINES, name, place);
    if (engine === undefined) return;
    const { status, metadata } = engine;
    const isOver = status?.engineStatus !== 'initialized' && metadata.deletionTimestamp === undefined;
    if (isOver) return;
    const results = (await killing.list<ChaosResult>(CHAOS_RESULTS, place)).items.filter(
      (result) => result.metadata.labels?.[LABEL_CHAOS_UID] === metadata.uid,
    );
    const pods = [
      ...(world.runner === 'gone' ? [] : [podOf(engine, world.runner === 'completed')]),
      ...(world.experiment === 'gone' ? [] : [{ metadata: { name: 'pod', namespace: NAMESPACE } }]),
    ];
    const runner = pods.find((pod) => pod.metadata.name === `${name}-runner`);
    const observed = observeEngine(
      { engine, runner, pods, jobs: [], results },
      { problems: [], nowMs: systemClock.now(), isFresh: true },
    );
    // A runner that is gone would be made anew; this play has one.
    const actions = decideEngine(observed).filter(
      ({ type }) => !['createRunner', 'reportProblem'].includes(type),
    );
    try {
      await executor.apply(engine, actions, new AbortController().signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    if (world.runner === 'gone' && actions.length === 0) {
      // Lost for good: what the operator does after its third pod.
      await killing
        .patch(CHAOS_ENGINES, name, 'merge', { spec: { engineState: 'stop' } }, place)
        .catch(() => {});
    }
  }
}

/** SIGTERM, and SIGKILL after the grace: some of what they had begun to write arrives. */
async function endPods(
  turnstile: Turnstile,
  world: World,
  stop: AbortController,
  graceful: boolean,
): Promise<void> {
  stop.abort();
  for (let moments = 0; graceful && moments < 4; moments++) await turnstile.moment();
  world.experiment = 'gone';
  if (world.runner === 'runs') world.runner = 'gone';
}

function podOf({ metadata }: ChaosEngine, hasCompleted: boolean): Pod {
  const state = hasCompleted ? { terminated: { exitCode: 0, reason: 'Completed' } } : { running: {} };
  return {
    metadata: {
      name: `${metadata.name}-runner`,
      namespace: NAMESPACE,
      labels: { [LABEL_RUN_ID]: RUN },
      ownerReferences: [
        {
          apiVersion: 'litmuschaos.io/v1alpha1',
          kind: 'ChaosEngine',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    status: {
      phase: hasCompleted ? 'Succeeded' : 'Running',
      containerStatuses: [
        { name: 'chaos-runner', image: '', imageID: '', ready: false, restartCount: 0, state },
      ],
    },
  };
}
