import { RECOVER_VARIABLE } from '../../api/recovery/index.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { createLogger } from '../../kube/runtime/log.ts';
import { describeError } from '../errors.ts';
import type { FaultRegistry } from '../fault.ts';
import { runExperiment } from '../run-experiment.ts';
import type { Environment } from '../settings/parse-tunables.ts';
import { runFaultProcess } from './fault-process.ts';
import { type ProcessIo, processIo } from './process-io.ts';

/**
 * `turnsole experiment -name NAME [-kubeconfig FILE]`: runs one experiment to its end and gives the exit code.
 *
 * 0: the run ended and its ChaosResult has the verdict, whatever it is. 1: aborted, or the result could not be stored.
 * 2: unknown name or no access to a cluster (upstream ends with 0 there, which looks like success to the Job).
 */
export function runExperimentMain(
  argv: readonly string[],
  env: Environment,
  registry: FaultRegistry,
  io: ProcessIo = processIo,
): Promise<number> {
  const readTask = (name: string): string => env.EXPERIMENT_NAME ?? name;
  const input = { program: 'experiment', argv, env, registry, io, readTask } as const;
  return runFaultProcess(input, async ({ task: experiment, ...parts }) => {
    const logger = createLogger({
      component: 'experiment',
      experiment,
      engine: `${env.CHAOS_NAMESPACE}/${env.CHAOSENGINE}`,
      runId: env.RUN_ID,
    });
    try {
      if ((env[RECOVER_VARIABLE] ?? '') !== '') {
        const { runRecovery } = await import('../recovery/run-recovery.ts');
        return await runRecovery({ ...parts, env, clock: systemClock, random: Math.random, logger });
      }
      const own = { env, clock: systemClock, random: Math.random, logger };
      const { verdict, phase, exitCode } = await runExperiment({ ...parts, ...own });
      logger.info({ verdict, phase }, 'experiment ended');
      return exitCode;
    } catch (error) {
      logger.error({ error: describeError(error) }, 'experiment could not store its result');
      io.complain(`turnsole experiment: ${describeError(error)}`);
      return 1;
    }
  });
}
