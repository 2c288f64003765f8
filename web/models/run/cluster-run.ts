import { type Axis, type AxisRecord, axisOf, type LaneRecord } from '../timeline/axis.ts';
import { explain, type RunFacts } from '../timeline/explain.ts';
import { type Execution, readExecution } from './execution.ts';

/** What `turnsole timeline` knows of a run, as the server sends it. */
export interface RunPage extends AxisRecord {
  readonly title: string;
  readonly verdicts: RunFacts['verdicts'];
  readonly warnings: readonly string[];
  readonly steps: readonly {
    readonly time: string;
    readonly actor: string;
    readonly step: string;
    readonly message: string;
  }[];
}

/** What a view shows of such a run. */
interface ClusterRunModel {
  readonly axis: Axis;
  readonly sentence: string;
  readonly evidence: readonly number[];
  readonly isRunning: boolean;
  /** What is in force, by name. */
  readonly inForce: readonly string[];
}

/** Lays out a run that has got to `nowMs`: while it lasts, what is not reverted goes on until now. Pure. */
export function clusterRunModel(page: RunPage, isRunning: boolean, nowMs: number): ClusterRunModel {
  const endMs = isRunning ? Math.max(nowMs, page.endMs) : page.endMs;
  const lanes = page.lanes.map((lane) => ({
    ...lane,
    bars: lane.bars.map((bar) =>
      isRunning && goesOn(bar, lane, page.endMs) ? { ...bar, toMs: endMs } : bar,
    ),
  }));
  const startMs = page.startMs === 0 ? endMs : page.startMs;
  const axis = axisOf({ startMs, endMs, lanes });
  const { sentence, evidence } = explain({ axis, verdicts: page.verdicts, isRunning });
  const open = axis.marks
    .filter(({ kind }) => kind === 'open')
    .map(({ lane }) => axis.lanes[lane]?.name ?? '');
  return { axis, sentence, evidence, isRunning, inForce: [...new Set(open)] };
}

/** What lasts ends where the page does. What was injected says itself whether it is over: its revert may be the last that is known. */
function goesOn({ kind, toMs }: LaneRecord['bars'][number], { group }: LaneRecord, endMs: number): boolean {
  return group === 'Targets' ? kind === 'open' : toMs >= endMs;
}

/** A workflow as the run page shows its steps, from the nodes of its status; undefined for what is none, or has no nodes yet. Pure. */
export function workflowExecution(name: string, nodes: string | null): Execution | undefined {
  if (nodes === null) return undefined;
  const execution = readExecution(`{"name":${JSON.stringify(name)},"nodes":${nodes}}`);
  return execution === undefined || execution.nodes.length === 0 ? undefined : execution;
}
