import { isAwaited } from '../result-metrics.ts';
import { headOf, labelText } from './exposition.ts';
import type { SlimResult } from './slim-objects.ts';

/** What all results together say. */
export interface Aggregates {
  readonly passed: number;
  readonly failed: number;
  readonly awaited: number;
  readonly installed: number;
}

/** Adds results up; one whose engine is gone counts as well. Pure. */
export function aggregatesOf(results: Iterable<SlimResult>): Aggregates {
  const sum = { passed: 0, failed: 0, awaited: 0, installed: 0 };
  for (const { passedRuns, failedRuns, verdict } of results) {
    sum.passed += passedRuns;
    sum.failed += failedRuns;
    if (isAwaited(verdict)) sum.awaited += 1;
    sum.installed += 1;
  }
  return sum;
}

/** The samples of one of the two families (compatibility reference of the exporter, 2.2). Pure. */
export function aggregateLines(sums: Aggregates, namespace: string): string {
  const [family, where, labels] =
    namespace === ''
      ? ['cluster_scoped', 'in all namespaces', '']
      : ['namespace_scoped', 'in watch namespace', `{${labelText({ chaosresult_namespace: namespace })}}`];
  const { passed, failed, awaited, installed } = sums;
  const lines: readonly (readonly [name: string, help: string, value: number])[] = [
    ['passed_experiments', 'Total number of passed experiments', passed],
    ['failed_experiments', 'Total number of failed experiments', failed],
    ['awaited_experiments', 'Total number of awaited experiments', awaited],
    ['experiments_run_count', 'Total experiments run', passed + failed + awaited],
    ['experiments_installed_count', 'Total number of experiments', installed],
  ];
  return lines
    .map(([suffix, help, value]) => {
      const name = `litmuschaos_${family}_${suffix}`;
      return `${headOf(name, `${help} ${where}`)}${name}${labels} ${value}\n`;
    })
    .join('');
}
