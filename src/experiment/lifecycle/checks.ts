import type { PhaseOutcome } from '../../probes/outcome.ts';
import { joinErrors } from '../chaos/injector.ts';
import { ChaosError } from '../errors.ts';
import { type CheckOutcome, checkEvent } from '../events/messages.ts';
import { awaitHealthy, hasApplication } from '../health/check-health.ts';
import { emitOnEngine, type Run } from './run.ts';

/**
 * Steps 6 to 8 and 11 to 13: health of the application, then the probes of the phase, then one Event that says how both did.
 *
 * @throws StatusCheckError when the application is not healthy in time; the probes' error when one could not be
 *   evaluated or stops the run
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
  // As upstream, a probe that failed without ending the run does not make the phase unsuccessful; the verdict tells.
  const outcome = await runProbes();
  run.stop.throwIfAborted();
  const error = outcome === undefined ? undefined : probeError(outcome, run);
  emit(true, outcome === undefined ? undefined : error === undefined ? 'Successful' : 'Unsuccessful');
  if (error !== undefined) throw error;
}

function subjectOf({ settings, fault }: Run): CheckOutcome['subject'] {
  if (!settings.defaultHealthCheck) return 'skipped';
  return isNodeFault(fault) ? 'node' : 'application';
}

function isNodeFault({ targets }: Run['fault']): boolean {
  return targets === 'node' || targets === 'nodes';
}

async function checkHealth(run: Run, reason: CheckOutcome['reason']): Promise<void> {
  const { settings, fault, client, clock, stop, timeline } = run;
  // Auxiliary applications are those that share a node with what is hit: only faults of nodes look at them.
  const auxiliary = isNodeFault(fault) ? settings.auxiliaryApps : '';
  if (!hasApplication(settings.targets) && auxiliary === '') return;
  await awaitHealthy({
    client,
    clock,
    signal: stop,
    timeoutMs: settings.statusCheckTimeoutMs,
    entries: settings.targets,
    auxiliary,
  });
  const when = reason === 'PreChaosCheck' ? 'before' : 'after';
  timeline.note({ step: 'HealthChecked', message: `the application is healthy ${when} chaos` });
}

/** The error a phase of probes ends the run with; undefined when it goes on (a failure alone is judged at the end). */
export function probeError(outcome: PhaseOutcome, run: Pick<Run, 'phase'>): Error | undefined {
  if (outcome.ok || (outcome.kind === 'failure' && !outcome.stop)) return undefined;
  const decisive = outcome.findings.filter(({ kind }) => kind === outcome.kind);
  return joinErrors(
    decisive.map(
      ({ code, reason, probe }) =>
        new ChaosError(code, reason, { phase: run.phase, target: `{name: ${probe}}` }),
    ),
  );
}
