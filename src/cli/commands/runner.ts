import { runRunner } from '../../runner/index.ts';

/** In-cluster entry point of the runner: `turnsole runner`. Resolves to the exit code. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runRunner(argv, env);
}
