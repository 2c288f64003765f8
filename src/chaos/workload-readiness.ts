import type { WorkloadReadiness } from '../api/schema/result.ts';

/** `deployment/api had no ready pod for 5.9 s`; undefined for a workload that never had fewer ready pods than before. Pure. */
export function describeReadiness({
  kind,
  name,
  readyBefore,
  lowestReady,
  noneReadySeconds,
}: WorkloadReadiness): string | undefined {
  if (lowestReady >= readyBefore) return undefined;
  const workload = `${kind}/${name}`;
  if (lowestReady === 0) return `${workload} had no ready pod for ${noneReadySeconds} s`;
  return `${workload} had ${lowestReady} of ${readyBefore} pods ready at the lowest`;
}
