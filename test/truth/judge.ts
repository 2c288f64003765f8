/** Compares what a run came to with what is true. Pure. */
import type { ChaosResult, EngineVerdict } from '../../src/api/index.ts';
import { TOO_BUSY } from '../support/busy-machine.ts';
import { type ComparedNumber, compareNumber } from './numbers.ts';
import type { Observed } from './observer-log.ts';
import type { Row } from './row.ts';

/** What a run left: its result, or for a workflow what the command came to, and the lines that were given as reasons. */
export interface Evidence {
  readonly result: ChaosResult | undefined;
  /** Of a command. */
  readonly verdict?: EngineVerdict;
  /** Reasons and conditions of the engine, or what the command printed. */
  readonly reasons: readonly string[];
  readonly observed: readonly Observed[];
}

/**
 * right: as the truth says. wrong: something else. busy: where the machine had other work, an Error that says that it had no time, or a
 * verdict beside which the result says that the fault was far weaker than asked for.
 */
export type Judgement = 'right' | 'wrong' | 'busy';

/** How a run was judged. */
export interface Judged {
  readonly judgement: Judgement;
  readonly verdict: EngineVerdict | 'none';
  /** What the run gave as reason. */
  readonly reason: string;
  readonly numbers: readonly ComparedNumber[];
  /** What is not as it has to be; none where it is right. */
  readonly problems: readonly string[];
  /** Lines of the timeline, and what the result has of probes and ledger: to find out why. */
  readonly trace: Pick<NonNullable<ChaosResult['status']>, 'timeline' | 'probeStatuses' | 'ledger'>;
}

/** @param isLoaded whether the machine had other work, so that an Error may say so */
export function judge(row: Row, evidence: Evidence, isLoaded: boolean): Judged {
  const { truth } = row;
  const { result, observed } = evidence;
  const verdict = evidence.verdict ?? result?.status?.experimentStatus?.verdict ?? 'none';
  const reason = reasonOf(evidence);
  const { timeline, probeStatuses, ledger } = result?.status ?? {};
  const trace = { timeline, probeStatuses, ledger };
  const code = result?.status?.experimentStatus?.errorOutput?.errorCode;
  const lines = (timeline ?? []).map(({ step, message }) => `${step} ${message}`);
  const saysBusy = verdict === 'Error' && truth.verdict !== 'Error' && TOO_BUSY.test(reason);
  const wasWeak = lines.some(
    (line) => shareOf(line) < (truth.atLeast ?? 0) || requestsOf(line) < (truth.requests ?? 0),
  );
  if (isLoaded && (saysBusy || wasWeak))
    return { judgement: 'busy', verdict, reason, numbers: [], problems: [], trace };
  const numbers = (truth.numbers ?? []).map((number) => compareNumber(number, result, observed, row));
  const problems = [
    ...(verdict === truth.verdict ? [] : [`${truth.verdict} is true: ${truth.because}`]),
    ...(truth.code === undefined || code === truth.code
      ? []
      : [`the code is ${code ?? 'absent'} in place of ${truth.code}`]),
    ...(truth.reason === undefined || truth.reason.test(reason)
      ? []
      : [`the reason does not match ${truth.reason}`]),
    ...(truth.told ?? [])
      .filter((part) => !lines.some((line) => part.test(line)))
      .map((part) => `no line of the timeline matches ${part}`),
    // Without a processor both measure late, each in its own way.
    ...(isLoaded ? [] : numbers.flatMap(({ problem }) => problem ?? [])),
    ...openEntries(result),
  ];
  return { judgement: problems.length === 0 ? 'right' : 'wrong', verdict, reason, numbers, problems, trace };
}

/** How much of what it asked for a load has got, 0 to 1, if a line says so. */
function shareOf(line: string): number {
  const [, got, of] = /([\d.]+) of ([\d.]+) (?:s of CPU time|MiB) asked for/.exec(line) ?? [];
  return got === undefined || of === undefined ? 1 : Number(got) / Number(of);
}

/** How many requests a load has made, if a line says so. */
function requestsOf(line: string): number {
  const [, count] = /made (\d+) HTTP requests/.exec(line) ?? [];
  return count === undefined ? Number.POSITIVE_INFINITY : Number(count);
}

function reasonOf({ result, reasons }: Evidence): string {
  const { experimentStatus, probeStatuses } = result?.status ?? {};
  const error = experimentStatus?.errorOutput;
  const ofProbes = (probeStatuses ?? [])
    .filter(({ status }) => status.verdict !== 'Passed')
    .map(({ name, status }) => `${name}: ${status.description ?? status.verdict}`);
  const ofError = error === undefined ? [] : [`${error.errorCode ?? ''} ${error.reason ?? ''}`.trim()];
  const parts = [...ofError, ...ofProbes];
  return (parts.length === 0 && result === undefined ? reasons : parts).join('; ');
}

function openEntries(result: ChaosResult | undefined): string[] {
  const entries = Object.values(result?.status?.ledger ?? {});
  return entries
    .filter(({ state }) => state === 'planned' || state === 'injected')
    .map(({ id, state }) => `the ledger has ${id} as ${state}`);
}
