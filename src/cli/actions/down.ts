import { CommandError } from '../../services/errors.ts';
import { ClusterRegistry, connect, type RunningCluster } from '../up/registry.ts';

/** Options of `turnsole down`, as the command line gives them. */
export interface DownOptions {
  readonly name: string;
  readonly all?: boolean;
}

/** How long a cluster may take to stop its pods before `down` gives up waiting. */
const STOP_TIMEOUT_MS = 60_000;

/** Stops clusters that `turnsole up` started and waits until they are gone. */
export async function run(options: DownOptions): Promise<number> {
  const registry = new ClusterRegistry(process.env);
  const names = options.all === true ? await registry.names() : [options.name];
  const found = await Promise.all(names.map((name) => registry.find(name)));
  const running = found.filter((cluster) => cluster !== undefined);
  if (running.length === 0) {
    console.log(
      options.all === true ? 'no cluster is running' : `no cluster named ${options.name} is running`,
    );
    return 0;
  }
  await Promise.all(running.map((cluster) => stop(cluster)));
  for (const { name } of running) console.log(`cluster ${name} is stopped`);
  return 0;
}

/** Asks a cluster to stop and waits for the event that it is gone: its socket closes. */
async function stop(cluster: RunningCluster): Promise<void> {
  const socket = await connect(cluster.socketPath);
  if (socket === undefined) return;
  const closed = new Promise<boolean>((resolve) => {
    socket.once('close', () => resolve(true));
    socket.once('error', () => resolve(true));
    setTimeout(() => resolve(false), STOP_TIMEOUT_MS).unref();
  });
  socket.resume();
  process.kill(cluster.pid, 'SIGTERM');
  const gone = await closed;
  socket.destroy();
  if (gone) return;
  throw new CommandError(
    `cluster ${cluster.name} (pid ${cluster.pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s; ` +
      `"kill -9 ${cluster.pid}" ends it, its pods are then killed as well`,
    'CLUSTER_NOT_STOPPED',
  );
}
