/** What the readers of a LitmusChaos workflow expect of it: Litmus' subscriber and page. */
import assert from 'node:assert/strict';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CHAOS_RESULTS, type ChaosResult } from '../../src/api/index.ts';

interface Place {
  readonly namespace: string;
  readonly timeoutMs: number;
}

const FINAL = ['Succeeded', 'Failed', 'Error'];

/** Resolves with a workflow that is over; at no time before has it a final phase without its end. */
export async function workflowOver(client: KubeClient, name: string, place: Place): Promise<Workflow> {
  let seen: Workflow | undefined;
  const isOver = (found: Workflow | undefined): boolean => {
    seen = found;
    const { phase = '', finishedAt } = found?.status ?? {};
    // Clients with Go types write null for absent.
    const hasEnd = typeof finishedAt === 'string';
    assert.equal(FINAL.includes(phase), hasEnd, `phase ${phase} with end ${finishedAt}`);
    return hasEnd;
  };
  await waitForObject<Workflow>(client, WORKFLOWS, name, isOver, place).catch((error: unknown) => {
    throw new Error(`${name}: ${JSON.stringify(seen?.status, null, 1)}`, { cause: error });
  });
  if (seen === undefined) throw new Error(`workflow ${name} is gone`);
  return seen;
}

/** Nodes of pods by their display names. */
export function podNodes({ status }: Workflow): Map<string, NodeStatus> {
  const nodes = Object.values(status?.nodes ?? {}).filter(({ type }) => type === 'Pod');
  return new Map(nodes.map((node) => [node.displayName, node]));
}

/** The log of a pod node as Litmus' subscriber reads it: of a pod with the node's id, from its container `main`. */
export async function logOf(client: KubeClient, { id }: NodeStatus, namespace: string): Promise<string> {
  const pod = await client.get<Pod>(PODS, id, { namespace });
  assert.deepEqual(pod.spec?.containers.map(({ name }) => name).includes('main'), true);
  const lines: string[] = [];
  for await (const line of client.logLines(id, { namespace, container: 'main' })) lines.push(line);
  return lines.join('\n');
}

/** The result of the engine that a step has created, found as Litmus' subscriber finds it. */
export async function resultOf(
  client: KubeClient,
  engine: string,
  namespace: string,
): Promise<ChaosResult | undefined> {
  return client.find<ChaosResult>(CHAOS_RESULTS, `${engine}-pod-delete`, { namespace });
}

/** Resolves when an object is gone. */
export async function gone(
  client: KubeClient,
  resource: Parameters<typeof waitForObject>[1],
  name: string,
  place: Place,
): Promise<void> {
  await waitForObject<KubeObject>(client, resource, name, (found) => found === undefined, place);
}
