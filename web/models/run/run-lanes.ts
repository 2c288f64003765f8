import type { AxisRecord, LaneRecord } from '../timeline/axis.ts';
import type { RunFacts } from '../timeline/explain.ts';
import type { Kind } from '../timeline/kinds.ts';
import { stateWords } from '../words/verdict.ts';
import type { Execution, ExecutionNode, NodeEngine, NodeProbe } from './execution.ts';

/** Nodes that only group others. */
const GROUPS = ['StepGroup', 'TaskGroup'];

/** The named steps of a run, without the workflow itself and its groups. Pure. */
export function stepsOf({ nodes, name }: Execution): ExecutionNode[] {
  const steps = nodes.filter(({ type, id }) => !GROUPS.includes(type) && id !== name);
  return steps.some(({ type }) => isWork(type)) ? steps.filter(({ type }) => isWork(type)) : steps;
}

function isWork(type: string): boolean {
  return !['Steps', 'DAG', 'Retry'].includes(type);
}

/**
 * The lanes of a run from its agent's report: its steps, its engines, their targets and probes. A report has no times of
 * single injections, so a target is shown as hit while its engine ran; unfinished bars end at `nowMs`. Pure.
 */
export function runLanes(execution: Execution, nowMs: number): AxisRecord {
  const steps = stepsOf(execution);
  const areSeveral = steps.filter(({ engine }) => engine !== undefined).length > 1;
  const hitOnce = namesOfOne(steps.flatMap(({ engine }) => (engine?.targets ?? []).map(targetName)));
  const times = execution.nodes.flatMap(({ startMs, endMs }) => [startMs, endMs]);
  const known = [...times, execution.startMs, execution.endMs].filter((time) => time !== undefined);
  const startMs = known.length === 0 ? nowMs : Math.min(...known);
  const endMs = execution.endMs ?? Math.max(nowMs, startMs);
  return {
    isExact: false,
    startMs,
    endMs,
    lanes: [
      ...steps.flatMap((node) => stepLane(node, endMs)),
      ...steps.flatMap((node) => targetLanes(node, hitOnce, endMs)),
      ...steps.flatMap((node) => probeLanes(node, areSeveral, endMs)),
    ],
  };
}

/** The verdict of each engine of a run; for a run without engines, its failed steps. Pure. */
export function runVerdicts(execution: Execution): RunFacts['verdicts'] {
  const steps = stepsOf(execution);
  const engines = steps.flatMap(({ engine, name }) =>
    engine === undefined
      ? []
      : [
          {
            experiment: engine.experiment || name,
            verdict: engine.verdict || 'Awaited',
            detail: engine.failStep,
          },
        ],
  );
  const failed = steps
    .filter(({ phase, engine }) => engine === undefined && ['Failed', 'Error'].includes(phase))
    .map(({ name, message }) => ({ experiment: `step ${name}`, verdict: 'Error', detail: message }));
  return [...engines, ...failed];
}

const BAD = ['Failed', 'Error', 'Completed_With_Probe_Failure', 'Completed_With_Error'];
const GOOD = ['Succeeded', 'Completed'];

function stepLane({ name, phase, message, startMs, endMs }: ExecutionNode, lastMs: number): LaneRecord[] {
  if (startMs === undefined) return [];
  const kind: Kind = BAD.includes(phase) ? 'failure' : GOOD.includes(phase) ? 'passed' : 'life';
  const { word } = stateWords(phase);
  const label = message === '' ? word : `${word}: ${message}`;
  return [lane('Steps', name, [{ kind, fromMs: startMs, toMs: endMs ?? lastMs, label }])];
}

/** Names that only one of a list has. */
function namesOfOne(names: readonly string[]): ReadonlySet<string> {
  const groups = Map.groupBy(names, (name) => name);
  return new Set(names.filter((name) => groups.get(name)?.length === 1));
}

function targetName({ kind, name }: NodeEngine['targets'][number]): string {
  return `${kind} ${name}`;
}

/** @param hitOnce names of targets that need no step to be told apart */
function targetLanes(
  { name: step, engine, startMs, endMs }: ExecutionNode,
  hitOnce: ReadonlySet<string>,
  lastMs: number,
): LaneRecord[] {
  if (engine === undefined || startMs === undefined) return [];
  return engine.targets.map((target) => {
    const { status } = target;
    const label = `${engine.experiment}: ${status || 'hit'}`;
    const name = targetName(target);
    return lane('Targets', hitOnce.has(name) ? name : `${name}, ${step}`, [
      { kind: targetKind(status, endMs), fromMs: startMs, toMs: endMs ?? lastMs, label },
    ]);
  });
}

/** `targeted` and `injected` are in force, `reverted` is not; after the end of its step a target may be not reverted. */
function targetKind(status: string, endMs: number | undefined): Kind {
  return status === 'injected' && endMs !== undefined ? 'open' : 'injected';
}

function probeLanes(
  { name: step, engine, startMs, endMs }: ExecutionNode,
  areSeveral: boolean,
  lastMs: number,
): LaneRecord[] {
  if (engine === undefined || startMs === undefined) return [];
  const place = areSeveral ? step : engine.experiment;
  return engine.probes.map((probe) => {
    const label = probe.description || probe.verdict || 'not judged yet';
    return lane('Probes', probeName(probe, place), [
      { kind: probeKind(probe.verdict), fromMs: startMs, toMs: endMs ?? lastMs, label },
    ]);
  });
}

/** @param place the step among several with engines, else the experiment */
function probeName({ name, mode }: NodeProbe, place: string): string {
  return `${name}${mode === '' ? '' : ` (${mode})`}${place === '' ? '' : `, ${place}`}`;
}

function probeKind(verdict: string): Kind {
  if (verdict === 'Passed') return 'passed';
  if (verdict === 'Failed') return 'failure';
  return verdict === 'Error' ? 'error' : 'life';
}

function lane(group: string, name: string, bars: LaneRecord['bars']): LaneRecord {
  return { group, name, bars, marks: [] };
}
