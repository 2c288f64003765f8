import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { Outputs } from '@turnsole/workflows/kinds/parameters';
import type { NodeId } from '@turnsole/workflows/kinds/status';
import { readReport, reportingContainer } from '@turnsole/workflows/pods/report';

/**
 * What a pod that has ended reported in the log of our own container; undefined when it reported no outputs.
 *
 * @throws ApiError when the log cannot be read · Error when it holds no complete report of a pod that succeeded
 */
export async function readOutputs(
  client: Pick<KubeClient, 'logLines'>,
  node: NodeId,
  pod: Pod,
  signal: AbortSignal,
): Promise<Outputs | undefined> {
  const container = reportingContainer(pod);
  const { namespace = '', name } = pod.metadata;
  let outputs: Outputs | undefined;
  let isComplete = false;
  for await (const line of client.logLines(name, { namespace, container, signal })) {
    const report = readReport(line, node);
    if (report === undefined) continue;
    outputs = { ...outputs, ...report.outputs };
    isComplete ||= report.isComplete;
  }
  if (!isComplete && pod.status?.phase === 'Succeeded')
    throw new Error(`the log of container ${container} holds no complete report`);
  return outputs;
}
