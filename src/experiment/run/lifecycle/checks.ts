import type { InjectionTarget } from '../../../api/index.ts';
import { type CheckOutcome, checkEvent } from '../../injection/events/messages.ts';
import type { PhaseOutcome } from '../../probes/outcome.ts';
import { awaitHealthy } from '../../targets/health/check-health.ts';
import { healthSubject } from '../../targets/health/health-subject.ts';
import { resolveTargets } from '../../targets/resolve-targets.ts';
import { probeError } from './probe-error.ts';
import { emitOnEngine, faultContext, type Run } from './run.ts';
import { steadyStateError } from './steady-state.ts';

/**
 * Steps 6 to 8 and 11 to 13: health of the application, then the probes of the phase, then one Event that says how both did.
 *
 * @throws StatusCheckError when the application is not healthy in time; the probes' error when one could not be
 *   evaluated or stops the run · NotSteadyError when one failed, unless the engine ignores the steady state
 */
export async function checkBefore(run: Run): Promise<void> {
  await check(run, 'PreChaosCheck', () => run.probes?.preChaos());
}

/** The same after chaos. */
export async function checkAfter(run: Run): Promise<void> {
  await check(run, 'PostChaosCheck', () => run.probes?.postChaos());
}

async function check(
  run: Run,
  reason: CheckOutcome['reason'],
  runProbes: () => Promise<PhaseOutcome> | undefined,
): Promise<void> {
  const subject = subjectOf(run);
  const emit = (healthy: boolean, probes: CheckOutcome['probes']): void =>
    emitOnEngine(run, checkEvent({ reason, subject, healthy, probes }));
  try {
    if (run.settings.defaultHealthCheck) await checkHealth(run, reason);
  } catch (error) {
    if (!run.stop.aborted) emit(false, undefined);
    throw error;
  }
  const outcome = await runProbes();
  run.stop.throwIfAborted();
  // After chaos, as upstream, a probe that failed without ending the run does not make the phase unsuccessful; the verdict shows it.
  const errorOf = reason === 'PreChaosCheck' ? steadyStateError : probeError;
  const error = outcome === undefined ? undefined : errorOf(outcome, run);
  emit(true, outcome === undefined ? undefined : error === undefined ? 'Successful' : 'Unsuccessful');
  if (error !== undefined) throw error;
}

function subjectOf({ settings, fault }: Run): CheckOutcome['subject'] {
  if (!settings.defaultHealthCheck) return 'skipped';
  return fault.health?.subject ?? (isNodeFault(fault) ? 'node' : 'application');
}

function isNodeFault({ targets }: Run['fault']): boolean {
  return targets === 'node' || targets === 'nodes';
}

async function checkHealth(run: Run, reason: CheckOutcome['reason']): Promise<void> {
  await checkApplications(run, reason);
  const { fault, settings, timeline } = run;
  const { tunables, targets: entries } = settings;
  const pods = (): Promise<readonly InjectionTarget[]> => allPods(run);
  const message = await fault.health?.check({ tunables, entries, pods }, faultContext(run));
  if (message !== undefined) timeline.note({ step: 'HealthChecked', message });
}

/** Every pod that TARGETS stands for; a share of them is what chaos hits. */
function allPods({
  client,
  fault,
  settings,
  clock,
  random,
  stop: signal,
}: Run): Promise<readonly InjectionTarget[]> {
  const tunables = { ...settings.tunables, PODS_AFFECTED_PERC: 100, TARGET_PODS: [] };
  return resolveTargets({ client, fault, settings: { ...settings, tunables }, clock, random, signal });
}

async function checkApplications(run: Run, reason: CheckOutcome['reason']): Promise<void> {
  const { settings, fault, client, clock, stop: signal, timeline } = run;
  const subject = healthSubject(fault, settings);
  if (subject === undefined) return;
  const isBefore = reason === 'PreChaosCheck';
  const { record, remarks } = await awaitHealthy({
    ...{ client, clock, signal, ...subject },
    timeoutMs: settings.statusCheckTimeoutMs,
    before: isBefore ? undefined : run.healthBefore,
  });
  if (isBefore) run.healthBefore = record;
  const healthy = `the application is healthy ${isBefore ? 'before' : 'after'} chaos`;
  timeline.note({ step: 'HealthChecked', message: [healthy, ...remarks].join('; ') });
}
