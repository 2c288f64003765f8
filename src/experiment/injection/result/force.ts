import type { LedgerEntry } from '../../../api/index.ts';
import type { Coverage } from '../../../api/schema/result.ts';
import { type AskedForce, coverageOf, describeCoverage, describeLapses } from '../../../chaos/coverage.ts';
import type { Objection } from './objection.ts';

/** What a judgement on the coverage depends on. */
interface ForceInput {
  readonly experiment: string;
  readonly asked: AskedForce;
  /** The entries of the run as they are stored, and the same with their windows completed. */
  readonly written: readonly LedgerEntry[];
  readonly complete: readonly LedgerEntry[];
  /** The latter by the step in which they were hit. */
  readonly steps: readonly (readonly LedgerEntry[])[];
  /** Least per cent of the time for which the fault has to be in force; 0: any. */
  readonly minimum: number;
  readonly nowMs: number;
}

/** How much of a held fault was in force, and what follows for its judgement. */
export interface Force {
  readonly coverage: Coverage;
  /** Entries to be stored again. */
  readonly entries: readonly LedgerEntry[];
  /** Why the run is no Pass for that; undefined where it may be one. */
  readonly objection: Objection | undefined;
}

/** Most lapses that a reason lists. */
const MOST_LAPSES = 5;

/** Judges whether a held fault was in force for long enough that a Pass says something. Pure. */
export function judgeForce(input: ForceInput): Force {
  const { experiment, asked, written, complete, steps, minimum, nowMs } = input;
  const coverage = coverageOf(steps, asked, nowMs);
  const entries = complete.filter((entry, index) => entry !== written[index]);
  if (coverage.percent >= minimum) return { coverage, entries, objection: undefined };
  const lapses = describeLapses(complete);
  const more = lapses.length > MOST_LAPSES ? [`${lapses.length - MOST_LAPSES} more`] : [];
  const why = lapses.length === 0 ? '' : ` (${[...lapses.slice(0, MOST_LAPSES), ...more].join('; ')})`;
  const reason =
    `${experiment} was ${describeCoverage(coverage)}, ${coverage.percent} %, where spec.minimumCoverage asks for ${minimum} %${why}; ` +
    'a Pass would say too little: lengthen the chaos, or lower spec.minimumCoverage';
  return { coverage, entries, objection: { code: 'LOW_COVERAGE', verdict: 'Error', reason } };
}
