import type { RunRow } from '../../store/tables/runs.ts';

/** The row of a queued run, changed as a test says. */
export function runRow(changes: Partial<RunRow> = {}): RunRow {
  return {
    key: 'notify',
    project_id: 'p',
    experiment_id: 'e',
    infra_id: 'i',
    revision_id: 'r',
    run_id: null,
    notify_id: 'notify',
    name: 'shop-1',
    namespace: 'litmus',
    sequence: 1,
    phase: 'Queued',
    completed: 0,
    ended_by: null,
    origin: 'user',
    problem: null,
    outcome: null,
    final: 0,
    progress: 0,
    score: 0,
    faults_passed: 0,
    faults_failed: 0,
    faults_awaited: 0,
    faults_stopped: 0,
    faults_na: 0,
    faults_total: 1,
    created_at: 0,
    updated_at: 0,
    created_by: 'olga',
    updated_by: 'olga',
    removed: 0,
    ...changes,
  };
}
