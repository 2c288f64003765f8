import { CHAOS_EXPERIMENTS, type ChaosExperiment, SERVICE_ACCOUNTS } from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Surroundings } from './check-files.ts';

/** A cluster as the check of files looks at it; requests go out when it asks. */
export function surroundings(client: KubeClient, signal: AbortSignal): Surroundings {
  return {
    experiment: (namespace, name) =>
      client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, name, { namespace, signal }),
    hasAccount: async (namespace, name) =>
      (await client.find(SERVICE_ACCOUNTS, name, { namespace, signal })) !== undefined,
  };
}
