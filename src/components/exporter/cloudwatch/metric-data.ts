/** The metrics that go to CloudWatch, as parameters of PutMetricData (version 2010-08-01 of its query protocol). Pure. */

import { isAwaited } from '../result-metrics.ts';
import type { Aggregates } from '../scope/aggregates.ts';
import type { ResultReading } from '../scope/scope-exporter.ts';
import type { CloudWatchSettings } from './settings.ts';

/** A metric's name and value; its unit is always `Count`, as upstream's. */
export type Datum = readonly [name: string, value: number];

/** A request may hold a thousand; with half of that the body stays far below the limit of a megabyte. */
const AT_MOST = 500;

/** The figures of one result (compatibility reference of the exporter, section 6): without a dimension that would name it. */
export function resultData({ result, times }: ResultReading): Datum[] {
  return [
    ['chaosresult_passed_experiments', result.passedRuns],
    ['chaosresult_failed_experiments', result.failedRuns],
    ['chaosresult_awaited_experiments', isAwaited(result.verdict) ? 1 : 0],
    ['chaosresult_probe_success_percentage', result.percentage],
    ['chaosresult_start_time', times.start],
    ['chaosresult_end_time', times.end],
    ['chaosresult_inject_time', times.injected],
    ['chaosresult_total_duration', Math.max(0, times.end - times.start)],
  ];
}

/** The figures of all results together. */
export function sumData({ passed, failed, awaited, installed }: Aggregates): Datum[] {
  return [
    ['total_passed_experiments', passed],
    ['total_failed_experiments', failed],
    ['total_awaited_experiments', awaited],
    ['experiments_run_count', passed + failed + awaited],
    ['experiments_installed_count', installed],
  ];
}

/** Parts that one request each can hold. */
export function inRequests(data: readonly Datum[]): Datum[][] {
  const count = Math.ceil(data.length / AT_MOST);
  return Array.from({ length: count }, (_, index) => data.slice(index * AT_MOST, (index + 1) * AT_MOST));
}

/** The body of a request. @param nowMs milliseconds since 1970 at which the values were true */
export function putMetricData(
  data: readonly Datum[],
  {
    metricNamespace,
    clusterName,
    service,
  }: Pick<CloudWatchSettings, 'metricNamespace' | 'clusterName' | 'service'>,
  nowMs: number,
): string {
  const form = new URLSearchParams({
    Action: 'PutMetricData',
    Version: '2010-08-01',
    Namespace: metricNamespace,
  });
  const at = new Date(nowMs).toISOString();
  for (const [index, [name, value]] of data.entries()) {
    const member = `MetricData.member.${index + 1}`;
    form.set(`${member}.MetricName`, name);
    form.set(`${member}.Value`, String(value));
    form.set(`${member}.Unit`, 'Count');
    form.set(`${member}.Timestamp`, at);
    for (const [place, [dimension, of]] of [
      ['ClusterName', clusterName],
      ['Service', service],
    ].entries()) {
      form.set(`${member}.Dimensions.member.${place + 1}.Name`, String(dimension));
      form.set(`${member}.Dimensions.member.${place + 1}.Value`, String(of));
    }
  }
  return form.toString();
}
