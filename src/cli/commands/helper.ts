import { runHelperMain } from '../../experiment/index.ts';
import { faultRegistry } from '../../faults/index.ts';

/** In-cluster entry point of a helper on a target's node: `turnsole helper -name container-kill`. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runHelperMain(argv, env, faultRegistry);
}
