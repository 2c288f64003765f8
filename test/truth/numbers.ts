/** Numbers of a result beside those of the outside observer. Pure. */
import type { ChaosResult, ProbeStatus } from '../../src/api/index.ts';
import {
  failedShare,
  longestOutageMs,
  type Observed,
  percentileMs,
  type Span,
  within,
} from './observer-log.ts';
import { RATE } from './probes.ts';
import { type Row, TOLERANCE, type TrueNumber } from './row.ts';

/** A number of a result, compared. */
export interface ComparedNumber {
  readonly what: string;
  /** As the result has it; undefined: it does not. */
  readonly found: number | undefined;
  /** What it had to be, as text. */
  readonly expected: string;
  readonly problem?: string;
}

type Summary = NonNullable<ProbeStatus['summary']>;

/** A number that results and observers have. */
interface Quantity {
  /** @param of the probe that it is of */
  readonly inResult: (result: ChaosResult | undefined, of: string) => number | undefined;
  /** @param span from the begin of the fault to that of its revert, by the result */
  readonly inLog?: (log: readonly Observed[], span: Span) => number | undefined;
  /** How far off it may be by the pauses between measurements. */
  readonly grain?: (pauseMs: number, log: readonly Observed[], span: Span) => number;
}

const QUANTITIES = {
  'outage ms': {
    inResult: (result, of) => {
      const summary = summaryOf(result, of);
      return summary === undefined ? undefined : (summary.outage?.ms ?? 0);
    },
    inLog: longestOutageMs,
    grain: (pauseMs) => pauseMs,
  },
  'failed share': {
    inResult: (result, of) => {
      const { during } = summaryOf(result, of) ?? {};
      return during === undefined || during.measurements === 0
        ? undefined
        : during.failed / during.measurements;
    },
    inLog: (log, span) => failedShare(within(log, span)),
    // One measurement more or less at each end of the span.
    grain: (pauseMs, _log, span) => (2 * pauseMs) / (span.to - span.from),
  },
  'p50 ms': {
    inResult: (result, of) => summaryOf(result, of)?.during.p50Ms,
    inLog: (log, span) => percentileMs(within(log, span), 0.5),
    // Clocks and the start of a request differ by so much between programs.
    grain: () => 2,
  },
  'targets hit': {
    inResult: (result) => {
      const hit = Object.values(result?.status?.ledger ?? {}).filter(
        ({ injectedAt }) => injectedAt !== undefined,
      );
      return new Set(hit.map(({ target }) => target.name)).size;
    },
  },
  'coverage %': { inResult: (result) => result?.status?.coverage?.percent },
  'passed %': { inResult: (result) => Number(result?.status?.experimentStatus?.probeSuccessPercentage) },
} as const satisfies Readonly<Record<string, Quantity>>;

export type NumberName = keyof typeof QUANTITIES;

function summaryOf(result: ChaosResult | undefined, name: string): Summary | undefined {
  return result?.status?.probeStatuses?.find((status) => status.name === name)?.summary;
}

/** Compares one number. */
export function compareNumber(
  number: TrueNumber,
  result: ChaosResult | undefined,
  log: readonly Observed[],
  row: Row,
): ComparedNumber {
  const found = QUANTITIES[number.what].inResult(result, number.of);
  const limits = number.is === 'as observed' ? limitsOf(number, result, log, row) : number.is;
  const what = `${number.of} ${number.what}`;
  if (limits === undefined)
    return { what, found, expected: 'not observed', problem: `${what}: nothing was observed` };
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = limits;
  const expected = `${rounded(from)} to ${rounded(to)}`;
  const isRight = found !== undefined && found >= from && found <= to;
  return {
    what,
    found,
    expected,
    ...(isRight ? {} : { problem: `${what} is ${found ?? 'not there'}, and has to be ${expected}` }),
  };
}

/** What the observer saw, and how far from it a number may be. */
function limitsOf(
  { what, of }: TrueNumber,
  result: ChaosResult | undefined,
  log: readonly Observed[],
  row: Row,
): { readonly from: number; readonly to: number } | undefined {
  const { inLog, grain }: Quantity = QUANTITIES[what];
  const span = spanOf(result, of);
  const seen = span === undefined ? undefined : inLog?.(log, span);
  if (span === undefined || seen === undefined) return undefined;
  const pauseMs = row.observed === undefined ? 0 : pauseOf(row, of);
  const off = TOLERANCE * seen + (grain?.(pauseMs, log, span) ?? 0);
  return { from: seen - off, to: seen + off };
}

function spanOf(result: ChaosResult | undefined, of: string): Span | undefined {
  const { injected, reverted } = summaryOf(result, of) ?? {};
  if (injected === undefined || reverted === undefined) return undefined;
  return { from: Date.parse(injected), to: Date.parse(reverted) };
}

/** Between two measurements of a probe, in ms. */
function pauseOf(row: Row, of: string): number {
  const probe = row.probes.find(({ name }) => name === of);
  if (probe?.type === 'loadProbe') return 1000 / RATE;
  return Number.parseInt(probe?.runProperties.probePollingInterval ?? '0', 10);
}

function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}
