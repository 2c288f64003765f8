import type { Migration } from '../migrate.ts';
import { AUTHORED, createTable } from './columns.ts';

/** Experiments and their revisions, runs and the reports of agents, probes and their executions. */
export const experiments: Migration = {
  version: 4,
  name: 'experiments',
  breaking: false,
  up: async (db, dialect) => {
    await createTable(db, dialect, 'experiments', {
      columns: {
        project_id: 'text',
        id: 'text',
        infra_id: 'text',
        name: 'text',
        description: 'text',
        tags: 'json',
        type: 'text',
        cron_syntax: 'text',
        custom: 'flag',
        revision_id: 'text',
        scheduled: 'flag',
        total_runs: 'count',
        completed_runs: 'count',
        score_sum: 'real',
        last_phase: 'text',
        last_run_at: 'time?',
        ...AUTHORED,
        removed: 'flag',
      },
      key: ['project_id', 'id'],
      indexes: [
        ['project_id', 'removed', 'updated_at'],
        ['infra_id', 'removed'],
      ],
    });
    await createTable(db, dialect, 'revisions', {
      columns: {
        id: 'text',
        project_id: 'text',
        experiment_id: 'text',
        manifest: 'bytes',
        faults: 'json',
        created_at: 'time',
        created_by: 'text',
      },
      key: ['id'],
      indexes: [['project_id', 'experiment_id', 'created_at']],
    });
    await createTable(db, dialect, 'runs', {
      columns: {
        key: 'text',
        project_id: 'text',
        experiment_id: 'text',
        infra_id: 'text',
        revision_id: 'text',
        run_id: 'text?',
        notify_id: 'text?',
        name: 'text',
        namespace: 'text',
        sequence: 'count',
        phase: 'text',
        completed: 'flag',
        ended_by: 'text?',
        final: 'flag',
        progress: 'count',
        score: 'real',
        faults_passed: 'count',
        faults_failed: 'count',
        faults_awaited: 'count',
        faults_stopped: 'count',
        faults_na: 'count',
        faults_total: 'count',
        ...AUTHORED,
        removed: 'flag',
      },
      key: ['key'],
      unique: [
        ['project_id', 'run_id'],
        ['project_id', 'notify_id'],
      ],
      indexes: [
        ['project_id', 'experiment_id', 'sequence'],
        ['project_id', 'experiment_id', 'removed', 'created_at'],
        ['project_id', 'removed', 'created_at'],
        ['project_id', 'removed', 'phase', 'created_at'],
        ['phase', 'created_at'],
      ],
    });
    await createTable(db, dialect, 'run_data', {
      columns: { run_key: 'text', data: 'bytes' },
      key: ['run_key'],
    });
    await createTable(db, dialect, 'run_counters', {
      columns: { project_id: 'text', infra_id: 'text', phase: 'text', runs: 'count' },
      key: ['project_id', 'infra_id', 'phase'],
    });
    await createTable(db, dialect, 'probes', {
      columns: {
        project_id: 'text',
        name: 'text',
        type: 'text',
        body: 'json',
        description: 'text',
        tags: 'json',
        executions: 'count',
        ...AUTHORED,
        removed: 'flag',
      },
      key: ['project_id', 'name'],
    });
    await createTable(db, dialect, 'probe_executions', {
      columns: {
        run_key: 'text',
        fault_index: 'count',
        probe_name: 'text',
        mode: 'text',
        project_id: 'text',
        experiment_id: 'text',
        fault: 'text',
        verdict: 'text',
        description: 'text',
        updated_at: 'time',
        updated_by: 'text',
      },
      key: ['run_key', 'fault_index', 'probe_name', 'mode'],
      indexes: [['project_id', 'probe_name', 'updated_at']],
    });
  },
};
