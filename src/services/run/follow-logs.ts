import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { PODS_OF_ENGINES } from '../../api/kept-logs.ts';

/** The pods whose logs are followed, and where the lines go. */
interface FollowLogsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly onLine: (pod: string, line: string) => void;
}

const LONGEST_FOLLOW_MS = 7 * 24 * 3_600_000;

/**
 * Passes on the logs of every pod that a ChaosEngine causes in a namespace (runner, experiments, helpers), until the
 * signal. Logs are a convenience: a pod whose log cannot be read is passed over.
 *
 * @throws ApiError when the pods may not be listed
 */
export async function followChaosLogs(options: FollowLogsOptions): Promise<void> {
  const { client, namespace, signal } = options;
  const followed = new Set<string>();
  const following: Promise<void>[] = [];
  const look = (pods: readonly Pod[]): boolean => {
    for (const pod of pods) {
      const started =
        pod.status?.containerStatuses?.some(({ state }) => state?.waiting === undefined) ?? false;
      const uid = pod.metadata.uid ?? '';
      if (!started || followed.has(uid)) continue;
      followed.add(uid);
      // Handled at once: a log that the user may not read fails long before the signal.
      following.push(followPod(pod, options).catch(() => {}));
    }
    return false;
  };
  const limits = { namespace, labelSelector: PODS_OF_ENGINES, timeoutMs: LONGEST_FOLLOW_MS, signal };
  try {
    await waitForList<Pod>(client, PODS, look, limits);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await Promise.all(following);
}

async function followPod(pod: Pod, { client, namespace, signal, onLine }: FollowLogsOptions): Promise<void> {
  const container = pod.spec?.containers[0]?.name;
  for await (const line of client.logLines(pod.metadata.name, {
    namespace,
    container,
    follow: true,
    signal,
  })) {
    onLine(pod.metadata.name, line);
  }
}
