import { faultNameOf } from '../../experiment/plan/experiment-env.ts';
import { faultRegistry } from '../../faults/index.ts';
import { runWebhook } from '../../webhook/run-webhook.ts';

/** In-cluster entry point of the admission webhook: `turnsole webhook`. Resolves to the exit code. */
export async function run(_argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runWebhook(env, {
    permissionsOf: async (name) => (await faultRegistry.get(name)?.())?.permissions,
    faultOf: faultNameOf,
  });
}
