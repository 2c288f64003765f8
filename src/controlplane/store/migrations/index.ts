import type { Migration } from '../migrate.ts';
import { accounts } from './accounts.ts';
import { agentAnswers } from './agent-answers.ts';
import { experiments } from './experiments.ts';
import { gitops } from './gitops.ts';
import { gitopsBaseline } from './gitops-baseline.ts';
import { halts } from './halts.ts';
import { hubs } from './hubs.ts';
import { infraMetrics } from './infra-metrics.ts';
import { infras } from './infras.ts';
import { notifications } from './notifications.ts';
import { provenance } from './provenance.ts';
import { records } from './records.ts';
import { runDurations } from './run-durations.ts';
import { runOutcomes } from './run-outcomes.ts';
import { runProblems } from './run-problems.ts';
import { runRecords } from './run-records.ts';

/** All steps of the schema, in order. Imported statically for bundles. A released step never changes. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  infras,
  records,
  experiments,
  notifications,
  hubs,
  gitops,
  halts,
  agentAnswers,
  runRecords,
  runDurations,
  runProblems,
  infraMetrics,
  runOutcomes,
  gitopsBaseline,
  provenance,
];
