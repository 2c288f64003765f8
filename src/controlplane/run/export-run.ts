import { packageVersion } from '../../process/version.ts';
import type { RunAccount } from '../../services/report/account/account.ts';
import { accountPage } from '../../services/report/account/account-page.ts';
import { accountReport } from '../../services/report/account/account-report.ts';
import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { EXPORT_FORMATS, type ExportFormat, exportRun } from '../../services/report/export.ts';
import type { RunReport } from '../../services/report/model.ts';
import { recordReport, workflowRecordReport } from '../../services/report/record-report.ts';
import { type Context, memberOf } from '../access/context.ts';
import type { Arguments } from '../access/operations.ts';
import { found, Refusal } from '../access/refusal.ts';
import { richAnswer } from '../http/rest.ts';
import { listedRun } from './list-runs.ts';
import { logsOf } from './records/receive-log.ts';
import { recordedRun, recordsOf, runPage } from './records/run-page.ts';
import { emptyGraph } from './run-answers.ts';
import { outcomeOfRow } from './run-outcome.ts';
import { executionTextOf } from './run-rows.ts';
import { withStableNames } from './stable-names.ts';

/** A run as a file, with everything that its agent reports; our agents report more. @throws Refusal for an unknown run or form */
export async function getRunExport(args: Arguments, context: Context): Promise<object> {
  const format = exportFormatOf(args.format);
  const { store } = context.plane;
  // A run that never began has only the id of its start request.
  const name = String(args.run_id);
  const row = found(
    await listedRun(store.read, memberOf(context).project, { runID: name, notifyID: name }),
    'no matching experiment run',
  );
  const text = (await executionTextOf(store.read, row.key)) ?? emptyGraph(row);
  const account: RunAccount = readExecutionData(text) ?? {
    ...{
      name: row.name,
      namespace: row.namespace,
      phase: row.phase,
      workflowPhase: '',
      message: '',
      nodes: [],
    },
    isWorkflow: true,
  };
  const isWorkflow = row.experiment_type === 'experiment' || row.experiment_type === 'cronexperiment';
  const shown = { ...account, name: row.name, namespace: row.namespace, phase: row.phase, isWorkflow };
  const outcome = outcomeOfRow(row);
  const about = {
    turnsole: packageVersion(),
    startedMs: row.created_at,
    endedMs: row.updated_at,
    isStopped: row.phase === 'Stopped',
    problem: row.problem,
    outcome,
  };
  const title = `${row.experiment_name}, run ${row.sequence}`;
  const file = `${row.experiment_name}-${row.sequence}`;
  const named = (report: RunReport): RunReport =>
    format === 'junit' ? withStableNames(report, row.name, row.experiment_name) : report;
  const records = await recordsOf(store.read, row.key);
  const logs = await logsOf(store.read, row.key);
  if (records.length > 0) {
    const run = recordedRun(records, text);
    const facts = { turnsole: packageVersion(), nowMs: row.updated_at };
    return richAnswer(
      exportRun(format, {
        name: file,
        page: () => ({ ...runPage(records, text), title, outcome, logs }),
        report: () =>
          named({
            ...('workflow' in run ? workflowRecordReport(run, facts) : recordReport(run, facts)),
            outcome,
          }),
      }),
    );
  }
  return richAnswer(
    exportRun(format, {
      name: file,
      page: () => ({ ...accountPage(shown, { ...about, title, text }), logs }),
      report: () => named({ ...accountReport(shown, about), outcome }),
    }),
  );
}

function exportFormatOf(format: unknown): ExportFormat {
  const wanted = EXPORT_FORMATS.find((one) => one === format);
  if (wanted !== undefined) return wanted;
  throw new Refusal('invalid', `a run is exported as ${EXPORT_FORMATS.join(', ')}`, { fields: ['format'] });
}
