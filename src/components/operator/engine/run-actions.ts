import { randomUUID } from 'node:crypto';
import { ApiError, isAlreadyExists } from '@turnsole/kube/client/errors';
import { type Condition, setCondition } from '@turnsole/kube/kinds/conditions';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { withFinalizer } from '@turnsole/kube/runtime/finalizers';
import {
  CHAOS_EXPERIMENTS,
  type ChaosEngine,
  type ChaosExperiment,
  CONDITION_DRY_RUN,
  CONDITION_GIVEN_UP,
  ENGINE_FINALIZER,
  type EngineExperimentStatus,
} from '../../../api/index.ts';
import { verdictOfEngine } from '../../../chaos/engine-verdict.ts';
import { composeExperimentEnv, handoutOf } from '../../../chaos/experiment-env.ts';
import { orderSettings, refusalOfForeign } from '../../../chaos/foreign-image.ts';
import { REASON_HALTED } from '../../../chaos/halt.ts';
import { isKnownImage } from '../../../chaos/known-images.ts';
import { classifyRefusal, type StartProblemReason } from '../../../chaos/pod-start.ts';
import { ANNOTATION_DRY_RUN, wantsDryRun } from '../../../chaos/run-record.ts';
import { runnerPodName } from '../../../chaos/runner-name.ts';
import { unreadText } from '../../../chaos/unread/unread-fields.ts';
import { buildRunnerPod, isForeignRunner, type RunnerPodDefaults } from '../../../engines/pods/runner-pod.ts';
import { unreadOfEngine } from '../../../engines/unread-of-engine.ts';
import type { CreatedRunners } from './created-runners.ts';
import { currentProblem, retryDelayMs } from './decide-engine.ts';
import { ENGINE_EVENTS } from './engine-events.ts';
import type { EngineJournal, Line, Outcome } from './engine-journal.ts';
import { problemsText } from './engine-problems.ts';
import { lastingConditions } from './engine-writes.ts';
import { nameTakenText, observeRunner, runnerObject } from './observed.ts';
import { beginRecord } from './run-annotation.ts';

/** Actions that begin a run, keep it going and end it in order. */
export class RunActions {
  readonly #journal: EngineJournal;
  readonly #runner: RunnerPodDefaults;
  readonly #created: CreatedRunners;

  constructor(journal: EngineJournal, runner: RunnerPodDefaults, created: CreatedRunners) {
    this.#journal = journal;
    this.#runner = runner;
    this.#created = created;
  }

