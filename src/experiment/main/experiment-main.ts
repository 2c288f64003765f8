import { createClient } from '../../kube/client/client.ts';
import { loadConfig } from '../../kube/client/config/load-config.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { createLogger } from '../../kube/runtime/log.ts';
import { describeError } from '../errors.ts';
import type { FaultRegistry } from '../fault.ts';
import { runExperiment } from '../run-experiment.ts';
import type { Environment } from '../settings/parse-tunables.ts';
import { FlagError, parseFlags } from './flags.ts';
import { abortOnSignal, type ProcessIo, processIo } from './process-io.ts';

/** Exit code of a command line or cluster that cannot be used; nothing was touched. */
const CANNOT_START = 2;

/**
 * `turnsole experiment -name NAME [-kubeconfig FILE]`: runs one experiment to its end and gives the exit code.
 *
 * 0: the run ended and its ChaosResult has the verdict, whatever it is. 1: aborted, or the result could not be stored.
 * 2: unknown name or no access to a cluster (upstream ends with 0 there, which looks like success to the Job).
 */
export async function runExperimentMain(
  argv: readonly string[],
  env: Environment,
  registry: FaultRegistry,
  io: ProcessIo = processIo,
): Promise<number> {
  const abort = abortOnSignal(io);
  try {
    const { name, kubeconfig } = parseFlags('experiment', argv, [...registry.keys()]);
    const [config, fault] = await Promise.all([loadConfig({ kubeconfig, env }), registry.get(name)?.()]);
    // The name was checked against the registry.
    if (fault === undefined) throw new FlagError(`there is no experiment named ${name}`);
    const client = createClient(config);
    const logger = createLogger({
      component: 'experiment',
      experiment: env.EXPERIMENT_NAME ?? name,
      engine: `${env.CHAOS_NAMESPACE}/${env.CHAOSENGINE}`,
      runId: env.RUN_ID,
    });
    try {
      const { signal } = abort;
      const outcome = await runExperiment({
        fault,
        env,
        client,
        clock: systemClock,
        random: Math.random,
        signal,
        logger,
      });
      logger.info({ verdict: outcome.verdict, phase: outcome.phase }, 'experiment ended');
      return outcome.exitCode;
    } catch (error) {
      logger.error({ error: describeError(error) }, 'experiment could not store its result');
      io.complain(`turnsole experiment: ${describeError(error)}`);
      return 1;
    } finally {
      client.close();
    }
  } catch (error) {
    io.complain(`turnsole experiment: ${describeError(error)}`);
    return CANNOT_START;
  } finally {
    abort.close();
  }
}
