import type { KubeClient } from '@turnsole/kube/client/types';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import type { EngineOutcome } from '../report/build.ts';
import type { EnginesOf } from '../workflows/engines-of.ts';
import { ofStep } from '../workflows/timeline.ts';
import { type EngineRunOptions, followEngine } from './engine-run.ts';
import type { Progress } from './progress.ts';

/** Runs are limited by `--timeout`; this only bounds the waits themselves. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/** The engines of a workflow while they run. */
interface FollowedEngines {
  /** Stops looking for further engines, and resolves when those it knows have ended. */
  ended(): Promise<EngineOutcome[]>;
}

/**
 * Follows every engine that a workflow makes, from when it is there: it may be deleted again before the workflow ends.
 *
 * @param stepOf the step of the workflow that made an engine, as far as it is known by now
 */
export function followWorkflowEngines(
  client: KubeClient,
  engines: EnginesOf,
  stepOf: (engine: ChaosEngine) => string | undefined,
  options: EngineRunOptions,
): FollowedEngines {
  const over = new AbortController();
  const runs = new Map<string, Promise<EngineOutcome>>();
  const take = (found: readonly ChaosEngine[]): boolean => {
    for (const engine of found) {
      const { uid = '', name, namespace = '' } = engine.metadata;
      if (runs.has(uid) || !engines.has(engine)) continue;
      const progress = engines.areSeveral
        ? ofEngine(options.progress, () => stepOf(engine))
        : options.progress;
      const run = followEngine({ ...options, progress, client, namespace, name, previousRunId: undefined });
      // It is awaited below; until then a rejection must not count as unhandled.
      run.catch(() => {});
      runs.set(uid, run);
    }
    return false;
  };
  const watches = engines.namespaces.map((namespace) =>
    waitForList<ChaosEngine>(client, CHAOS_ENGINES, take, {
      namespace,
      timeoutMs: LONGEST_MS,
      signal: over.signal,
    }),
  );
  const watching = Promise.allSettled(watches);
  return {
    ended: async () => {
      // The last engine may not have reached its watch yet.
      for (const namespace of engines.namespaces) {
        take((await client.list<ChaosEngine>(CHAOS_ENGINES, { namespace })).items);
      }
      over.abort();
      await watching;
      const outcomes = await Promise.all(runs.values());
      return outcomes.map((outcome) => {
        const step = stepOf(outcome.engine);
        return { ...outcome, ...(step !== undefined && { step }) };
      });
    },
  };
}

/** Shows the steps of one of several engines with the step of the workflow that made it. */
function ofEngine(progress: Progress, step: () => string | undefined): Progress {
  return {
    step: (message) => progress.step(message),
    entry: (entry) => {
      const known = step();
      progress.entry(known === undefined ? entry : ofStep(entry, known));
    },
    log: (source, line) => progress.log(source, line),
    live: (state) => progress.live(state),
    workflow: (workflow) => progress.workflow(workflow),
    close: () => progress.close(),
  };
}
