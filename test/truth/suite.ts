/** Runs rows beside each other on one cluster. */
import { availableParallelism, loadavg } from 'node:os';
import { burn } from './burners.ts';
import type { Row } from './row.ts';
import { type Outcome, runRow } from './run-row.ts';
import { Stage } from './stage.ts';

/** Rows wait most of their time. */
const ROWS_PER_PROCESSOR = 6;
/** Rows whose numbers are compared: with more of them the machine itself would be what is measured. */
const MEASURED_AT_ONCE = 2;
/** So many rows with nodes of their own at a time have what they need. */
const POOL_NODES = 6;

/** How rows are run. */
export interface SuiteOptions {
  /** Processes that use the processors beside the suite. @default 0 */
  readonly load?: number;
  /** @default so many as the machine takes */
  readonly parallel?: number;
  /** Ends the suite before its time; what it has started is taken away first. */
  readonly signal?: AbortSignal;
  /** Hears of each run as it ends. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Runs all rows on a cluster of their own; a row whose run itself breaks is wrong. @throws the signal's reason */
export async function runRows(rows: readonly Row[], options: SuiteOptions = {}): Promise<Outcome[]> {
  const { load = 0, parallel = ROWS_PER_PROCESSOR * availableParallelism(), signal, onOutcome } = options;
  const pool = rows.some(({ nodes = 0 }) => nodes > 0) ? POOL_NODES : 0;
  await using stage = await Stage.start(pool);
  await using _burners = burn(load);
  const outcomes = new Map<Row, Outcome[]>();
  const stopped = stopOf(signal);
  const runOne = async (row: Row): Promise<void> => {
    const options = { isLoaded: () => load > 0 || isMachineBusy(), isMeasured: load === 0 };
    const run = runRow(row, stage, options).catch((error: unknown) => brokenRun(row, error));
    const outcome = await Promise.race([run, stopped]);
    outcomes.set(row, [...(outcomes.get(row) ?? []), outcome]);
    onOutcome?.(outcome);
  };
  const isMeasured = ({ observed }: Row): boolean => load === 0 && observed !== undefined;
  await atOnce(
    parallel,
    rows.filter((row) => !isMeasured(row)),
    runOne,
  );
  await atOnce(Math.min(parallel, MEASURED_AT_ONCE), rows.filter(isMeasured), runOne);
  return [...new Set(rows)].flatMap((row) => outcomes.get(row) ?? []);
}

/** Rejects when the signal is given. */
function stopOf(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  // Between two rows nothing waits for it.
  promise.catch(() => {});
  return promise;
}

/** Does something with each item, with so many at a time. */
async function atOnce<T>(count: number, items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, work));
}

/** Whether the machine has far more to do than it can, whoever asked for it. */
function isMachineBusy(): boolean {
  const [lastMinute = 0] = loadavg();
  return lastMinute > ROWS_PER_PROCESSOR * availableParallelism();
}

function brokenRun(row: Row, error: unknown): Outcome {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    row,
    judgement: 'wrong',
    verdict: 'none',
    reason: '',
    numbers: [],
    problems: [problem],
    trace: {},
    seconds: 0,
  };
}
