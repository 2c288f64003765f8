import { ChaosError } from '../../injection/errors.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import type { PhaseOutcome, ProbeFinding } from '../../probes/outcome.ts';
import { probeError } from './probe-error.ts';
import type { Run } from './run.ts';

/** The application did not hold before the fault; nothing was injected. The run's objections have it as well: it outweighs failed probes. */
class NotSteadyError extends ChaosError {
  override readonly name = 'NotSteadyError';
}

/** Whether the fault is injected also into what is broken already. */
export function ignoresSteadyState({ engine }: Pick<Run, 'engine'>): boolean {
  return engine?.spec.steadyState === 'ignore';
}

/**
 * The error that ends a run before its fault, by what its probes found; undefined when the fault may be injected. A failed probe with
 * stopOnFailure ends the run as stopped, whatever the steady state is worth.
 */
export function steadyStateError(outcome: PhaseOutcome, run: Run): Error | undefined {
  const error = probeError(outcome, run);
  if (error !== undefined || outcome.ok || ignoresSteadyState(run)) return error;
  return notSteady(run, outcome.findings);
}

/**
 * Asks the Continuous probes right before the first injection.
 *
 * @throws NotSteadyError when one does not hold · the probes' error when one could not be evaluated
 */
export async function assertSteady(run: Run): Promise<void> {
  if (run.probes === undefined || ignoresSteadyState(run)) return;
  const outcome = await run.probes.steadyState();
  run.stop.throwIfAborted();
  const error = steadyStateError(outcome, run);
  if (error !== undefined) throw error;
}

/**
 * Watches the Continuous probes from {@link assertSteady} until the fault begins, while helpers start. One that does not pass ends the run,
 * unless an injection is planned by then: what it found may be the fault already, and counts as that.
 *
 * @param onUnsteady called once, with the error that ends the run
 * @returns ends that
 */
export function watchSteady(run: Run, onUnsteady: (error: Error) => void): () => void {
  let isAsking = false;
  return run.unsteady.listen((finding) => {
    if (isAsking) return;
    isAsking = true;
    void plannedAt(run).then((atMs) => {
      if (atMs === undefined) onUnsteady(errorOf(run, finding));
      else run.probes?.injecting(atMs);
    });
  });
}

/** When the first injection of the run was planned, by the ledger; undefined when none was. A ledger that cannot be read may have one. */
async function plannedAt(run: Run): Promise<number | undefined> {
  const askedMs = run.clock.now();
  try {
    const entries = ownEntries(await run.writer.read(), run.settings.runId);
    const times = entries.map(({ plannedAt: time = '' }) => Date.parse(time) || askedMs);
    return times.length === 0 ? undefined : Math.min(...times, askedMs);
  } catch {
    return askedMs;
  }
}

function errorOf(run: Run, finding: ProbeFinding): Error {
  if (finding.kind === 'failure') return notSteady(run, [finding]);
  const { code, reason, probe } = finding;
  return new ChaosError(code, reason, { phase: run.phase, target: `{name: ${probe}}` });
}

function notSteady(run: Run, findings: readonly ProbeFinding[]): NotSteadyError {
  const found = findings.map(({ probe, reason }) => `probe '${probe}': ${reason}`).join('; ');
  const reason =
    `not in steady state before the fault, so that nothing was injected: ${found}; ` +
    'mend that, or set spec.steadyState to ignore in the ChaosEngine';
  run.objections.push({ code: 'NOT_STEADY', verdict: 'Error', reason, phase: 'PreChaos' });
  run.timeline.note({ step: 'NotSteady', message: reason });
  return new NotSteadyError('NOT_STEADY', reason, { phase: 'PreChaos' });
}
