import { withoutNamespaces } from '@turnsole/kube/client/without-namespaces';
import { type PeerPods, startYielding } from '@turnsole/kube/runtime/yielding';
import { OPERATOR_LEASE } from '../../api/index.ts';
import { type OperatorOptions, startOperator } from './start-operator.ts';

/** The operator, and how it finds others. */
interface YieldingOperatorOptions extends OperatorOptions {
  /** @default others are known by their Leases only */
  readonly peerPods?: PeerPods;
  readonly onPeer?: Parameters<typeof startYielding>[0]['onPeer'];
}

/**
 * The operator of `turnsole up`, which gives way to any other one where that works. Two operators of one engine would each take the other's
 * pods for leftovers.
 */
export function startYieldingOperator(options: YieldingOperatorOptions): Promise<{ stop(): Promise<void> }> {
  const { client } = options;
  return startYielding({
    ...options,
    leaseName: OPERATOR_LEASE,
    start: (without) => startOperator({ ...options, client: withoutNamespaces(client, without) }),
  });
}
