import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import type { AccountEngine, AccountNode, RunAccount } from './account.ts';

/** The server's view of an agent's report. Agents of other makers send other forms, so every field is checked. */
export interface ExecutionData extends RunAccount {
  readonly nodes: readonly RunNode[];
}

/** A node of a run's graph. */
export interface RunNode extends AccountNode {
  readonly isOver: boolean;
}

export type ProbeStatus = NonNullable<AccountEngine['probes']>[number];

/** Reads a report; undefined for a text that is no JSON object. Pure. */
export function readExecutionData(text: string): ExecutionData | undefined {
  const data = parseObject(text);
  if (data === undefined) return undefined;
  const nodes = isObject(data.nodes) ? Object.entries(data.nodes) : [];
  return {
    name: textOf(data.name),
    namespace: textOf(data.namespace),
    phase: textOf(data.phase),
    workflowPhase: textOf(data.workflowPhase),
    message: textOf(data.message),
    isWorkflow: data.experimentType !== 'chaosengine',
    nodes: nodes.map(nodeOf),
  };
}

function nodeOf([id, node]: [string, unknown]): RunNode {
  const found = isObject(node) ? node : {};
  const isEngine = found.type === 'ChaosEngine' || isObject(found.chaosData);
  return {
    id,
    name: textOf(found.name),
    phase: textOf(found.phase),
    type: textOf(found.type),
    message: textOf(found.message),
    startedAt: textOf(found.startedAt),
    finishedAt: textOf(found.finishedAt),
    isOver: textOf(found.finishedAt) !== '',
    engine: isEngine ? engineOf(found.chaosData) : undefined,
  };
}

function engineOf(data: unknown): AccountEngine | null {
  if (!isObject(data)) return null;
  const status = statusOf(data.chaosResult);
  return {
    name: textOf(data.engineName),
    namespace: textOf(data.namespace),
    phase: textOf(data.experimentStatus) || textOf(data.faultStatus),
    failStep: textOf(data.failStep),
    targets: targetsOf(status.history),
    experiment: textOf(data.experimentName) || textOf(data.faultName),
    verdict: textOf(data.experimentVerdict) || textOf(data.faultVerdict),
    ownVerdict: isObject(status.experimentStatus) ? textOf(status.experimentStatus.verdict) : '',
    percentage: percentageOf(data.probeSuccessPercentage),
    ...(data.isDryRun === true && { isDryRun: true }),
    probes: isObject(data.chaosResult) ? probesOf(status.probeStatuses) : undefined,
  };
}

function statusOf(result: unknown): Readonly<Record<string, unknown>> {
  return isObject(result) && isObject(result.status) ? result.status : {};
}

function probesOf(statuses: unknown): ProbeStatus[] {
  const list: readonly unknown[] = Array.isArray(statuses) ? statuses : [];
  return list.filter(isObject).map(({ name, type, mode, status }) => {
    const { verdict, description } = isObject(status) ? status : {};
    return {
      name: textOf(name),
      type: textOf(type),
      mode: textOf(mode),
      verdict: textOf(verdict),
      description: textOf(description),
    };
  });
}

function targetsOf(history: unknown): AccountEngine['targets'] {
  const targets: unknown = isObject(history) ? history.targets : undefined;
  const list: readonly unknown[] = Array.isArray(targets) ? targets : [];
  return list.filter(isObject).map(({ kind, name, chaosStatus }) => ({
    kind: textOf(kind),
    name: textOf(name),
    status: textOf(chaosStatus),
  }));
}

/** A share for the score: `Awaited` and other texts count as 0. */
function percentageOf(value: unknown): number {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,3}(\.\d+)?$/.test(text)) return 0;
  return Math.min(Number(text), 100);
}
