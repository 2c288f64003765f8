import { plainWords } from '../../../src/services/report/error-words.ts';
import { isNeverBegun, NEVER_BEGUN } from '../../../src/services/workflows/never-begun.ts';
import { byStart } from '../../../src/services/workflows/node-order.ts';
import { isJson, type Json, objectAt } from '../json/json.ts';

/** A run in its agent's report: the nodes of its workflow, with the engine of each. */
export interface Execution {
  readonly name: string;
  readonly namespace: string;
  readonly phase: string;
  /** Milliseconds since the epoch. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** In the order of their start. */
  readonly nodes: readonly ExecutionNode[];
}

/** One node of a run. */
export interface ExecutionNode {
  readonly id: string;
  readonly name: string;
  readonly phase: string;
  readonly type: string;
  readonly message: string;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly children: readonly string[];
  readonly engine: NodeEngine | undefined;
}

/** The engine of a node. */
export interface NodeEngine {
  readonly name: string;
  readonly namespace: string;
  readonly experiment: string;
  readonly verdict: string;
  readonly failStep: string;
  readonly probeSuccess: string;
  readonly experimentPod: string;
  readonly runnerPod: string;
  readonly probes: readonly NodeProbe[];
  /** Targets, as named in the result. */
  readonly targets: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
}

/** A probe of an engine. */
export interface NodeProbe {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly verdict: string;
  readonly description: string;
}

/** Reads an agent's report; undefined for another text. Agents of several makers send it, so every field is checked. Pure. */
export function readExecution(text: string): Execution | undefined {
  const data = parsed(text);
  if (data === undefined) return undefined;
  const nodes = Object.entries(objectAt(data.nodes)).map(([id, node]) => nodeOf(id, objectAt(node)));
  return {
    name: textOf(data.name),
    namespace: textOf(data.namespace),
    phase: textOf(data.phase),
    startMs: timeOf(data.startedAt) ?? timeOf(data.creationTimestamp),
    endMs: timeOf(data.finishedAt),
    nodes: nodes
      .toSorted((a, b) => byStart(a.place, b.place) || compare(a.node.id, b.node.id))
      .map(({ node }) => node),
  };
}

/** A node, and what its place goes by: list, graph and axis have one order. */
function nodeOf(
  id: string,
  given: Json,
): { readonly node: ExecutionNode; readonly place: Parameters<typeof byStart>[0] } {
  const node = readNode(id, given);
  const { name: displayName, startMs } = node;
  const startedAt = startMs === undefined ? undefined : new Date(startMs).toISOString();
  return { node, place: { name: textOf(given.name) || id, displayName, startedAt } };
}

function readNode(id: string, node: Json): ExecutionNode {
  return {
    id,
    name: textOf(node.displayName) || textOf(node.name) || id,
    phase: isNeverBegun(textOf(node.message)) ? NEVER_BEGUN : textOf(node.phase),
    type: textOf(node.type),
    message: plainWords(textOf(node.message)),
    startMs: timeOf(node.startedAt),
    endMs: timeOf(node.finishedAt),
    children: listOf(node.children).filter((child) => typeof child === 'string'),
    engine: isJson(node.chaosData) ? engineOf(node.chaosData) : undefined,
  };
}

function engineOf(data: Json): NodeEngine {
  const status = objectAt(objectAt(data.chaosResult).status);
  return {
    name: textOf(data.engineName),
    namespace: textOf(data.namespace),
    experiment: textOf(data.experimentName) || textOf(data.faultName),
    verdict: textOf(data.experimentVerdict) || textOf(data.faultVerdict),
    failStep: textOf(data.failStep),
    probeSuccess: textOf(data.probeSuccessPercentage),
    experimentPod: textOf(data.experimentPod),
    runnerPod: textOf(data.runnerPod),
    probes: listOf(status.probeStatuses).map((probe) => probeOf(objectAt(probe))),
    targets: listOf(objectAt(status.history).targets).map((target) => {
      const { kind, name, chaosStatus } = objectAt(target);
      return { kind: textOf(kind), name: textOf(name), status: textOf(chaosStatus) };
    }),
  };
}

function probeOf(probe: Json): NodeProbe {
  const { verdict, description } = objectAt(probe.status);
  const [name, type, mode] = [probe.name, probe.type, probe.mode].map(textOf);
  return {
    ...{ name: name ?? '', type: type ?? '', mode: mode ?? '' },
    ...{ verdict: textOf(verdict), description: textOf(description) },
  };
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Milliseconds of unix seconds as text, or of a time of RFC 3339. */
function timeOf(value: unknown): number | undefined {
  const text = textOf(value);
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
