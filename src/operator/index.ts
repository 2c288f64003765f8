/** The operator: reconcilers of the chaos kinds. See README.md. */
import type { OperatorIo } from './run-operator.ts';

export { startYieldingOperator } from './other-operators.ts';
export { OPERATOR_HALT_PERMISSIONS, OPERATOR_OWN_PERMISSIONS, OPERATOR_PERMISSIONS } from './permissions.ts';
export type { OperatorIo } from './run-operator.ts';
export {
  DEFAULT_RUNNER_IMAGE,
  type Operator,
  type OperatorOptions,
  startOperator,
} from './start-operator.ts';

/**
 * Entry point of `turnsole operator`. Resolves to the exit code: 0 stopped, 1 failed, 2 wrong command line or environment.
 * Loaded only when it is called: metrics and health endpoints are of no use to a process that runs the operator inside.
 */
export async function runOperator(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io?: OperatorIo,
): Promise<number> {
  const module = await import('./run-operator.ts');
  return module.runOperator(argv, env, io);
}
