import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ReconcileResult } from '@turnsole/kube/runtime/controller';
import { withFinalizer, withoutFinalizer } from '@turnsole/kube/runtime/finalizers';
import { type ChaosEngine, ENGINE_FINALIZER } from '../../../api/index.ts';
import { runnerPodName } from '../../../chaos/runner-name.ts';
import type { RunnerPodDefaults } from '../../../engines/pods/runner-pod.ts';
import type { EngineAction } from './actions.ts';
import { CleanupActions } from './cleanup-actions.ts';
import { CreatedRunners } from './created-runners.ts';
import { EngineJournal, type JournalOptions, type Outcome } from './engine-journal.ts';
import { LastWordWatch } from './last-word-watch.ts';
import { MonitorActions } from './monitor-actions.ts';
import type { MonitorDefaults } from './monitor-objects.ts';
import { RecoveryActions } from './recovery-actions.ts';
import { RunActions } from './run-actions.ts';

/** What carrying out actions needs. */
interface ExecutorOptions extends JournalOptions {
  /** The operator's; empty for all. */
  readonly namespace: string;
  readonly runner: RunnerPodDefaults;
  readonly monitor: MonitorDefaults;
}

/** Carries out what was decided; each action is idempotent. */
export class EngineExecutor {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly created: CreatedRunners;
  readonly lastWords: LastWordWatch;
  readonly #journal: EngineJournal;
  readonly #run: RunActions;
  readonly #cleanup: CleanupActions;
  readonly #recovery: RecoveryActions;
  readonly #monitor: MonitorActions;

  constructor(options: ExecutorOptions) {
    this.client = options.client;
    this.clock = options.clock;
    this.lastWords = new LastWordWatch(options.client, options.clock, options.namespace);
    this.#journal = new EngineJournal(options);
    this.created = new CreatedRunners(options.clock);
    this.#run = new RunActions(this.#journal, options.runner, this.created);
    this.#cleanup = new CleanupActions(this.#journal);
    this.#recovery = new RecoveryActions(this.#journal);
    this.#monitor = new MonitorActions(this.#journal, options.monitor);
  }

  /** Carries out the actions in order. Each gets the engine as the one before it left it. */
  async apply(
    engine: ChaosEngine,
    actions: readonly EngineAction[],
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    if (!actions.some(({ type }) => type === 'awaitLastWords'))
      this.lastWords.leave(engine.metadata.uid ?? '');
    let current = engine;
    let requeueAfterMs: number | undefined;
    for (const action of actions) {
      signal.throwIfAborted();
      const outcome = await this.#applyOne(current, action);
      if (outcome.engine !== undefined) current = outcome.engine;
      if (outcome.requeueAfterMs !== undefined) {
        requeueAfterMs = Math.min(requeueAfterMs ?? Number.POSITIVE_INFINITY, outcome.requeueAfterMs);
      }
    }
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  /** Whether this engine's runner is known not to be Turnsole's. */
  isForeignRunner(engine: ChaosEngine): boolean {
    return this.#run.isForeignRunner(engine);
  }

  /** Forgets an engine that was deleted. */
  forget(uid: string): void {
    this.#journal.forget(uid);
    this.created.forget(uid);
    this.lastWords.leave(uid);
  }

  async #applyOne(engine: ChaosEngine, action: EngineAction): Promise<Outcome> {
    switch (action.type) {
      case 'confirm':
        // Only the first action of a stale decision; the reconciler has dealt with it.
        return {};
      case 'initialize':
        return this.#run.initialize(engine, action.restartAfter);
      case 'addFinalizer':
        return this.#journal.write(
          engine,
          { finalizers: withFinalizer(engine, ENGINE_FINALIZER) },
          'object-first',
        );
      case 'createRunner':
        return this.#run.createRunner(engine, action.attempt);
      case 'createMonitor':
        return this.#monitor.create(engine);
      case 'removeMonitor':
        return this.#monitor.remove(engine);
      case 'deleteRunner':
        return this.#cleanup.deletePods(engine, [runnerPodName(engine.metadata.name)], action.force);
      case 'reportProblem':
        return this.#run.reportProblem(engine, action.reason, action.message, action.attempts);
      case 'clearProblem':
        return this.#run.clearProblem(engine);
      case 'reject':
        return this.#run.reject(engine, action.problems);
      case 'giveUp':
        return this.#run.giveUp(engine, action.reason, action.message);
      case 'halt':
        return this.#run.halt(engine, action.message);
      case 'reportHalted':
        return this.#run.reportHalted(engine, action.message);
      case 'complete':
        return this.#run.complete(engine, action.deletes, action.experiments);
      case 'deleteChildren':
        return this.#cleanup.deleteChildren(engine, action);
      case 'forceDelete':
        return this.#cleanup.forceDelete(engine, action);
      case 'deleteEnginePods':
        return this.#cleanup.deletePods(engine, action.pods, false);
      case 'closeEntries':
      case 'startRecovery':
      case 'checkRecovery':
      case 'reportLeft':
      case 'removeRecoveries':
        return this.#recovery.apply(engine, action);
      case 'awaitLastWords':
        this.lastWords.follow(engine);
        return {};
      case 'finishAbort':
        return this.#cleanup.finishAbort(engine, action);
      case 'removeFinalizer':
        return this.#journal.write(
          engine,
          { finalizers: withoutFinalizer(engine, ENGINE_FINALIZER) },
          'object-first',
        );
      case 'wait':
        return { requeueAfterMs: action.ms };
    }
  }
}
