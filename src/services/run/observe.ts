import type { KubeClient } from '@turnsole/kube/client/types';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
import type { Observation } from './engine-progress.ts';
import { isResultOf } from './results.ts';

/** The engine to observe, and the time limit. */
interface ObserveOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `look` with an engine and its results whenever one of them has changed, until it returns true.
 *
 * @throws WaitTimeoutError when time is up · the signal's reason · ApiError when the objects may not be read
 */
export async function watchEngine(
  options: ObserveOptions,
  look: (observation: Observation) => boolean,
): Promise<void> {
  const { client, namespace, name, timeoutMs } = options;
  const finished = new AbortController();
  const limits = { namespace, timeoutMs, signal: AbortSignal.any([options.signal, finished.signal]) };
  let engine: ChaosEngine | undefined;
  let results: readonly ChaosResult[] = [];
  let sawEngine = false;
  const check = (): boolean => {
    // Results may be listed first; without the engine they say nothing yet.
    const isDone = sawEngine && look({ engine, results });
    if (isDone) finished.abort();
    return isDone;
  };
  const engines = waitForObject<ChaosEngine>(
    client,
    CHAOS_ENGINES,
    name,
    (found) => {
      sawEngine = true;
      engine = found;
      return check();
    },
    limits,
  );
  const ofEngine = waitForList<ChaosResult>(
    client,
    CHAOS_RESULTS,
    (found) => {
      results = found.filter((result) => isResultOf(result, name));
      return check();
    },
    limits,
  );
  try {
    await Promise.all([engines, ofEngine]);
  } catch (error) {
    // The watch that saw the end has stopped the other by this abort.
    if (!finished.signal.aborted) throw error;
  } finally {
    finished.abort();
    await Promise.allSettled([engines, ofEngine]);
  }
}
