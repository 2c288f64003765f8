import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS } from '@turnsole/kube/kinds/resources';
import { isRollingOut } from '@turnsole/kube/kinds/rollout';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import { podStartProblem } from '../../chaos/pod-start.ts';
import { CommandError } from '../errors.ts';

/** What {@link awaitDeployment} waits for. */
interface AwaitDeploymentInput {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until all pods of a Deployment are of its present template and ready, and none of an older one is left.
 *
 * @throws CommandError (could not run) when that takes too long, with what its pods say
 */
export async function awaitDeployment(input: AwaitDeploymentInput): Promise<void> {
  const { client, namespace, name, timeoutMs, signal } = input;
  const isRolledOut = (deployment: Deployment | undefined): boolean =>
    deployment !== undefined && !isRollingOut('Deployment', deployment);
  try {
    await waitForObject<Deployment>(client, DEPLOYMENTS, name, isRolledOut, { namespace, timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    const reasons = await podProblems(input).catch(() => []);
    const found = reasons.length === 0 ? 'its pods do not say why' : reasons.map(withWayOut).join('; ');
    const advice = `see "kubectl --namespace ${namespace} describe pods", then install again`;
    const message = `Deployment ${namespace}/${name} was not ready after ${timeoutMs / 1000} s: ${found}; ${advice}`;
    throw new CommandError(message, 'DEPLOYMENT_NOT_READY', { cause: error });
  }
}

async function podProblems({ client, namespace, name, signal }: AwaitDeploymentInput): Promise<string[]> {
  const deployment = await client.get<Deployment>(DEPLOYMENTS, name, { namespace, signal });
  const labels = Object.entries(deployment.spec?.selector.matchLabels ?? {});
  const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(',');
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector, signal });
  const conditions = deployment.status?.conditions ?? [];
  // Quota, admission and missing service accounts keep pods from being created at all.
  const refused = conditions.filter(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return [
    ...refused.map(({ message }) => message ?? 'its pods are refused'),
    ...items.flatMap((pod) => {
      const problem = podStartProblem(pod)?.message ?? crashOf(pod);
      return problem === undefined ? [] : [`pod ${pod.metadata.name}: ${problem}`];
    }),
  ];
}

/** Adds what the user can do, where the cluster's own words do not say it. Pure. */
function withWayOut(reason: string): string {
  if (!/unbound.*PersistentVolumeClaim/i.test(reason)) return reason;
  return (
    `${reason} (nothing in this cluster makes a volume for its claim: name a default storage class, make a volume for it, ` +
    'or keep the data in PostgreSQL with --control-plane-database-secret)'
  );
}

function crashOf({ status }: Pod): string | undefined {
  const crashed = status?.containerStatuses?.find(({ lastState }) => lastState?.terminated !== undefined);
  const ended = crashed?.lastState?.terminated;
  return ended === undefined
    ? undefined
    : `container ${crashed?.name} ended with exit code ${ended.exitCode}`;
}
