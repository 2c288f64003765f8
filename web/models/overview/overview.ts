import { plainText } from '../words/plain.ts';
import { hasPassed, isUnderWay, stateWords } from '../words/verdict.ts';

/** One of the last runs of an experiment. */
interface RecentRun {
  readonly experimentRunID: string;
  readonly outcome: { readonly state: string; readonly score: number | null };
  readonly runSequence: number;
}

/** An experiment with its last runs, the newest first, in the form of the API. */
export interface RecentExperiment {
  readonly experimentID: string;
  readonly name: string;
  readonly recentExperimentRunDetails: readonly (RecentRun | null)[] | null;
}

/** Recent results of an experiment. */
export interface Strip {
  readonly experimentID: string;
  readonly name: string;
  /** The newest last, in the order of the page. */
  readonly runs: readonly RecentRun[];
  /** Difference between the scores of the last two finished runs that have one; 0 if there are fewer. */
  readonly change: number;
}

/** Experiments with runs: first those that got worse most, then those whose last run did not pass. Pure. */
export function strips(experiments: readonly RecentExperiment[]): readonly Strip[] {
  return experiments
    .map(({ experimentID, name, recentExperimentRunDetails }): Strip => {
      const runs = (recentExperimentRunDetails ?? []).filter((run) => run !== null).toReversed();
      return { experimentID, name, runs, change: changeOf(runs) };
    })
    .filter(({ runs }) => runs.length > 0)
    .toSorted((one, other) => one.change - other.change || scoreOf(one) - scoreOf(other));
}

function isOver({ outcome }: RecentRun): boolean {
  return !isUnderWay(outcome.state);
}

function changeOf(runs: readonly RecentRun[]): number {
  const [before, last] = runs.flatMap(({ outcome }) => outcome.score ?? []).slice(-2);
  return before === undefined || last === undefined ? 0 : last - before;
}

/** What a run without a score counts as in the order: the worst, unless it passed. */
function scoreOf({ runs }: Strip): number {
  const last = runs.findLast(isOver);
  if (last === undefined) return 100;
  return last.outcome.score ?? (hasPassed(last.outcome.state) ? 100 : 0);
}

/** Sentence for a mark of the strip. Pure. */
export function runSentence(name: string, { runSequence, outcome }: RecentRun): string {
  const { word } = stateWords(outcome.state);
  const score = outcome.score === null ? '' : `, score ${outcome.score}`;
  return `Run ${runSequence} of ${plainText(name)}: ${word}${score}`;
}

/** The change of the score, in words. Pure. */
export function changeWords(change: number): string {
  if (change === 0) return '';
  return change < 0 ? `${-change} worse than before` : `${change} better than before`;
}
