import { runExperimentMain } from '../../experiment/index.ts';
import { faultRegistry } from '../../faults/index.ts';

/** In-cluster entry point of an experiment: `turnsole experiment -name pod-delete`. Resolves to the exit code. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runExperimentMain(argv, env, faultRegistry);
}
