import { LEASE_MARGIN_MS, type Verdict } from '../../../api/index.ts';
import { PROBE_TYPES } from '../../../api/probe-types/index.ts';
import { runIdOfInjection } from '../../../chaos/run-id.ts';
import { listOf, membersOf, textOf, timeOf } from '../lenient.ts';

/** The facts of a run that has ended. */
export interface EndedRun {
  /** `Pass`, `Fail`, `Stopped`, `Error` or, of a dry run, `N/A`. */
  readonly verdict: string;
  readonly probes: readonly ProbeOutcome[];
  /** Seconds from the stored plan of an injection until it was in force, one for each. */
  readonly injections: readonly number[];
  /** Seconds from when an injection was to end until it was reverted, one for each. */
  readonly reverts: readonly number[];
}

/** How one probe did. */
interface ProbeOutcome {
  /** `httpProbe`, …; `other` for an unknown type. */
  readonly type: string;
  /** `Passed`, `Failed` or, where it was never judged, `N/A`. */
  readonly verdict: string;
}

/** Verdicts of a run that is over; `N/A` is that of a dry run. */
export const FINAL_VERDICTS = ['Pass', 'Fail', 'Stopped', 'Error', 'N/A'] as const satisfies readonly (
  | Verdict
  | 'N/A'
)[];

const BY_LOWER_CASE = new Map<string, string>(FINAL_VERDICTS.map((word) => [word.toLowerCase(), word]));

/** Whether a run with this verdict, in any case, is over. Pure. */
export function isFinalVerdict(verdict: string): boolean {
  return BY_LOWER_CASE.has(verdict.toLowerCase());
}

/**
 * Reads the run that has ended from the status of its result. Pure.
 *
 * @param runId of the run, by which its entries of the ledger are known; empty where the result has none, as of upstream's experiments
 */
export function endedRunOf(
  status: Readonly<Record<string, unknown>>,
  verdict: string,
  runId: string,
): EndedRun {
  const entries = runId === '' ? [] : ownEntries(status.ledger, runId);
  const abortedMs = abortOf(status.timeline, runId);
  return {
    verdict: BY_LOWER_CASE.get(verdict.toLowerCase()) ?? verdict,
    probes: listOf(status.probeStatuses).map(probeOutcome),
    injections: entries.map(injectionSeconds).filter((seconds) => seconds !== undefined),
    reverts: entries
      .map((entry) => revertSeconds(entry, abortedMs))
      .filter((seconds) => seconds !== undefined),
  };
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(PROBE_TYPES);
const PROBE_VERDICTS: ReadonlySet<string> = new Set(['Passed', 'Failed']);

/** The types of all probes of a result, each once. Pure. */
export function probeTypesOf(probes: unknown): string[] {
  return [...new Set(listOf(probes).map((probe) => probeOutcome(probe).type))];
}

function probeOutcome(probe: unknown): ProbeOutcome {
  const { type, status } = membersOf(probe);
  const word = textOf(membersOf(status).verdict);
  const kind = textOf(type);
  return { type: KNOWN_TYPES.has(kind) ? kind : 'other', verdict: PROBE_VERDICTS.has(word) ? word : 'N/A' };
}

/** Times of an entry of the ledger in milliseconds since 1970. */
interface EntryTimes {
  readonly planned: number | undefined;
  readonly injected: number | undefined;
  readonly reverted: number | undefined;
  readonly leaseEnds: number | undefined;
  readonly isInstant: boolean;
}

function ownEntries(ledger: unknown, runId: string): EntryTimes[] {
  return Object.entries(membersOf(ledger))
    .filter(([id]) => runIdOfInjection(id) === runId)
    .map(([, entry]) => {
      const { plannedAt, injectedAt, revertedAt, leaseExpiresAt, instant } = membersOf(entry);
      return {
        planned: timeOf(plannedAt),
        injected: timeOf(injectedAt),
        reverted: timeOf(revertedAt),
        leaseEnds: timeOf(leaseExpiresAt),
        isInstant: instant === true,
      };
    });
}

function injectionSeconds({ planned, injected }: EntryTimes): number | undefined {
  if (planned === undefined || injected === undefined || injected < planned) return undefined;
  return (injected - planned) / 1000;
}

/**
 * An injection is to end when its time is over, counted from when it was in force, or when the experiment gets an abort. An injection
 * that was reverted before either (its helper ended with the target) was not waited for, and does not count.
 */
function revertSeconds(entry: EntryTimes, abortedMs: number | undefined): number | undefined {
  const { planned, injected, reverted, leaseEnds, isInstant } = entry;
  if (isInstant || planned === undefined || injected === undefined) return undefined;
  if (reverted === undefined || leaseEnds === undefined) return undefined;
  const holdMs = leaseEnds - LEASE_MARGIN_MS - planned;
  const dueMs = Math.min(injected + holdMs, Math.max(injected, abortedMs ?? Number.POSITIVE_INFINITY));
  return reverted < dueMs ? undefined : (reverted - dueMs) / 1000;
}

function abortOf(timeline: unknown, runId: string): number | undefined {
  for (const entry of listOf(timeline)) {
    const { step, time, runId: of } = membersOf(entry);
    if (step === 'Aborted' && of === runId) return timeOf(time);
  }
  return undefined;
}
