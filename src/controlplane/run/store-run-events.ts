import { madeBy } from '../store/tables/columns.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { decideRunEvent, type RunChange, type RunState } from './decide-run-event.ts';
import { KnownRuns } from './known-runs.ts';
import type { Phase } from './phases.ts';
import type { ReportedEvent, StoredEvent } from './reported-event.ts';
import { writeRunChanges } from './write-run-changes.ts';

/** Stands for a user where an agent acts; no user may have a name with spaces. */
const AGENT_NAME = 'the agent of its infrastructure';

/** Outcome of an event. */
export type EventOutcome =
  | { readonly kind: 'stored'; readonly run: RunRow; readonly stopInCluster: boolean }
  | { readonly kind: 'stale' | 'duplicate' | 'no-experiment' | 'no-revision' };

/**
 * Stores reports of agents about runs of a project, in the order of the events: reads all data at once, decides the effect of each
 * in memory, and writes the final changes at once. A report about a run of another infrastructure counts as one about an unknown run.
 *
 * @param events of one project
 */
export async function storeRunEvents(tx: Tx, events: readonly ReportedEvent[]): Promise<EventOutcome[]> {
  const known = await KnownRuns.read(tx, events);
  const stored: StoredEvent[] = [];
  const outcomes = events.map((event): EventOutcome => {
    const outcome = take(known, event, tx.now);
    if ('kind' in outcome) return outcome;
    const { before, after, stopInCluster } = outcome;
    known.put(before, after, tx.now);
    stored.push({ event, before, after });
    return { kind: 'stored', run: after, stopInCluster };
  });
  if (stored.length > 0) await writeRunChanges(tx, known, stored);
  return outcomes;
}

/** Effect of an event on its run. Pure. */
function take(
  known: KnownRuns,
  event: ReportedEvent,
  now: number,
):
  | Exclude<EventOutcome, { kind: 'stored' }>
  | { readonly before: RunRow | undefined; readonly after: RunRow; readonly stopInCluster: boolean } {
  const before = known.find(event);
  if (before !== undefined && (before.infra_id !== event.infra || before.removed === 1)) {
    return { kind: 'no-experiment' };
  }
  // Its weights would make the score of a run that is not its own.
  if (before === undefined && known.experiment(event.experimentID) && !known.isOwnRevision(event)) {
    return { kind: 'no-revision' };
  }
  // Only the final report is scored.
  const faults = event.isCompleted ? known.faultsOf(before?.revision_id ?? known.revisionOf(event)) : [];
  const decision = decideRunEvent(before === undefined ? undefined : stateOf(before), event, faults);
  if (decision.kind === 'discard') return { kind: decision.why };
  const { change, stopInCluster } = decision;
  const after =
    before === undefined ? begunInCluster(known, event, change, now) : changed(event, before, change, now);
  return after === undefined ? { kind: 'no-experiment' } : { before, after, stopInCluster };
}

function stateOf(row: RunRow): RunState {
  return {
    runID: row.run_id ?? '',
    // Only this program writes it.
    phase: row.phase as Phase,
    endedBy: row.ended_by,
    isFinal: row.final === 1,
    progress: row.progress,
  };
}

function columnsOf(change: RunChange) {
  return {
    run_id: change.runID,
    phase: change.phase,
    completed: change.endedBy === null ? (0 as const) : (1 as const),
    ended_by: change.endedBy,
    // An agent that reports a run has begun it.
    problem: null,
    outcome: change.outcome === null ? null : JSON.stringify(change.outcome),
    final: change.isFinal ? (1 as const) : (0 as const),
    progress: change.progress,
    score: change.resiliencyScore,
    faults_passed: change.passed,
    faults_failed: change.failed,
    faults_awaited: change.awaited,
    faults_stopped: change.stopped,
    faults_na: change.na,
    faults_total: change.total,
  };
}

function changed(event: ReportedEvent, before: RunRow, change: RunChange, now: number): RunRow {
  return {
    ...before,
    ...columnsOf(change),
    namespace: event.data.namespace || before.namespace,
    // Who asked for it is known here; an agent's word of it is not taken.
    updated_at: now,
  };
}

/**
 * A run that this server has not started: a schedule in the cluster has, or the agent by itself. Undefined if the infrastructure has no such
 * experiment. No user stands for what an agent begins; for a schedule it is the one who has set it, as the server knows it.
 */
function begunInCluster(
  known: KnownRuns,
  event: ReportedEvent,
  change: RunChange,
  now: number,
): RunRow | undefined {
  const experiment = known.experiment(event.experimentID);
  if (experiment === undefined || experiment.infra_id !== event.infra || experiment.removed === 1)
    return undefined;
  const isScheduled = experiment.type === 'cronexperiment' || experiment.type === 'chaosschedule';
  return {
    key: `${event.infra}/${event.runID}`,
    project_id: event.project,
    experiment_id: event.experimentID,
    infra_id: event.infra,
    revision_id: known.revisionOf(event),
    // The id of a start request is this server's to give.
    notify_id: null,
    name: event.name,
    namespace: event.data.namespace,
    sequence: experiment.total_runs + 1,
    ...columnsOf(change),
    origin: isScheduled ? 'schedule' : 'agent',
    ...madeBy(isScheduled ? experiment.updated_by : AGENT_NAME, now),
    removed: 0,
  };
}
