import { createLogger } from '@turnsole/kube/base/log';
import type { Environment } from '@turnsole/kube/text/environment';
import { RECOVER_VARIABLE } from '../../../chaos/recovery/recovery-job.ts';
import { POD_EXIT } from '../../../process/exit-codes.ts';
import { machineReader } from '../../../process/pace/pressure-reader.ts';
import { describeError } from '../../injection/errors.ts';
import type { FaultRegistry } from '../../injection/fault.ts';
import { type FaultProcessIo, runFaultProcess } from '../../injection/main/fault-process.ts';
import { runExperiment } from '../run-experiment.ts';
import { awaitStopSignal } from './await-stop-signal.ts';

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
  io: FaultProcessIo = {},
): Promise<number> {
  const readTask = (name: string): string => env.EXPERIMENT_NAME ?? name;
  const input = { program: 'experiment', argv, env, registry, io, readTask } as const;
  return runFaultProcess(input, async ({ settings, client, clock, signal }) => {
    const { task: experiment, fault, complain } = settings;
    const logger = createLogger({
      component: 'experiment',
      experiment,
      engine: `${env.CHAOS_NAMESPACE}/${env.CHAOSENGINE}`,
      runId: env.RUN_ID,
    });
    const pressure = machineReader();
    const parts = { fault, client, env, clock, signal, random: Math.random, logger, pressure };
    try {
      if ((env[RECOVER_VARIABLE] ?? '') !== '') {
        const { runRecovery } = await import('../recovery/run-recovery.ts');
        return await runRecovery(parts);
      }
      const { verdict, phase, exitCode } = await runExperiment(parts);
      logger.info({ verdict, phase }, 'experiment ended');
      // Aborted: the operator deletes this pod.
      if (exitCode === POD_EXIT.failed)
        await awaitStopSignal({ ageMs: process.uptime() * 1000, clock, signal });
      return exitCode;
    } catch (error) {
      logger.error({ error: describeError(error) }, 'experiment could not store its result');
      complain(describeError(error));
      return POD_EXIT.failed;
    }
  });
}
