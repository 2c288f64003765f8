import { isConflict, isNotFound } from '@turnsole/kube/client/errors';
import type { Reconcile, ReconcileResult } from '@turnsole/kube/runtime/controller';
import type { ChaosEngine } from '../../../api/index.ts';
import { appliedSettings } from '../../../chaos/run-record.ts';
import { lackingSettings, prunedOf, prunedText } from '../../../engines/lacking-settings.ts';
import type { EngineAction } from './actions.ts';
import { CACHE_LAG_MS } from './created-runners.ts';
import { decideEngine } from './decide-engine.ts';
import type { EngineExecutor } from './engine-executor.ts';
import { engineProblems } from './engine-problems.ts';
import { type EngineListers, gatherFresh, gatherFromCache } from './engine-world.ts';
import { type EngineWorld, observeEngine } from './observed.ts';
import { isResting, needsWholeEngine } from './resting-engine.ts';

/** After a conflict the informer brings the newer engine within moments; if it does not, look again after this time. */
const CONFLICT_RETRY_MS = 100;

/** Gather, decide, apply for one engine. */
export class EngineReconciler {
  readonly #listers: EngineListers;
  readonly #executor: EngineExecutor;
  readonly #why: (namespace: string) => string | undefined;

  /** @param why whether and why the safety lever is pulled in a namespace */
  constructor(
    listers: EngineListers,
    executor: EngineExecutor,
    why: (namespace: string) => string | undefined = () => undefined,
  ) {
    this.#why = why;
    this.#listers = listers;
    this.#executor = executor;
  }

  readonly reconcile: Reconcile = async (request, signal) => {
    const cached = gatherFromCache(this.#listers, request.key);
    if (cached === undefined) return undefined;
    const created = cached.runner ?? this.#executor.created.find(cached.engine.metadata.uid ?? '');
    const world = created === undefined ? cached : { ...cached, runner: created };
    try {
      const result = await this.#reconcileWorld(world, signal);
      if (cached.runner !== undefined || created === undefined) return result;
      // If the cache never shows the pod, the pod is looked for after all.
      return { requeueAfterMs: Math.min(result?.requeueAfterMs ?? CACHE_LAG_MS, CACHE_LAG_MS) };
    } catch (error) {
      // Deleted meanwhile: the informer has reported it or will.
      if (isNotFound(error) && error.status.details?.kind === 'chaosengines') return undefined;
      if (isConflict(error)) return { requeueAfterMs: CONFLICT_RETRY_MS };
      throw error;
    }
  };

  async #reconcileWorld(world: EngineWorld, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const actions = await this.#decide(world, false, signal);
    // Of an engine at rest the cache has only a part, which must not be written back.
    const isEnough = !isResting(world.engine) || !actions.some(needsWholeEngine);
    if (actions[0]?.type !== 'confirm' && isEnough)
      return this.#executor.apply(world.engine, actions, signal);
    const fresh = await gatherFresh(this.#executor.client, world.engine, signal);
    if (fresh === undefined) return undefined;
    return this.#executor.apply(fresh.engine, await this.#decide(fresh, true, signal), signal);
  }

  /** Settings that the user asked for and the server has not stored: the run would be another one. Looked up only where any were given. */
  async #prunedSettings(engine: ChaosEngine, signal: AbortSignal): Promise<string[]> {
    const applied = appliedSettings(engine);
    if (Object.keys(applied).length === 0) return [];
    const pruned = prunedOf(applied, await lackingSettings(this.#executor.client, signal));
    return pruned.length === 0 ? [] : [prunedText(pruned)];
  }

  async #decide(world: EngineWorld, isFresh: boolean, signal: AbortSignal): Promise<EngineAction[]> {
    const problems = needsJudgement(world.engine)
      ? [...engineProblems(world.engine), ...(await this.#prunedSettings(world.engine, signal))]
      : [];
    const circumstances = {
      nowMs: this.#executor.clock.now(),
      halted: this.#why(world.engine.metadata.namespace ?? ''),
      isForeignRunner: this.#executor.isForeignRunner(world.engine),
      hasReceivedLastWord: this.#executor.lastWords.hasReceived(world.engine.metadata.uid ?? ''),
    };
    return decideEngine(observeEngine(world, { problems, isFresh, ...circumstances }));
  }
}

/** The spec is judged where a run may begin, and not with every event of one under way. */
function needsJudgement({ metadata, spec, status }: ChaosEngine): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return spec?.engineState !== 'stop' && status?.engineStatus !== 'initialized';
}
