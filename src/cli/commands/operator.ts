import { runOperator } from '../../operator/index.ts';

/** In-cluster entry point of the operator: `turnsole operator`. Resolves to the exit code. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runOperator(argv, env);
}
