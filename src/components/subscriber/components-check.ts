import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForList } from '@turnsole/kube/runtime/wait';

/** As long as upstream tries. */
const LIMIT_MS = 180_000;

/** What a set of pods lacks to be a running component; undefined when it runs. Pods that are ending do not count. Pure. */
function componentProblem(selector: string, pods: readonly Pod[]): string | undefined {
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (staying.length === 0) return `no pod has the label ${selector}`;
  const isReady = ({ status }: Pod): boolean =>
    status?.phase === 'Running' && (status.containerStatuses ?? []).every(({ ready }) => ready);
  return staying.some(isReady) ? undefined : `no pod with the label ${selector} is ready`;
}

/**
 * Waits until the components of the infrastructure run, as a server expects a confirmed infrastructure to work.
 * @returns what is still missing after three minutes
 */
export async function awaitComponents(
  client: KubeClient,
  namespace: string,
  selectors: readonly string[],
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems = await Promise.all(
    selectors.map(async (labelSelector) => {
      const isReady = (pods: readonly Pod[]): boolean => componentProblem(labelSelector, pods) === undefined;
      try {
        await waitForList<Pod>(client, PODS, isReady, {
          namespace,
          labelSelector,
          timeoutMs: LIMIT_MS,
          clock,
          signal,
        });
        return undefined;
      } catch (error) {
        if (error instanceof WaitTimeoutError) return `no pod with the label ${labelSelector} is ready`;
        throw error;
      }
    }),
  );
  return problems.filter((problem) => problem !== undefined);
}
