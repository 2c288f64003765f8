import { createClient } from '../../kube/client/client.ts';
import { loadConfig } from '../../kube/client/config/load-config.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { describeError } from '../errors.ts';
import type { Fault, FaultRegistry } from '../fault.ts';
import type { Environment } from '../settings/parse-tunables.ts';
import { FlagError, parseFlags } from './flags.ts';
import { abortOnSignal, type ProcessIo } from './process-io.ts';

/** Exit code of a command line, environment or cluster that cannot be used; nothing was touched. */
const CANNOT_START = 2;

/** What a process for one fault is started with. */
export interface FaultProcessInput<Task> {
  /** Name of the subcommand, for messages. */
  readonly program: 'experiment' | 'helper';
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly registry: FaultRegistry;
  readonly io: ProcessIo;
  /** Reads what is to be done, before anything is connected. */
  readonly readTask: (name: string) => Task;
}

/** What such a process works with. */
export interface FaultProcess<Task> {
  readonly task: Task;
  readonly fault: Fault;
  readonly client: KubeClient;
  /** Aborted by the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
}

/**
 * The frame of the entry points that carry out one fault: flags, task, fault and cluster, then the work, whose exit code it
 * gives. What fails before or in the work is said on standard error and gives exit code 2.
 */
export async function runFaultProcess<Task>(
  { program, argv, env, registry, io, readTask }: FaultProcessInput<Task>,
  work: (process: FaultProcess<Task>) => Promise<number>,
): Promise<number> {
  const abort = abortOnSignal(io);
  try {
    const { name, kubeconfig } = parseFlags(program, argv, [...registry.keys()]);
    const task = readTask(name);
    const [config, fault] = await Promise.all([loadConfig({ kubeconfig, env }), registry.get(name)?.()]);
    // The name was checked against the registry.
    if (fault === undefined) throw new FlagError(`there is no ${program} named ${name}`);
    const client = createClient(config);
    try {
      return await work({ task, fault, client, signal: abort.signal });
    } finally {
      client.close();
    }
  } catch (error) {
    io.complain(`turnsole ${program}: ${describeError(error)}`);
    return CANNOT_START;
  } finally {
    abort.close();
  }
}
