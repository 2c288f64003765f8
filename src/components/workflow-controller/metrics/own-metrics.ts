import type { Metrics } from '../../../process/metrics.ts';
import { PREFIX } from './measure.ts';

/** The metrics of the controller itself. Their names and labels are Argo's, so that its dashboards show them. */
export type OwnMetrics = ReturnType<typeof defineMetrics>;

const RUNTIME_BUCKETS = [1, 5, 10, 30, 60, 300, 900, 3600, 14_400];

/** Source: spec/workflow.md 8.2. */
export function defineMetrics({ counter, gauge, histogram }: Metrics) {
  const named = (name: string): string => `${PREFIX}${name}`;
  const cron = ['name', 'namespace'];
  const template = ['name', 'namespace', 'cluster_scope', 'phase'];
  return {
    workflows: gauge(named('gauge'), 'Workflows by phase.', ['phase']),
    workflowsTotal: counter(named('total_count'), 'Workflows that came to a phase.', ['phase', 'namespace']),
    errors: counter(named('error_count'), 'Errors of the controller by cause.', ['cause']),
    operations: histogram(named('operation_duration_seconds'), 'Duration of a pass of a workflow.'),
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
    queueAdds: counter(named('queue_adds_count'), 'Keys that became ready.', ['queue_name']),
    queueDepth: gauge(named('queue_depth_gauge'), 'Keys that are ready for a worker.', ['queue_name']),
    queueLatency: histogram(named('queue_latency'), 'Seconds that keys were ready.', ['queue_name']),
    queueDuration: histogram(named('queue_duration'), 'Seconds that workers had keys.', ['queue_name']),
    queueRetries: counter(named('queue_retries'), 'Keys that were put back after a failure.', ['queue_name']),
    requests: counter(named('k8s_request_total'), 'Requests to the API server.', [
      'kind',
      'verb',
      'status_code',
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
