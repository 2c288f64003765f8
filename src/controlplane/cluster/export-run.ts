import { packageVersion } from '../../process/version.ts';
import { EXPORT_FORMATS, exportRun } from '../../services/report/export.ts';
import { findRecord, lastRunId } from '../../services/report/find-record.ts';
import { recordReport, workflowRecordReport } from '../../services/report/record-report.ts';
import { timelinePage } from '../../services/report/timeline-page/model.ts';
import { workflowPage } from '../../services/workflows/workflow-page.ts';
import { findWorkflowRecord } from '../../services/workflows/workflow-record.ts';
import type { Context } from '../access/context.ts';
import type { Arguments } from '../access/operations.ts';
import { found, Refusal } from '../access/refusal.ts';
import { richAnswer } from '../http/rest.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { uidOf } from './run-pods.ts';

/** Kinds whose runs can be exported. */
const KINDS = ['ChaosEngine', 'ChaosResult', 'Workflow'];

/** A run of the cluster as a file. @throws Refusal for an unknown run or form */
export async function getClusterRunExport(
  { client, logs }: ObservedCluster,
  args: Arguments,
  { plane }: Context,
): Promise<object> {
  const format = EXPORT_FORMATS.find((one) => one === args.format);
  if (format === undefined || !KINDS.includes(String(args.kind))) {
    const message = `a run of kind ${KINDS.join(', ')} is exported as ${EXPORT_FORMATS.join(', ')}`;
    throw new Refusal('invalid', message, { fields: ['kind', 'format'] });
  }
  const [namespace, name] = [String(args.namespace), String(args.name)];
  const about = { turnsole: packageVersion(), nowMs: plane.clock.now() };
  if (args.kind === 'Workflow') {
    const record = found(
      await findWorkflowRecord(client, namespace, name),
      `there is no Workflow ${namespace}/${name}`,
    );
    const report = () => workflowRecordReport(record, about);
    const uids = new Set(record.engines.map(uidOf));
    const kept = logs.all().filter((log) => {
      const isOfStep = log.workflow === name && log.namespace === namespace;
      return isOfStep || (log.engineUid !== undefined && uids.has(log.engineUid));
    });
    return richAnswer(
      exportRun(format, { name, page: () => ({ ...workflowPage(record), logs: kept }), report }),
    );
  }
  const record = found(
    await findRecord(client, namespace, name),
    `there is no ${args.kind} ${namespace}/${name}`,
  );
  const runId = lastRunId(record.engine, record.results);
  const uid = uidOf(record);
  const kept = logs.all().filter(({ engineUid }) => engineUid !== undefined && engineUid === uid);
  const page = () => ({ ...timelinePage({ ...record, runId }), logs: kept });
  return richAnswer(exportRun(format, { name, page, report: () => recordReport(record, about) }));
}
