import { formatColumns, type Summary, summarize } from '../report.ts';
import type { Family } from './families.ts';
import type { Round } from './round.ts';
import { BEGIN_STEPS, END_STEPS } from './steps.ts';

/** Figures of one family. */
export interface Outcome {
  readonly family: Family;
  readonly rounds: readonly Round[];
}

/** Milliseconds that figures may have: medians by what injects, and those of an abort for both. */
export const BARS = {
  toEffect: { api: 500, helper: 1000 },
  toNormal: { p50: 500, p99: 1000 },
} as const;

/** The figures of one family. */
export interface Figures {
  readonly toEffect: Summary;
  readonly toNormal: Summary | undefined;
  readonly toResult: Summary;
  /** Bars that were missed, by name. */
  readonly missed: readonly string[];
}

/** Pure. */
export function figuresOf({ family, rounds }: Outcome): Figures {
  const toEffect = summarize(rounds.map((round) => round.toEffect));
  const ends = rounds.flatMap(({ toNormal }) => toNormal ?? []);
  const toNormal = ends.length === 0 ? undefined : summarize(ends);
  const missed = [
    ...(toEffect.p50 > BARS.toEffect[family.by] ? ['effect p50'] : []),
    ...(toNormal !== undefined && toNormal.p50 > BARS.toNormal.p50 ? ['normal p50'] : []),
    ...(toNormal !== undefined && toNormal.p99 > BARS.toNormal.p99 ? ['normal p99'] : []),
  ];
  return { toEffect, toNormal, toResult: summarize(rounds.map(({ toResult }) => toResult)), missed };
}

/** Prints the figures beside their bars, and where the time went. */
export function printOutcomes(outcomes: readonly Outcome[]): void {
  const ms = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(0));
  console.log(
    formatColumns(
      [
        '',
        'by',
        'effect p50',
        'bar',
        'min',
        'max',
        'normal p50',
        'bar',
        'p99',
        'bar',
        'result p50',
        'verdict',
      ],
      outcomes.map((outcome) => {
        const { toEffect, toNormal, toResult, missed } = figuresOf(outcome);
        const { fault, by, lasts } = outcome.family;
        const bar = (value: number): string => (lasts ? ms(value) : '-');
        return [
          ...[fault, by, ms(toEffect.p50), ms(BARS.toEffect[by]), ms(toEffect.min), ms(toEffect.max)],
          ...[ms(toNormal?.p50), bar(BARS.toNormal.p50), ms(toNormal?.p99), bar(BARS.toNormal.p99)],
          ...[ms(toResult.p50), missed.length === 0 ? 'ok' : `missed: ${missed.join(', ')}`],
        ];
      }),
    ),
  );
  console.log('\nWhere the time went, medians since the engine was created, and since it was stopped\n');
  console.log(
    formatColumns(
      ['', ...BEGIN_STEPS, ...END_STEPS],
      outcomes.map(({ family, rounds }) => [
        family.fault,
        ...BEGIN_STEPS.map((step) => ms(middle(rounds.map(({ steps }) => steps.begin[step])))),
        ...END_STEPS.map((step) => ms(middle(rounds.map(({ steps }) => steps.end[step])))),
      ]),
    ),
  );
}

function middle(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : summarize(known).p50;
}
