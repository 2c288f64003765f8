import type { Axis } from '../timeline/axis.ts';
import { offsetWords } from '../timeline/describe.ts';
import { durationWords } from '../words/duration.ts';
import { scoreWords } from '../words/score.ts';
import { stateWords } from '../words/verdict.ts';
import { interleave, type SideMark } from './interleave.ts';
import { COMPARED_GROUPS, type LaneFacts, laneFacts } from './lane-facts.ts';
import { pairLanes } from './pair-lanes.ts';

/** One of two runs that are compared. */
export interface ComparedRun {
  /** Its name in sentences: `run 41`. */
  readonly name: string;
  /** Its verdict or phase. */
  readonly state: string;
  readonly isRunning: boolean;
  readonly axis: Axis;
  /** Null for a run that has none. */
  readonly score?: number | null;
  /** What its engines set, by name; undefined where that is not known. */
  readonly settings?: ReadonlyMap<string, string> | undefined;
}

/** One thing in which two runs differ. */
export interface Difference {
  readonly kind: 'verdict' | 'score' | 'probe' | 'step' | 'target' | 'recovery' | 'setting' | 'duration';
  /** What differs: `probe alive`. */
  readonly subject: string;
  /** The state in each run. */
  readonly a: string;
  readonly b: string;
  /** Marks of the common axis that show it. */
  readonly marks: readonly number[];
}

/** Two runs side by side. */
interface Comparison {
  readonly axis: Axis;
  readonly sentence: string;
  readonly differences: readonly Difference[];
  /** Aspects that cannot be compared, in words. */
  readonly unknown: readonly string[];
}

/** Times that differ by less than this, or by less than a tenth, count as equal. */
const SLACK_MS = { duration: 1000, recovery: 500, failure: 1000 } as const;

const KIND_OF: Readonly<Record<string, Difference['kind']>> = {
  Targets: 'target',
  Probes: 'probe',
  Steps: 'step',
};
/** Most significant first. */
const ORDER: readonly Difference['kind'][] = [
  ...(['verdict', 'score', 'setting', 'probe', 'step', 'target', 'recovery', 'duration'] as const),
];

/** Compares two runs, the earlier one first: verdict, score, settings, probes, steps, targets, recovery, duration. Pure. */
export function compareRuns(a: ComparedRun, b: ComparedRun): Comparison {
  const pairs = pairLanes(a.axis, b.axis);
  const { axis, idOf } = interleave(a.axis, b.axis, pairs);
  const [ofA, ofB] = [laneFacts(a.axis, a), laneFacts(b.axis, b)];
  const marksOf = (one: LaneFacts | undefined, other: LaneFacts | undefined): number[] =>
    [sideMark('a', one), sideMark('b', other)].flatMap((mark) =>
      mark === undefined ? [] : (idOf(mark) ?? []),
    );
  const found: Difference[] = [
    ...differing('verdict', 'the run', stateWords(a.state).word, stateWords(b.state).word, []),
    ...pairs.flatMap((pair) => {
      if (!COMPARED_GROUPS.includes(pair.group)) return [];
      const [one, other] = [ofA[pair.a ?? -1], ofB[pair.b ?? -1]];
      const kind = KIND_OF[pair.group] ?? 'step';
      const subject = kind === 'target' ? pair.name : `${kind} ${pair.name}`;
      return differing(
        kind,
        subject,
        outcomeOf(one, other, kind),
        outcomeOf(other, one, kind),
        marksOf(one, other),
      );
    }),
    ...differing('score', 'score', scoreWords(a.score ?? null), scoreWords(b.score ?? null), []),
    ...settings(a, b),
    ...recovery(a, ofA, b, ofB, marksOf),
    ...duration(a, b),
  ];
  const differences = found.toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
  return { axis, differences, sentence: sentenceOf(a, b, differences), unknown: unknownOf(a, b) };
}

function sideMark(side: 'a' | 'b', facts: LaneFacts | undefined): SideMark | undefined {
  return facts?.mark === undefined ? undefined : { side, id: facts.mark };
}

function differing(
  kind: Difference['kind'],
  subject: string,
  a: string,
  b: string,
  marks: readonly number[],
): Difference[] {
  return a === b ? [] : [{ kind, subject, a, b, marks }];
}

