import { OPERATOR_LEASE } from '../../api/index.ts';
import { startYielding } from '../../kube/runtime/yielding.ts';
import { type OperatorOptions, startOperator } from './start-operator.ts';

/**
 * The operator of `turnsole up`, which gives way to any other one. Two operators of one engine would each take the other's pods for
 * leftovers.
 */
export function startYieldingOperator(options: OperatorOptions): Promise<{ stop(): Promise<void> }> {
  return startYielding({ ...options, leaseName: OPERATOR_LEASE, start: () => startOperator(options) });
}