  async initialize(engine: ChaosEngine, after: 'completed' | 'stopped' | undefined): Promise<Outcome> {
    const runId = randomUUID();
    const unread = await this.#unreadTextOf(engine);
    const conditions = beginConditions(engine, this.#journal);
    const experiments = engine.spec.experiments.map(({ name }) => name).join(', ');
    const outcome = await this.#journal.write(
      engine,
      {
        finalizers: withFinalizer(engine, ENGINE_FINALIZER),
        annotations: beginRecord(engine, runId, conditions, this.#runner),
        spec: { engineState: 'active' },
        status: {
          engineStatus: 'initialized',
          runId,
          verdict: null,
          experiments: null,
          runnerAttempts: 1,
          conditions,
        },
      },
      'object-first',
      after === undefined ? creationOf(engine, runId) : undefined,
      after === undefined
        ? { step: 'EngineInitialized', message: `run begins: ${experiments}`, runId }
        : { step: 'EngineRestarted', message: `run begins again after ${after}: ${experiments}`, runId },
      unread === undefined ? undefined : { step: 'SettingsNotUsed', message: unread, runId },
    );
    if (after === 'stopped') this.#journal.emit(engine, ENGINE_EVENTS.restarted());
    this.#journal.emit(engine, ENGINE_EVENTS.initialized(engine.metadata.name));
    if (unread !== undefined) this.#journal.emit(engine, ENGINE_EVENTS.notUsed(unread));
    this.#journal.log(outcome.engine ?? engine).info('run begins');
    return outcome;
  }

  /** What the engine says and nothing reads, as one sentence. A run does not wait for a ChaosExperiment that cannot be read. */
  async #unreadTextOf(engine: ChaosEngine): Promise<string | undefined> {
    const { client } = this.#journal;
    const { namespace = '' } = engine.metadata;
    try {
      const unread = await unreadOfEngine(engine, { client, namespace, operator: this.#runner });
      return unread.length === 0 ? undefined : problemsText(unread.map(unreadText));
    } catch (error) {
      this.#journal.log(engine).warn({ err: error }, 'cannot say which settings of the engine are not used');
      return undefined;
    }
  }

  async createRunner(engine: ChaosEngine, attempt: number): Promise<Outcome> {
    const { client } = this.#journal;
    const { name, namespace = '' } = engine.metadata;
    const place = { namespace };
    const firstName = engine.spec.experiments[0]?.name ?? '';
    const first = await client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, firstName, place);
    const refusal = this.isForeignRunner(engine) ? await this.#refusalOfRunner(engine) : undefined;
    if (refusal !== undefined) return this.giveUp(engine, 'RunnerUnable', refusal);
    try {
      const pod = await client.create<Pod>(PODS, buildRunnerPod(engine, first, this.#runner), place);
      this.#created.remember(engine.metadata.uid ?? '', pod);
    } catch (error) {
      return this.#explainRefusal(engine, error, attempt);
    }
    const again = attempt > 1 ? ` (attempt ${attempt})` : '';
    this.#journal.log(engine).info({ pod: runnerPodName(name), attempt }, 'runner pod created');
    return this.#journal.append(engine, {
      step: 'RunnerCreated',
      message: `runner pod ${namespace}/${runnerPodName(name)} created${again}`,
      object: runnerObject(engine),
    });
  }

  /** Whether this engine's runner is known not to be Turnsole's. */
  isForeignRunner(engine: ChaosEngine): boolean {
    return isForeignRunner(engine, this.#runner);
  }

  /**
   * Why a foreign runner must not run this engine: it starts every experiment, one after the other, and passes on
   * none of our settings. Settings that our own experiments read themselves are no reason.
   */
  async #refusalOfRunner(engine: ChaosEngine): Promise<string | undefined> {
    const { knownImages = [], protectedNamespaces = '' } = this.#runner;
    const ignored = orderSettings(engine);
    if (ignored.length > 0) {
      return (
        `the runner of this engine is not Turnsole's and does not know ${ignored.join(', ')}; use Turnsole's runner ` +
        '(leave out spec.components.runner.image), or remove these settings'
      );
    }
    const place = { namespace: engine.metadata.namespace ?? '' };
    const handout = handoutOf(engine, this.#runner);
    for (const [position, entry] of engine.spec.experiments.entries()) {
      const found = await this.#journal.client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, entry.name, place);
      const definition = found?.spec?.definition ?? {};
      const asked = entry.spec?.components?.experimentImage || definition.image || '';
      // A foreign runner replaces no images: the image of the spec is the one that runs.
      if (asked === '' || isKnownImage(asked, knownImages)) continue;
      const { name } = entry;
      const sources = { engine, name, definition, entry, position, handout, pullPolicy: '' };
      const { variables: env } = composeExperimentEnv(sources);
      const refusal = refusalOfForeign({ engine, env, image: asked, protectedNamespaces });
      if (refusal !== undefined) return `experiment ${name}: ${refusal}`;
    }
    return undefined;
  }

  /** A runner pod that could not be created: known reasons become the engine's problem, others are tried again. */
  async #explainRefusal(engine: ChaosEngine, error: unknown, attempt: number): Promise<Outcome> {
    const { name, namespace = '' } = engine.metadata;
    const pod = runnerPodName(name);
    if (isAlreadyExists(error)) {
      const present = await this.#journal.client.find<Pod>(PODS, pod, { namespace });
      const state = observeRunner(present, engine).kind;
      if (state === 'foreign') return this.#refused(engine, 'NameTaken', nameTakenText(name));
      return state === 'absent' || state === 'terminating' ? { requeueAfterMs: retryDelayMs(0) } : {};
    }
    if (!(error instanceof ApiError)) throw error;
    const said = error.status.message ?? error.message;
    const reason = classifyRefusal({ code: error.code, reason: error.reason, message: said });
    if (reason === undefined) throw error;
    const advice = reason === 'ServiceAccountNotFound' ? adviceOf(attempt) : '';
    return this.#refused(engine, reason, `cannot make runner pod ${pod}: ${said}${advice}`);
  }

  /** Records why the runner pod is missing, and comes back soon to try again or to give up. */
  async #refused(engine: ChaosEngine, reason: StartProblemReason, message: string): Promise<Outcome> {
    const outcome = await this.reportProblem(engine, reason, message, undefined);
    const nowMs = this.#journal.clock.now();
    const sinceMs = currentProblem({ engine: outcome.engine ?? engine, nowMs })?.sinceMs ?? nowMs;
    return { ...outcome, requeueAfterMs: retryDelayMs(nowMs - sinceMs) };
  }

