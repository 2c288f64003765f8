import type { RunReport } from '../../services/report/model.ts';
import { renameReport } from '../../services/report/rename-report.ts';

/**
 * A report in which a run has the name of its experiment: each run is an object of its own, whose name ends with the time, and a CI system shows
 * a history of suites and tests by their names. Pure.
 */
export function withStableNames(report: RunReport, runName: string, experimentName: string): RunReport {
  return renameReport(report, (name) =>
    runName !== '' && name.startsWith(runName) ? experimentName + name.slice(runName.length) : name,
  );
}
