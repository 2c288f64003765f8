import { isForbidden, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, Lease } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, LEASES } from '@turnsole/kube/kinds/resources';
import { OPERATOR_LEASE } from '../../api/index.ts';
import { otherOperator } from '../install/other-operators.ts';

/** Whether an operator closes the engines of a namespace; `unknown` when that may not be read. */
type OperatorState = 'at work' | 'none' | 'unknown';

/** Whether a namespace has an operator: one whose Deployment has a ready pod, or one that holds its lease. */
export async function operatorState(
  client: KubeClient,
  namespace: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<OperatorState> {
  const asked = Promise.all([
    client.list<Deployment>(DEPLOYMENTS, { signal }),
    client.list<Lease>(LEASES, { signal, fieldSelector: `metadata.name=${OPERATOR_LEASE}` }),
  ]);
  const seen = await unless(isForbidden, asked);
  if (seen === undefined) return 'unknown';
  const [deployments, leases] = seen;
  const isThere =
    deployments.items.some((deployment) => isOperatorOf(deployment, namespace)) ||
    leases.items.some((lease) => isHeld(lease, nowMs));
  return isThere ? 'at work' : 'none';
}

/** Whether a Deployment is an operator, ours or upstream's, with a ready pod, of the engines of a namespace. Pure. */
export function isOperatorOf(deployment: Deployment, namespace: string): boolean {
  if ((deployment.status?.readyReplicas ?? 0) === 0) return false;
  // The caller belongs to no installation, so every one is another.
  return otherOperator(deployment, { namespace: '', watchNamespace: namespace }) !== undefined;
}

/** Whether an operator that stands for election has renewed its lease lately. Pure. */
export function isHeld({ spec }: Lease, nowMs: number): boolean {
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 15 } = spec ?? {};
  return holderIdentity !== '' && Date.parse(renewTime ?? '') + 2 * leaseDurationSeconds * 1000 > nowMs;
}