  async reportProblem(
    engine: ChaosEngine,
    reason: StartProblemReason,
    message: string,
    attempts: number | undefined,
  ): Promise<Outcome> {
    const known = currentProblem({ engine, nowMs: this.#journal.clock.now() });
    if (known?.reason === reason && known.message === message && attempts === undefined) return {};
    const condition = this.#journal.condition(engine, 'False', reason, message);
    const outcome = await this.#journal.write(
      engine,
      {
        status: { conditions: setCondition(engine.status?.conditions, condition), runnerAttempts: attempts },
      },
      'status-first',
      { step: reason, message },
    );
    const hadBegun = HAD_BEGUN.has(reason);
    const phase = hadBegun ? 'chaos running' : 'chaos start';
    this.#journal.emit(engine, ENGINE_EVENTS.failed(phase, message));
    this.#journal.log(engine).warn({ reason, detail: message }, 'run cannot go on');
    return outcome;
  }

  clearProblem(engine: ChaosEngine): Promise<Outcome> {
    const message = 'the runner runs';
    const condition = this.#journal.condition(engine, 'True', 'RunnerRunning', message);
    return this.#journal.writeCondition(engine, condition, {
      step: 'RunnerRunning',
      message,
      object: runnerObject(engine),
    });
  }

  /** Status first: a crash before the second write leaves (active, stopped), from where the same decision follows again. */
  async reject(engine: ChaosEngine, problems: readonly string[]): Promise<Outcome> {
    const message = problemsText(problems);
    const runId = randomUUID();
    const condition = this.#journal.condition(engine, 'False', 'SpecInvalid', message);
    const outcome = await this.#journal.write(
      engine,
      {
        spec: { engineState: 'stop' },
        status: {
          engineStatus: 'stopped',
          runId,
          experiments: null,
          conditions: setCondition(lastingConditions(engine.status?.conditions), condition),
        },
      },
      'status-first',
      { step: 'EngineRejected', message, runId },
    );
    this.#journal.emit(engine, ENGINE_EVENTS.failed('chaos start', message));
    this.#journal.log(engine).warn({ problems }, 'engine rejected');
    return outcome;
  }

  /** Status first, so that the abort that follows knows why. */
  async giveUp(engine: ChaosEngine, reason: StartProblemReason, message: string): Promise<Outcome> {
    const cause = this.#journal.condition(engine, 'False', reason, message);
    const givenUp = { ...cause, type: CONDITION_GIVEN_UP, status: 'True' } as const;
    const conditions = setCondition(setCondition(engine.status?.conditions, cause), givenUp);
    const outcome = await this.#journal.write(
      engine,
      { spec: { engineState: 'stop' }, status: { conditions } },
      'status-first',
      { step: 'RunGivenUp', message },
    );
    this.#journal.emit(engine, ENGINE_EVENTS.failed('chaos start', `giving up: ${message}`));
    this.#journal.log(engine).error({ reason, detail: message }, 'run given up');
    return outcome;
  }

  /** The lever stays pulled until it is released: a crash before the write leads here again. */
  async halt(engine: ChaosEngine, message: string): Promise<Outcome> {
    const line = { step: 'Halted', message };
    const change = { spec: { engineState: 'stop' } };
    const outcome = await this.#journal.write(engine, change, 'object-first', line);
    this.#journal.emit(engine, ENGINE_EVENTS.failed('chaos running', message));
    this.#journal.log(engine).warn({ detail: message }, 'run halted');
    return outcome;
  }

  async reportHalted(engine: ChaosEngine, message: string): Promise<Outcome> {
    const condition = this.#journal.condition(engine, 'False', REASON_HALTED, message);
    const outcome = await this.#journal.writeCondition(engine, condition, {
      step: 'WaitingForRelease',
      message,
    });
    this.#journal.emit(engine, ENGINE_EVENTS.failed('chaos start', message));
    return outcome;
  }

  /** Object first: (stop, initialized) with a completed runner is completed again; (active, completed) would restart. */
  async complete(
    engine: ChaosEngine,
    deletes: readonly string[] = [],
    experiments?: readonly EngineExperimentStatus[],
  ): Promise<Outcome> {
    // A runner may be done before it was ever seen running: what kept it from starting is over all the same.
    const hadProblem = currentProblem({ engine, nowMs: this.#journal.clock.now() }) !== undefined;
    const healed = this.#journal.condition(engine, 'True', 'RunnerCompleted', 'the runner has ended well');
    const outcome = await this.#journal.write(
      engine,
      {
        spec: { engineState: 'stop' },
        status: {
          engineStatus: 'completed',
          ...(experiments === undefined ? {} : { experiments: [...experiments] }),
          verdict: verdictOfEngine(experiments ?? engine.status?.experiments) ?? null,
          ...(hadProblem ? { conditions: setCondition(engine.status?.conditions, healed) } : {}),
        },
      },
      'object-first',
      {
        step: 'EngineCompleted',
        message:
          experiments === undefined
            ? 'all experiments have ended'
            : "all experiments have ended; the verdicts are those of the results, since the runner's node does not answer",
      },
      // The clean-up is the next pass: reported now, it costs no write of its own.
      deletes.length === 0
        ? undefined
        : {
            step: 'PodsDeleted',
            message: `pods ${deletes.join(', ')} are deleted, as jobCleanUpPolicy delete says`,
          },
    );
    this.#journal.emit(engine, ENGINE_EVENTS.completed());
    this.#journal.log(engine).info('engine completed');
    return outcome;
  }
}

