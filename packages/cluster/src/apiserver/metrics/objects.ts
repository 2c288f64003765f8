import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { formatQuantity } from '@turnsole/kube/text/quantity';
import { type ApiObject, timestamp } from '../object.ts';
import type { ContainerRate, PodUsage } from './usage.ts';

const API_VERSION = 'metrics.k8s.io/v1beta1';
const NANO = 1_000_000_000n;

/** A PodMetrics; pure. */
export function podMetrics({ metadata }: Pod, usage: PodUsage, nowMs: number): ApiObject {
  const { name, namespace, labels } = metadata;
  return {
    kind: 'PodMetrics',
    apiVersion: API_VERSION,
    metadata: {
      name,
      namespace,
      creationTimestamp: timestamp(nowMs),
      labels,
    },
    timestamp: timestamp(usage.atMs),
    window: duration(usage.windowMs),
    containers: usage.containers.map((rate) => ({ name: rate.name, usage: quantities([rate]) })),
  };
}

/**
 * A NodeMetrics: all that the pods of the node use; pure. What else runs on the machine is not the node's, for all nodes of the
 * cluster are the same machine.
 *
 * @param windowMs for a node without pods
 */
export function nodeMetrics(
  { metadata }: Node,
  pods: readonly PodUsage[],
  nowMs: number,
  windowMs: number,
): ApiObject {
  const { name, labels } = metadata;
  const latest = pods.length === 0 ? nowMs : Math.max(...pods.map(({ atMs }) => atMs));
  const longest = pods.length === 0 ? windowMs : Math.max(...pods.map((pod) => pod.windowMs));
  return {
    kind: 'NodeMetrics',
    apiVersion: API_VERSION,
    metadata: {
      name,
      creationTimestamp: timestamp(nowMs),
      labels,
    },
    timestamp: timestamp(latest),
    window: duration(longest),
    usage: quantities(pods.flatMap(({ containers }) => containers)),
  };
}

function quantities(rates: readonly ContainerRate[]): { readonly cpu: string; readonly memory: string } {
  const cpu = rates.reduce((sum, { cpuNanoCores }) => sum + cpuNanoCores, 0);
  const memory = rates.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  return {
    cpu: formatQuantity({ nano: BigInt(Math.round(cpu)), format: 'decimal' }),
    memory: formatQuantity({ nano: BigInt(Math.round(memory)) * NANO, format: 'binary' }),
  };
}

/** As Go writes a duration of less than a minute. */
function duration(ms: number): string {
  return `${Math.round(ms) / 1000}s`;
}
