import { createClient } from '../../kube/client/client.ts';
import { loadConfig } from '../../kube/client/config/load-config.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { createLogger } from '../../kube/runtime/log.ts';
import { describeError } from '../errors.ts';
import type { FaultRegistry } from '../fault.ts';
import { ASSIGNMENT_VARIABLE, parseAssignment } from '../helper/assignment.ts';
import { runHelper } from '../helper/run-helper.ts';
import type { Environment } from '../settings/parse-tunables.ts';
import { parseFlags } from './flags.ts';
import { abortOnSignal, type ProcessIo, processIo } from './process-io.ts';

/**
 * `turnsole helper -name NAME`: does what TURNSOLE_ASSIGNMENT says on this node and gives the exit code: 0 done, 1 failed or
 * aborted (reverted in both cases), 2 could not start.
 */
export async function runHelperMain(
  argv: readonly string[],
  env: Environment,
  registry: FaultRegistry,
  io: ProcessIo = processIo,
): Promise<number> {
  const abort = abortOnSignal(io);
  try {
    const { name, kubeconfig } = parseFlags('helper', argv, [...registry.keys()]);
    const assignment = parseAssignment(env[ASSIGNMENT_VARIABLE]);
    const [config, fault] = await Promise.all([loadConfig({ kubeconfig, env }), registry.get(name)?.()]);
    if (fault === undefined) throw new Error(`there is no helper named ${name}`);
    const client = createClient(config);
    const logger = createLogger({
      component: 'helper',
      experiment: assignment.experiment,
      runId: assignment.runId,
    });
    try {
      const { signal } = abort;
      const { print } = io;
      return await runHelper({
        fault,
        assignment,
        env,
        client,
        clock: systemClock,
        random: Math.random,
        signal,
        logger,
        print,
      });
    } finally {
      client.close();
    }
  } catch (error) {
    io.complain(`turnsole helper: ${describeError(error)}`);
    return 2;
  } finally {
    abort.close();
  }
}
