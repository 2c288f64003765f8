import type { RunCourse } from '../../../src/services/report/course/model.ts';
import { type Axis, type AxisRecord, axisOf, type LaneRecord } from '../timeline/axis.ts';
import type { CurveRecord } from '../timeline/curve.ts';
import { explain, type RunFacts } from '../timeline/explain.ts';
import { plannedEnd } from './planned-end.ts';

/** Data of `turnsole timeline` for a run, from the server. */
export interface RecordedPage extends AxisRecord {
  readonly title: string;
  readonly verdicts: RunFacts['verdicts'];
  readonly warnings: readonly string[];
  readonly outcome?: RunFacts['outcome'];
  readonly course?: RunCourse;
  readonly steps: readonly {
    readonly time: string;
    readonly actor: string;
    readonly step: string;
    readonly message: string;
  }[];
}

/** Data of such a run for a view. */
interface RecordedRun {
  readonly axis: Axis;
  readonly sentence: string;
  readonly evidence: readonly number[];
  readonly isRunning: boolean;
  /** Names of what is in force. */
  readonly inForce: readonly string[];
}

/** Lays out a run up to `nowMs`: in an unfinished run, bars that are not reverted extend to now. Pure. */
export function recordedRun(
  page: RecordedPage,
  isRunning: boolean,
  nowMs: number,
  outcome: RunFacts['outcome'] = page.outcome,
): RecordedRun {
  const endMs = isRunning ? Math.max(nowMs, page.endMs) : page.endMs;
  const lanes = page.lanes.map((lane) => ({
    ...lane,
    bars: lane.bars.map((bar) =>
      isRunning && goesOn(bar, lane, page.endMs) ? { ...bar, toMs: endMs } : bar,
    ),
    ...(lane.curve !== undefined && lane.group === 'Workloads' && { curve: heldUntil(lane.curve, endMs) }),
  }));
  const startMs = page.startMs === 0 ? endMs : page.startMs;
  const plannedEndMs = isRunning ? plannedEnd(page.course, startMs, endMs) : endMs;
  const axis = axisOf({ startMs, endMs, plannedEndMs, lanes });
  const { verdicts, course } = page;
  const { sentence, evidence } = explain({ axis, verdicts, isRunning, outcome, course });
  const open = axis.marks
    .filter(({ kind }) => kind === 'open')
    .map(({ lane }) => axis.lanes[lane]?.name ?? '');
  return { axis, sentence, evidence, isRunning, inForce: [...new Set(open)] };
}

/** Numbers whose last one holds until a moment. */
function heldUntil(curve: CurveRecord, endMs: number): CurveRecord {
  const last = curve.values.at(-1);
  return last === undefined
    ? curve
    : { ...curve, times: [...curve.times, endMs], values: [...curve.values, last] };
}

/** Whether a bar is ongoing: it ends where the page does. Injections have a state of their own, since their revert may be the last event. */
function goesOn({ kind, toMs }: LaneRecord['bars'][number], { group }: LaneRecord, endMs: number): boolean {
  return group === 'Targets' ? kind === 'open' : toMs >= endMs;
}
