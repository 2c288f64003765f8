import type { Axis, AxisMark } from '../timeline/axis.ts';
import { KINDS, type Kind } from '../timeline/kinds.ts';

/** Outcome of one lane of a run. */
export interface LaneFacts {
  /** In a word: `passed`, `hit`, `not reverted`. */
  readonly outcome: string;
  /** The mark that shows it. */
  readonly mark: number | undefined;
  /** Time of the first failure, in milliseconds since the start of the run; undefined without one, or if its time is unknown. */
  readonly failedMs: number | undefined;
  /** The longest time from an injection to its observed recovery, in milliseconds. */
  readonly recoveryMs: number | undefined;
}

const OUTCOMES: Readonly<Record<string, Partial<Record<Kind, string>>>> = {
  Targets: {
    injected: 'hit',
    ineffective: 'hit without effect',
    open: 'not reverted',
    failure: 'injection failed',
  },
  Probes: { passed: 'passed', failure: 'failed', error: 'could not be evaluated', life: 'not judged' },
  Steps: { passed: 'succeeded', failure: 'failed', life: 'not over' },
};

/** Groups whose lanes are compared; the others follow from these. */
export const COMPARED_GROUPS = Object.keys(OUTCOMES);

/** Outcome of each lane of a run, by its index, in one pass over the marks; in a finished run nothing is ongoing. Pure. */
export function laneFacts(
  { lanes, marks, isExact }: Axis,
  { isRunning }: { readonly isRunning: boolean },
): readonly LaneFacts[] {
  const byLane = lanes.map((): { readonly mark: AxisMark; readonly id: number }[] => []);
  for (const [id, mark] of marks.entries()) byLane[mark.lane]?.push({ mark, id });
  return lanes.map(({ group }, lane) => {
    const own = (byLane[lane] ?? []).toSorted((a, b) => a.mark.startMs - b.mark.startMs);
    const known = own.filter(({ mark }) => OUTCOMES[group]?.[mark.kind] !== undefined);
    const worst = known.reduce<(typeof own)[number] | undefined>(
      (found, one) => (found === undefined || rank(one.mark) > rank(found.mark) ? one : found),
      undefined,
    );
    const failed = own.find(({ mark }) => mark.kind === 'failure' || mark.kind === 'error');
    const isCut = group === 'Steps' && worst?.mark.kind === 'life' && !isRunning;
    return {
      outcome: isCut ? 'stopped' : ((worst && OUTCOMES[group]?.[worst.mark.kind]) ?? 'nothing known'),
      mark: worst?.id,
      failedMs: isExact ? failed?.mark.startMs : undefined,
      recoveryMs: isExact ? longestRecovery(own.map(({ mark }) => mark)) : undefined,
    };
  });
}

function rank({ kind }: AxisMark): number {
  return KINDS.indexOf(kind);
}

/** Longest time from the end of an injection to the next sign of recovery in its lane. */
function longestRecovery(marks: readonly AxisMark[]): number | undefined {
  let hitMs: number | undefined;
  let longest: number | undefined;
  for (const { kind, startMs, endMs } of marks) {
    if (kind === 'injected' || kind === 'ineffective')
      hitMs = Math.max(hitMs ?? 0, startMs === endMs ? startMs : endMs);
    if (kind !== 'recovered' || hitMs === undefined) continue;
    longest = Math.max(longest ?? 0, startMs - hitMs);
    hitMs = undefined;
  }
  return longest;
}