/** Problems of a run whose runner was at work before. */
const HAD_BEGUN: ReadonlySet<StartProblemReason> = new Set(['RunnerLost', 'RunnerFailing', 'RunnerRefused']);

/** The first runner had the account: it was deleted since. */
function adviceOf(attempt: number): string {
  return attempt > 1
    ? '; the service account was deleted while the run was under way: create it and run the engine again'
    : '; create it or set spec.chaosServiceAccount';
}

/** The conditions a run begins with; that it is a dry run is among them from the start. */
function beginConditions(engine: ChaosEngine, journal: EngineJournal): Condition[] {
  const lasting = lastingConditions(engine.status?.conditions);
  if (!wantsDryRun(engine)) return lasting;
  const cause = engine.spec.dryRun === true ? 'spec.dryRun' : `annotation ${ANNOTATION_DRY_RUN}`;
  const message = `${cause} is true: nothing is injected, and what comes out of it is no pass`;
  const condition = journal.condition(engine, 'True', 'DryRunRequested', message);
  return setCondition(lasting, { ...condition, type: CONDITION_DRY_RUN });
}

/** The first step of all: the engine was created. */
function creationOf({ metadata }: ChaosEngine, runId: string): Line | undefined {
  const { name, namespace = '', creationTimestamp } = metadata;
  if (creationTimestamp === undefined) return undefined;
  return {
    // Kubernetes keeps whole seconds; steps have milliseconds.
    time: new Date(creationTimestamp).toISOString(),
    actor: 'user',
    step: 'EngineCreated',
    object: `chaosengine/${namespace}/${name}`,
    message: `ChaosEngine ${namespace}/${name} was created`,
    runId,
  };
}
