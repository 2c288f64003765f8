import type { Metrics } from '../../../process/metrics.ts';
import { PREFIX } from './measure.ts';

/** The metrics of the controller itself. Their names and labels are Argo's, so that its dashboards show them. */
export type OwnMetrics = ReturnType<typeof defineMetrics>;

const RUNTIME_BUCKETS = [1, 5, 10, 30, 60, 300, 900, 3600, 14_400];

/** Defines them, with the buckets of Argo's. */
export function defineMetrics({ counter, gauge, histogram }: Metrics) {
  const named = (name: string): string => `${PREFIX}${name}`;
  const cron = ['name', 'namespace'];
  const request = ['kind', 'verb', 'status_code'];
  const lock = ['type', 'storage', 'lock_name', 'namespace'];
  const template = ['name', 'namespace', 'cluster_scope', 'phase'];
  return {
    workflows: gauge(named('gauge'), 'Workflows by phase.', ['phase']),
    workflowsTotal: counter(named('total_count'), 'Workflows that came to a phase.', ['phase', 'namespace']),
    errors: counter(named('error_count'), 'Errors of the controller by cause.', ['cause']),
    pods: gauge(named('pods_gauge'), 'Pods of nodes that are not recorded yet, by phase.', ['phase']),
    podsTotal: counter(named('pods_total_count'), 'Pods that came to a phase.', ['phase', 'namespace']),
    podsPending: counter(named('pod_pending_count'), 'Pods that came to wait for a reason.', [
      'reason',
      'namespace',
    ]),
    conditions: gauge(named('workflow_condition'), 'Workflows that are not over, by condition.', [
      'type',
      'status',
    ]),
    requests: counter(named('k8s_request_total'), 'Requests to the API server.', request),
    requestDuration: histogram(
      named('k8s_request_duration'),
      'Seconds until the API server answered a request.',
      request,
      [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 180],
    ),
    podRateLimited: histogram(
      named('resource_rate_limiter_latency'),
      'Seconds that pods waited for their turn, as resourceRateLimit has it.',
      [],
      [0, 0.1, 0.5, 1, 5, 10, 30, 60, 180],
    ),
    podsMissing: counter(named('pod_missing'), 'Pods that were gone before their nodes were over.', [
      'node_phase',
      'recently_started',
    ]),
    locksHeld: gauge(named('locks_held'), 'How many hold a lock.', lock),
    locksPending: gauge(named('locks_pending'), 'How many wait for a lock.', lock),
    locksTaken: counter(named('locks_taken_total'), 'How often a lock was taken.', lock),
    logMessages: counter(named('log_messages'), 'Lines of the log.', ['level']),
    deprecated: counter(
      named('deprecated_feature'),
      'Workflows and CronWorkflows that use an old spelling.',
      ['feature', 'namespace'],
    ),
    version: gauge(named('version'), 'What this controller is; always 1.', [
      'version',
      'platform',
      'compiler',
    ]),
    isLeader: gauge(named('is_leader'), 'Whether this process is the one that works.'),
    templateTriggered: counter(
      named('workflowtemplate_triggered_total'),
      'Workflows of a template that came to a phase.',
      template,
    ),
    templateRuntime: histogram(
      named('workflowtemplate_runtime'),
      'Duration of workflows of a template.',
      template,
      RUNTIME_BUCKETS,
    ),
    cronTriggered: counter(
      named('cronworkflows_triggered_total'),
      'Workflows that CronWorkflows have started.',
      cron,
    ),
    cronPolicy: counter(
      named('cronworkflows_concurrencypolicy_triggered'),
      'Times at which a concurrency policy was applied.',
      [...cron, 'concurrency_policy'],
    ),
  };
}
