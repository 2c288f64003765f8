/** Numbers of a result beside those of the outside observer. Pure. */
import type { ChaosResult } from '../../src/api/index.ts';
import type { Observed } from './observer-log.ts';
import type { Row, TrueNumber } from './row.ts';

/** A number of a result, compared. */
export interface ComparedNumber {
  readonly what: string;
  /** As the result has it; undefined: it does not. */
  readonly found: number | undefined;
  /** What it had to be, as text. */
  readonly expected: string;
  readonly problem?: string;
}

/** Compares one number. */
export function compareNumber(
  number: TrueNumber,
  result: ChaosResult | undefined,
  _observed: readonly Observed[],
  _row: Row,
): ComparedNumber {
  const found = numberOf(number, result);
  if (number.is === 'as observed') throw new Error('not observed yet');
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = number.is;
  const expected = `${from} to ${to}`;
  const what = `${number.of} ${number.what}`;
  const isRight = found !== undefined && found >= from && found <= to;
  return {
    what,
    found,
    expected,
    ...(isRight ? {} : { problem: `${what} is ${found ?? 'not there'}, and has to be ${expected}` }),
  };
}

function numberOf({ what, of }: TrueNumber, result: ChaosResult | undefined): number | undefined {
  const { status } = result ?? {};
  if (what === 'targets hit') {
    return new Set(
      Object.values(status?.ledger ?? {})
        .filter(({ injectedAt }) => injectedAt !== undefined)
        .map(({ target }) => target.name),
    ).size;
  }
  if (what === 'passed %') return Number(status?.experimentStatus?.probeSuccessPercentage);
  throw new Error(`${what} of ${of} is in no result`);
}
