import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_RESULTS, type ChaosResult } from '../../api/index.ts';

/** Whether a result is one of an engine's; results outlive their engine. */
export function isResultOf({ spec }: ChaosResult, engine: string): boolean {
  return spec?.engine === engine;
}

/** Results of an engine's experiments, as they are now. */
export async function resultsOf(
  client: KubeClient,
  namespace: string,
  engine: string,
): Promise<ChaosResult[]> {
  const { items } = await client.list<ChaosResult>(CHAOS_RESULTS, { namespace });
  return items.filter((result) => isResultOf(result, engine));
}
