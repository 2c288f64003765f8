import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import { metaTime } from '@turnsole/kube/text/time';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import { type RunAccount, workflowPhaseOf } from '../../../services/report/account/account.ts';
import { readExecutionData } from '../../../services/report/account/execution-data.ts';
import { lastRunId } from '../../../services/report/find-record.ts';
import { runDetails } from '../../../services/report/run-details.ts';
import type { RunRecord } from '../../../services/report/run-record.ts';
import { type TimelinePage, timelinePage } from '../../../services/report/timeline-page/model.ts';
import { workflowPage } from '../../../services/workflows/workflow-page.ts';
import type { WorkflowRecord } from '../../../services/workflows/workflow-record.ts';
import type { ControlPlane } from '../../access/context.ts';
import { unpackText } from '../../store/packed-text.ts';
import type { PackedText } from '../../store/tables/columns.ts';
import type { Reader } from '../../store/transaction.ts';
import { executionTextOf } from '../run-rows.ts';
import { LOG_PREFIX } from './stored-log.ts';
import type { StoredRecord } from './stored-record.ts';

/** Data of the time axis of a run, as JSON; undefined if its agent reports no exact times, or unusable ones. */
export async function runPageText(
  { store, logger }: Pick<ControlPlane, 'store' | 'logger'>,
  key: string,
): Promise<string | undefined> {
  const records = await recordsOf(store.read, key);
  if (records.length === 0) return undefined;
  try {
    return JSON.stringify(runPage(records, (await executionTextOf(store.read, key)) ?? '{}'));
  } catch (error) {
    // Objects in a cluster may have any content; the page then shows the agent's report.
    logger.warn({ err: error, run: key }, 'the records of a run cannot be drawn');
    return undefined;
  }
}

/** Further data of the experiments of a run, as JSON; undefined if its agent does not report it. */
export async function runDetailsText(
  { store }: Pick<ControlPlane, 'store'>,
  key: string,
): Promise<string | undefined> {
  const records = await recordsOf(store.read, key);
  if (records.length === 0) return undefined;
  const run = recordedRun(records, (await executionTextOf(store.read, key)) ?? '{}');
  return JSON.stringify(runDetails('workflow' in run ? run.engines : [run]));
}

/** Records of the engines and results of a run, from an agent with exact times; none for other agents. */
export async function recordsOf(db: Reader, key: string): Promise<readonly StoredRecord[]> {
  const rows = await db
    .selectFrom('run_records')
    .select('data')
    .where('run_key', '=', key)
    .where('object', 'not like', `${LOG_PREFIX}%`)
    .execute();
  return rows.map(({ data }) => readStored(data));
}

/** The same of several runs, by their keys. */
export async function recordsOfRuns(
  db: Reader,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredRecord[]>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom('run_records')
    .select(['run_key', 'data'])
    .where('run_key', 'in', keys)
    .where('object', 'not like', `${LOG_PREFIX}%`)
    .execute();
  const groups = Map.groupBy(rows, ({ run_key }) => run_key);
  return new Map([...groups].map(([key, own]) => [key, own.map(({ data }) => readStored(data))]));
}

/** Only this program writes them. */
function readStored(data: PackedText): StoredRecord {
  return JSON.parse(unpackText(data)) as StoredRecord;
}

/** Data of the time axis of a run, from its records and its agent's report: the same as `turnsole timeline` shows in the cluster. Pure. */
export function runPage(records: readonly StoredRecord[], executionText: string): TimelinePage {
  const run = recordedRun(records, executionText);
  const page = 'workflow' in run ? workflowPage(run) : timelinePage(run);
  const leftOut = records.reduce((sum, record) => sum + record.leftOut, 0);
  const warning = `${leftOut} older steps and injections were too many to be kept; \`turnsole timeline\` may know them in the cluster`;
  return leftOut === 0 ? page : { ...page, warnings: [...page.warnings, warning] };
}

