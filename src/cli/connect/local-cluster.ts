import { EXIT } from '../../process/exit-codes.ts';
import { CommandError } from '../../services/errors.ts';
import { ClusterRegistry, type RunningCluster } from '../up/registry.ts';

const NAME = 'default';

/** The embedded cluster of `turnsole up`; where none runs, one is started that stays. @throws CommandError (could not run) */
export async function localCluster(env: NodeJS.ProcessEnv): Promise<RunningCluster> {
  const registry = new ClusterRegistry(env);
  const running = await registry.find(NAME);
  if (running !== undefined) return running;
  const { run } = await import('../actions/up.ts');
  const code = await run({ name: NAME, detach: true, port: 0 }, () => false);
  const started = code === EXIT.pass ? await registry.find(NAME) : undefined;
  if (started === undefined)
    throw new CommandError('the embedded cluster has not stayed', 'EMBEDDED_CLUSTER_FAILED');
  return started;
}
