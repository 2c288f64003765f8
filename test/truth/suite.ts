/** Runs rows beside each other on one cluster. */
import { availableParallelism, loadavg } from 'node:os';
import { burn } from './burners.ts';
import type { Row } from './row.ts';
import { type Outcome, runRow } from './run-row.ts';
import { Stage } from './stage.ts';

/** Rows wait most of their time. */
const ROWS_PER_PROCESSOR = 6;
/** So many rows with nodes of their own at a time have what they need. */
const POOL_NODES = 6;

/** How rows are run. */
export interface SuiteOptions {
  /** Processes that use the processors beside the suite. @default 0 */
  readonly load?: number;
  /** @default so many as the machine takes */
  readonly parallel?: number;
  /** Hears of each run as it ends. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Runs all rows on a cluster of their own; a row whose run itself breaks is wrong. */
export async function runRows(rows: readonly Row[], options: SuiteOptions = {}): Promise<Outcome[]> {
  const { load = 0, parallel = ROWS_PER_PROCESSOR * availableParallelism(), onOutcome } = options;
  const pool = rows.some(({ nodes = 0 }) => nodes > 0) ? POOL_NODES : 0;
  await using stage = await Stage.start(pool);
  await using _burners = burn(load);
  const waiting = [...rows.entries()];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, row] = next;
      const outcome = await runRow(row, stage, () => load > 0 || isMachineBusy()).catch((error: unknown) =>
        brokenRun(row, error),
      );
      outcomes[index] = outcome;
      onOutcome?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, rows.length) }, work));
  return outcomes;
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