/** Outcome of a lane; for a failure in both runs also its time, if that differs. */
function outcomeOf(
  own: LaneFacts | undefined,
  other: LaneFacts | undefined,
  kind: Difference['kind'],
): string {
  if (own === undefined) return kind === 'target' ? 'not hit' : 'not there';
  const { outcome, failedMs } = own;
  const hasMoved =
    other !== undefined && kind === 'probe' && isOtherTime(failedMs, other.failedMs, SLACK_MS.failure);
  return hasMoved && failedMs !== undefined ? `${outcome} at ${offsetWords(failedMs)}` : outcome;
}

function isOtherTime(a: number | undefined, b: number | undefined, slackMs: number): boolean {
  if (a === undefined || b === undefined) return false;
  return Math.abs(a - b) > Math.max(slackMs, Math.max(a, b) / 10);
}

/** Settings that differ; one that an engine leaves out has the default of its fault. */
function settings({ settings: one }: ComparedRun, { settings: other }: ComparedRun): Difference[] {
  if (one === undefined || other === undefined) return [];
  const words = (of: ReadonlyMap<string, string>, name: string): string => of.get(name) ?? 'default';
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name) =>
    differing('setting', `setting ${name}`, words(one, name), words(other, name), []),
  );
}

function recovery(
  a: ComparedRun,
  ofA: readonly LaneFacts[],
  b: ComparedRun,
  ofB: readonly LaneFacts[],
  marksOf: (one: LaneFacts | undefined, other: LaneFacts | undefined) => number[],
): Difference[] {
  const [one, other] = [slowest(ofA), slowest(ofB)];
  if (!isOtherTime(one?.recoveryMs, other?.recoveryMs, SLACK_MS.recovery)) return [];
  const wordsOf = (
    { axis }: ComparedRun,
    facts: readonly LaneFacts[],
    found: LaneFacts | undefined,
  ): string =>
    `${durationWords(found?.recoveryMs ?? 0)} (${axis.lanes[found === undefined ? -1 : facts.indexOf(found)]?.name ?? ''})`;
  return differing(
    'recovery',
    'slowest recovery',
    wordsOf(a, ofA, one),
    wordsOf(b, ofB, other),
    marksOf(one, other),
  );
}

function slowest(facts: readonly LaneFacts[]): LaneFacts | undefined {
  return facts.reduce<LaneFacts | undefined>(
    (found, one) =>
      one.recoveryMs !== undefined && one.recoveryMs > (found?.recoveryMs ?? -1) ? one : found,
    undefined,
  );
}

function duration(a: ComparedRun, b: ComparedRun): Difference[] {
  if (a.isRunning || b.isRunning) return [];
  const [one, other] = [a.axis.lengthMs, b.axis.lengthMs];
  if (!isOtherTime(one, other, SLACK_MS.duration)) return [];
  return differing('duration', 'duration', durationWords(one), durationWords(other), []);
}

/** Differences beside the verdict that the sentence names. */
const NAMED = 2;

function sentenceOf(a: ComparedRun, b: ComparedRun, differences: readonly Difference[]): string {
  const [one, other] = [stateWords(a.state).word, stateWords(b.state).word];
  const verdict = one === other ? `Both runs: ${one}` : `${capital(b.name)}: ${other}, ${a.name}: ${one}`;
  const rest = differences.filter(({ kind }) => kind !== 'verdict');
  if (rest.length === 0) return `${verdict}; nothing else differs.`;
  const named = rest.slice(0, NAMED).map((one) => `${one.subject}: ${one.b} instead of ${one.a}`);
  const more = rest.length - named.length;
  const end = more === 0 ? '' : `; ${more} more ${more === 1 ? 'difference' : 'differences'}`;
  return `${verdict}; ${named.join('; ')}${end}.`;
}

function unknownOf(a: ComparedRun, b: ComparedRun): string[] {
  const inexact = [a, b].filter(({ axis }) => !axis.isExact).map(({ name }) => name);
  return [
    ...(inexact.length === 0
      ? []
      : [
          `${inexact.length === 1 ? 'The agent of' : 'The agents of'} ${inexact.join(' and ')} ${inexact.length === 1 ? 'reports' : 'report'} times of steps only, so when probes failed and how long recovery took is not compared.`,
        ]),
    ...[a, b].flatMap(({ name, isRunning }) =>
      isRunning ? [`${capital(name)} is not over; what differs may still change.`] : [],
    ),
  ];
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
