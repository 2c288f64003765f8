import { isObject, parseObject } from '../../text/json.ts';

/** The server's view of an agent's report. Agents of other makers send other forms, so every field is checked. */
export interface ExecutionData {
  readonly name: string;
  readonly namespace: string;
  readonly phase: string;
  readonly nodes: readonly RunNode[];
}

/** A node of a run's graph. */
export interface RunNode {
  readonly id: string;
  readonly name: string;
  readonly phase: string;
  readonly type: string;
  readonly message: string;
  /** Unix seconds as text, as agents write them; empty until the node has begun, or ended. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly isOver: boolean;
  /** Its engine; undefined for nodes without one. Null until the agent reports it. */
  readonly engine: NodeEngine | null | undefined;
}

/** The engine of a node. */
export interface NodeEngine {
  readonly name: string;
  readonly namespace: string;
  readonly experiment: string;
  readonly phase: string;
  readonly verdict: string;
  /** Why it has no verdict; empty if there is no reason. */
  readonly failStep: string;
  readonly targets: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
  /** Share of passed probes, 0 to 100; 0 until it is known. */
  readonly percentage: number;
  /** Verdicts of probes by name: `Passed`, `Failed`, `Awaited`, `N/A`. Undefined without a result. */
  readonly probes: readonly ProbeStatus[] | undefined;
}

export interface ProbeStatus {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly verdict: string;
  readonly description: string;
}

/** Reads a report; undefined for a text that is no JSON object. Pure. */
export function readExecutionData(text: string): ExecutionData | undefined {
  const data = parseObject(text);
  if (data === undefined) return undefined;
  const nodes = isObject(data.nodes) ? Object.entries(data.nodes) : [];
  return {
    name: textOf(data.name),
    namespace: textOf(data.namespace),
    phase: textOf(data.phase),
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

function engineOf(data: unknown): NodeEngine | null {
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
    percentage: percentageOf(data.probeSuccessPercentage),
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

function targetsOf(history: unknown): NodeEngine['targets'] {
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
