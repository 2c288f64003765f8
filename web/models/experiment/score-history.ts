import { exactWords } from '../words/time.ts';
import { isUnderWay, stateWords } from '../words/verdict.ts';

/** A run in the history of an experiment. */
export interface PastRun {
  /** Empty until the agent has reported it. */
  readonly experimentRunID: string;
  readonly notifyID: string | null;
  readonly runSequence: number;
  readonly outcome: { readonly state: string; readonly score: number | null };
  /** Unix milliseconds, as text. */
  readonly createdAt: string;
}

/** A run in the history. */
interface Point {
  readonly run: PastRun;
  /** From 0 to 100; undefined until the run is over, and for one that probes did not decide. */
  readonly score: number | undefined;
  /** Sentence about it, with the difference from the previous run with a score. */
  readonly sentence: string;
}

/** The history of an experiment's score, the oldest first. Pure. @param newestFirst in the order of the API */
export function scoreHistory(newestFirst: readonly (PastRun | null)[], timeZone?: string): readonly Point[] {
  const points: Point[] = [];
  let before: { readonly score: number; readonly runSequence: number } | undefined;
  for (const run of newestFirst.filter((one) => one !== null).toReversed()) {
    const { runSequence, outcome, createdAt } = run;
    const score = outcome.score ?? undefined;
    const parts = [
      `Run ${runSequence}: ${stateWords(outcome.state).word}`,
      ...(score === undefined ? [] : [`score ${score}${change(score, before)}`]),
      exactWords(Number(createdAt), timeZone),
    ];
    points.push({ run, score, sentence: parts.join(', ') });
    if (score !== undefined) before = { score, runSequence };
  }
  return points;
}

function change(
  score: number,
  before: { readonly score: number; readonly runSequence: number } | undefined,
): string {
  if (before === undefined || before.score === score) return '';
  const difference = Math.round(Math.abs(score - before.score) * 100) / 100;
  return ` (${difference} ${score < before.score ? 'worse' : 'better'} than run ${before.runSequence})`;
}

/** The line through all scores that are known, in a box one wide for each run and 100 high: points of an SVG polyline. Pure. */
export function scoreLine(points: readonly Pick<Point, 'score'>[]): string {
  return points
    .flatMap(({ score }, index) => (score === undefined ? [] : [`${index + 0.5},${100 - score}`]))
    .join(' ');
}

/** The last two runs that can be shown, the older one first; undefined if there are fewer. Pure. */
export function lastTwo(newestFirst: readonly (PastRun | null)[]): readonly [PastRun, PastRun] | undefined {
  const [last, before] = newestFirst.filter((run) => run !== null && run.experimentRunID !== '');
  return last && before ? [before, last] : undefined;
}

/** Whether one of the runs is active, and can be stopped. Pure. */
export function isAtWork(runs: readonly (PastRun | null)[]): boolean {
  return runs.some((run) => run !== null && isUnderWay(run.outcome.state));
}
