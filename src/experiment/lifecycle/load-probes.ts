import { CHAOS_ENGINES } from '../../api/index.ts';
import { AbortedError, describeError } from '../errors.ts';
import type { ProbesFactory } from './open-run.ts';
import type { Run } from './run.ts';

/** The probes of the engine's entry for this experiment. Their code is loaded here and not before: many runs have none. */
export const loadProbes: ProbesFactory = async (run) => {
  const { createProbeRunner } = await import('../../probes/index.ts');
  const { client, clock, settings, stop, env, logger, engine, writer } = run;
  const index = engine?.spec.experiments.findIndex(({ name }) => name === settings.experiment) ?? 0;
  return createProbeRunner({
    probes: run.engineExperiment?.spec?.probe ?? [],
    path: ['spec', 'experiments', index, 'spec', 'probe'],
    client,
    clock,
    signal: stop,
    env,
    logger,
    totalChaosDurationSeconds: settings.durationMs / 1000,
    statusCheckTimeoutSeconds: settings.statusCheckTimeoutMs / 1000,
    onUpdate: (probeStatuses) => {
      if (!run.isClosing) void writer.write({ status: { probeStatuses } });
    },
    onStop: (reason) => void stopRun(run, reason),
  });
};

/**
 * What a background probe with stopOnFailure does: it sets the engine to stop, as upstream's do, and ends this run without
 * waiting for the operator.
 */
async function stopRun(run: Run, reason: string): Promise<void> {
  const { client, engine, logger, settings, timeline } = run;
  timeline.note({ step: 'ProbeStopped', message: reason });
  try {
    if (engine !== undefined) {
      const patch = { spec: { engineState: 'stop' } };
      const options = { namespace: settings.namespace };
      await client.patch(CHAOS_ENGINES, engine.metadata.name, 'merge', patch, options);
    }
  } catch (error) {
    logger.error({ error: describeError(error) }, 'cannot set the engine to stop');
  } finally {
    run.abort(new AbortedError(reason));
  }
}
