/** A client that knows only upstream's fields of a ChaosEngine and writes it as a whole, as upstream's Go programs do. */

import { isConflict } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_ENGINES, type ChaosEngine, type EngineExperimentStatus } from '../../src/api/index.ts';

/** The engine after a round trip through upstream's types: metadata whole, of spec and status only upstream's fields. */
export function asUpstreamKnowsIt({ apiVersion, kind, metadata, spec, status }: ChaosEngine): ChaosEngine {
  const {
    dryRun: _dryRun,
    requireEffect: _requireEffect,
    execution: _execution,
    experiments,
    ...known
  } = spec;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata,
    spec: { ...known, experiments: experiments.map(({ dependsOn: _dependsOn, ...entry }) => entry) },
    status: {
      engineStatus: status?.engineStatus ?? '',
      experiments: (status?.experiments ?? []).map(
        ({ reason: _reason, iteration: _iteration, ...entry }) => entry,
      ),
    },
  };
}

/** One PUT of the engine, with a change, again on a conflict. */
export async function putAsUpstream(
  client: KubeClient,
  name: string,
  namespace: string,
  change: (engine: ChaosEngine) => ChaosEngine = (engine) => engine,
): Promise<ChaosEngine> {
  for (;;) {
    const engine = await client.get<ChaosEngine>(CHAOS_ENGINES, name, { namespace });
    try {
      return await client.update<ChaosEngine>(CHAOS_ENGINES, change(asUpstreamKnowsIt(engine)), {
        namespace,
      });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** Appends entries, as upstream's runner does when it starts and never looks whether they are there. */
export function withEntries(names: readonly string[], runner: string): (engine: ChaosEngine) => ChaosEngine {
  const entries = names.map(
    (name): EngineExperimentStatus => ({
      name,
      runner,
      experimentPod: 'Yet to be launched',
      status: 'Waiting for Job Creation',
      verdict: 'N/A',
    }),
  );
  return (engine) => ({
    ...engine,
    status: { ...engine.status, experiments: [...(engine.status?.experiments ?? []), ...entries] },
  });
}
