import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { EVENTS } from '@turnsole/kube/kinds/resources';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  LABEL_CHAOS_UID,
} from '../../api/index.ts';

/** One engine with everything its metrics are made of, as of about one time. */
export interface ScrapedEngine {
  readonly engine: ChaosEngine;
  /** Results of this incarnation of the engine, by name. */
  readonly results: readonly ChaosResult[];
  /** Events on the engine. */
  readonly events: readonly CoreEvent[];
}

/**
 * Reads an engine, its results and its Events; undefined when the engine does not exist. Results carry the uid of the engine that
 * ran last under their name, so a result that an earlier engine left counts from when its experiment begins.
 *
 * @throws ApiError, ConnectionError when the API server does not answer or refuses
 */
export async function scrapeEngine(
  client: Pick<KubeClient, 'find' | 'list'>,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<ScrapedEngine | undefined> {
  const place = { namespace, signal };
  const engine = await client.find<ChaosEngine>(CHAOS_ENGINES, name, place);
  if (engine === undefined) return undefined;
  const { uid = '' } = engine.metadata;
  const [results, events] = await Promise.all([
    client.list<ChaosResult>(CHAOS_RESULTS, { ...place, labelSelector: `${LABEL_CHAOS_UID}=${uid}` }),
    client.list<CoreEvent>(EVENTS, { ...place, fieldSelector: `involvedObject.uid=${uid}` }),
  ]);
  const byName = results.items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return { engine, results: byName, events: events.items };
}