/** A run in the form of the cluster, as far as its agent has reported it: a workflow with its engines, or one engine. Pure. */
export function recordedRun(
  records: readonly StoredRecord[],
  executionText: string,
): WorkflowRecord | RunRecord {
  const data = parseObject(executionText) ?? {};
  const account = readExecutionData(executionText);
  const engines = engineRuns(records, account?.isWorkflow === true ? account.nodes : []);
  const [only, other] = engines;
  const isWorkflow = account?.isWorkflow !== false || other !== undefined;
  return isWorkflow || only === undefined
    ? { workflow: workflowOf(data, account === undefined ? '' : workflowPhaseOf(account)), engines }
    : only;
}

/** Engines with their results and the steps that made them, in the order in which they began. */
function engineRuns(records: readonly StoredRecord[], nodes: RunAccount['nodes']): RunRecord[] {
  const engines = new Map<string, { engine?: ChaosEngine; results: ChaosResult[] }>();
  for (const record of records) {
    const { kind, namespace, name } = record;
    const object = objectOf(record);
    const owner = kind === 'ChaosEngine' ? name : (object as ChaosResult).spec?.engine;
    const key = `${namespace}/${owner ?? name}`;
    const run = engines.get(key) ?? { results: [] };
    engines.set(key, run);
    if (kind === 'ChaosEngine') run.engine = object as ChaosEngine;
    else run.results.push(object as ChaosResult);
  }
  return [...engines]
    .map(([key, { engine, results }]): RunRecord => {
      const [namespace = '', name = ''] = key.split('/');
      const node = nodes.find((one) => one.engine?.name === name && one.engine.namespace === namespace);
      const step = node?.name;
      const runId = lastRunId(engine, results);
      return { namespace, name, engine, results, runId, ...(step !== undefined && step !== '' && { step }) };
    })
    .toSorted((a, b) => firstStep(a).localeCompare(firstStep(b)));
}

/** The object with its steps in its status. Our agent wrote it after reading it from the cluster. */
function objectOf({ object, steps }: StoredRecord): ChaosEngine | ChaosResult {
  const status = isObject(object.status) ? object.status : {};
  return { ...object, status: { ...status, timeline: steps } } as unknown as ChaosEngine | ChaosResult;
}

function firstStep({ engine, results }: RunRecord): string {
  const times = [engine, ...results].flatMap((object) =>
    (object?.status?.timeline ?? []).map(({ time }) => time),
  );
  return times.toSorted()[0] ?? '';
}

/** The workflow of a report, with the fields for an axis. Times of nodes are whole seconds. */
function workflowOf(data: Readonly<Record<string, unknown>>, workflowPhase: string): Workflow {
  const nodes = isObject(data.nodes) ? Object.entries(data.nodes) : [];
  const read = nodes.flatMap(([id, node]) => (isObject(node) ? [[id, nodeOf(id, node)] as const] : []));
  return {
    metadata: { name: textOf(data.name), namespace: textOf(data.namespace) },
    spec: {},
    status: {
      phase: workflowPhase,
      message: textOf(data.message),
      startedAt: secondsTime(data.startedAt),
      finishedAt: secondsTime(data.finishedAt),
      nodes: Object.fromEntries(read),
    },
    // Only what an axis shows.
  } as unknown as Workflow;
}

function nodeOf(id: string, node: object & Partial<Record<string, unknown>>): NodeStatus {
  const name = textOf(node.name) || id;
  return {
    ...{ id, name, displayName: name },
    type: node.type === 'ChaosEngine' ? 'Pod' : textOf(node.type),
    phase: phaseOf(textOf(node.phase)),
    ...(textOf(node.message) !== '' && { message: textOf(node.message) }),
    startedAt: secondsTime(node.startedAt),
    finishedAt: secondsTime(node.finishedAt),
    // Only what an axis shows.
  } as unknown as NodeStatus;
}

/** Phases of agents in terms of workflows. */
function phaseOf(phase: string): string {
  if (phase === 'Completed') return 'Succeeded';
  return phase.startsWith('Completed_With_') ? 'Failed' : phase;
}

/** A time of an object from seconds since 1970 as text; undefined if there is none. */
function secondsTime(value: unknown): string | undefined {
  const text = textOf(value);
  return /^\d{1,11}$/.test(text) ? metaTime(Number(text) * 1000) : undefined;
}
