import type { ChaosResult, ProbeStatus } from '../api/index.ts';

/** Description of a probe that was never judged; the words are upstream's. */
export const NOT_EVALUATED = 'Either probe is not executed or not evaluated';

/** Probes of a run that is over: those that were never judged are N/A, with what they found last. Pure. */
export function closeProbes(probes: readonly ProbeStatus[]): ProbeStatus[] {
  return probes.map((probe) =>
    probe.status.verdict === 'Awaited'
      ? { ...probe, status: { verdict: 'N/A', description: unevaluated(probe.status.description) } }
      : probe,
  );
}

function unevaluated(found: string | undefined): string {
  return found === undefined ? NOT_EVALUATED : `${NOT_EVALUATED}; what it found last: ${found}`;
}

/** ⌊passed·100/total⌋ as text; 0 without probes. Pure. */
export function successPercentage(probes: readonly ProbeStatus[]): string {
  const passed = probes.filter(({ status }) => status.verdict === 'Passed').length;
  return String(probes.length === 0 ? 0 : Math.floor((passed * 100) / probes.length));
}

/** Whether the experiment has left its result without a verdict. Pure. */
export function isUnfinished({ status }: Pick<ChaosResult, 'status'>): boolean {
  const { phase, verdict } = status?.experimentStatus ?? {};
  return phase === 'Running' || verdict === 'Awaited';
}

/** Why runner or operator close a result in place of its experiment: the run was aborted, or the experiment died. */
type AbandonedEnding =
  | { readonly verdict: 'Stopped' }
  | { readonly verdict: 'Error'; readonly reason: string };

/** Merge patch of the status of a result that its experiment left unfinished. Pure. */
export function closedStatus(
  { status }: Pick<ChaosResult, 'status'>,
  ending: AbandonedEnding,
): Record<string, unknown> {
  const probes = status?.probeStatuses ?? [];
  const { verdict } = ending;
  return {
    experimentStatus:
      ending.verdict === 'Stopped'
        ? { phase: verdict, verdict, probeSuccessPercentage: successPercentage(probes) }
        : {
            phase: verdict,
            verdict,
            probeSuccessPercentage: '0',
            errorOutput: { errorCode: 'GENERIC_ERROR', reason: ending.reason },
          },
    probeStatuses: closeProbes(probes),
  };
}
