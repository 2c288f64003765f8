import { CHAOS_ENGINES } from '../../../api/index.ts';
import { AbortedError, describeError } from '../../injection/errors.ts';
import type { TimelineLog } from '../../injection/result/timeline-log.ts';
import type { ProbeChange, ProbeRunner } from '../../probes/runner-types.ts';
import { isDryRun, type Run } from './run.ts';
import { ignoresSteadyState } from './steady-state.ts';

/** The probes of the engine's entry for this experiment. Their code is loaded here and not before: many runs have none. */
export async function loadProbes(run: Run): Promise<ProbeRunner> {
  const { createProbeRunner } = await import('../../probes/runner.ts');
  const { client, clock, settings, stop, env, logger, engine } = run;
  const index = engine?.spec.experiments.findIndex(({ name }) => name === settings.experiment) ?? 0;
  return createProbeRunner({
    probes: run.engineExperiment?.spec?.probe ?? [],
    path: ['spec', 'experiments', index, 'spec', 'probe'],
    client,
    clock,
    signal: stop,
    env,
    logger,
    isDryRun: isDryRun(run),
    ignoresSteadyState: ignoresSteadyState(run),
    chaosDurationMs: settings.durationMs,
    minimumCoverage: engine?.spec.minimumCoverage,
    overload: () => run.pressures.overload(),
    onUnsteady: (finding) => run.unsteady.ring(finding),
    statusCheckTimeoutSeconds: settings.statusCheckTimeoutMs / 1000,
    onUpdate: (probeStatuses) => run.news.storeProbes(probeStatuses),
    onChange: probeLines(run.timeline),
    onNews: ({ probe, type, mode, what, text }) =>
      run.timeline.note(
        { step: NEWS_STEPS[what], message: `${type} in mode ${mode}: ${text}` },
        `probe/${probe}`,
      ),
    onStop: (reason) => void stopRun(run, reason),
  });
}

/** Lines for each probe; one that flutters must not drive everything else out of the timeline. */
const MAX_PROBE_LINES = 40;

const PROBE_STEPS = { passed: 'ProbePassed', failure: 'ProbeFailed', error: 'ProbeError' } as const;

const NEWS_STEPS = { began: 'ProbeBegan', ended: 'ProbeEnded', unmeasured: 'ProbeUnmeasured' } as const;

/** Notes what probes find: the first time, and whenever that changes. */
function probeLines(timeline: Pick<TimelineLog, 'note'>): (change: ProbeChange) => void {
  const counts = new Map<string, number>();
  return ({ probe, type, mode, outcome, text, when }) => {
    const count = (counts.get(probe) ?? 0) + 1;
    counts.set(probe, count);
    if (count > MAX_PROBE_LINES) return;
    const found = outcome === 'passed' ? text : `${when} the fault: ${text}`;
    const last = count === MAX_PROBE_LINES ? '; further changes are not listed' : '';
    timeline.note(
      { step: PROBE_STEPS[outcome], message: `${type} in mode ${mode}: ${found}${last}` },
      `probe/${probe}`,
    );
  };
}

/**
 * Stops the run for a background probe with stopOnFailure: sets the engine to stop, as upstream's do, and ends this run without
 * waiting for the operator.
 */
async function stopRun(run: Run, reason: string): Promise<void> {
  const { client, engine, logger, settings, timeline } = run;
  timeline.note({ step: 'ProbeStopped', message: reason });
  try {
    if (engine !== undefined) {
      const patch = { spec: { engineState: 'stop' } };
      const options = { namespace: settings.namespace, repeatable: true };
      await client.patch(CHAOS_ENGINES, engine.metadata.name, 'merge', patch, options);
    }
  } catch (error) {
    logger.error({ error: describeError(error) }, 'cannot set the engine to stop');
  } finally {
    run.abort(new AbortedError(reason));
  }
}
