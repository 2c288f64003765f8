/** `npm run test:charts [-- --quick] [--parallel N] [chart…]`: every upstream chart on an embedded cluster. See README.md. */
import { parseArgs } from 'node:util';
import { chartNames, chartsMissing } from '../support/charts.ts';
import { type ChartRun, chartRuns } from './expectations.ts';
import { type ChartOutcome, runChart } from './run-chart.ts';

/** Long enough for two rounds of those that repeat every 10 s. */
const QUICK_SECONDS = 12;
const PARALLEL = 4;
const WHY_WIDTH = 160;

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, parallel: { type: 'string' } },
  allowPositionals: true,
});

if (chartsMissing !== false) {
  console.error(chartsMissing);
  process.exitCode = 3;
} else {
  const all = await chartNames();
  const wanted = positionals.length === 0 ? all : positionals;
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no chart ${unknown.join(', ')}; there are ${all.join(', ')}`);
  const outcomes = await runAll(chartRuns(wanted), Number(values.parallel ?? PARALLEL));
  printTable(outcomes);
  process.exitCode = outcomes.some(({ state }) => state === 'not as expected') ? 1 : 0;
}

async function runAll(runs: readonly ChartRun[], parallel: number): Promise<ChartOutcome[]> {
  const isolation = process.getuid?.() === 0 ? 'full' : 'auto';
  const options = { isolation, ...(values.quick ? { durationSeconds: QUICK_SECONDS } : {}) } as const;
  const waiting = [...runs.entries()];
  const outcomes: ChartOutcome[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, run] = next;
      const outcome = await runChart(run, options).catch((error: unknown): ChartOutcome => {
        const why = error instanceof Error ? error.message : String(error);
        return { run, state: 'not as expected', verdict: 'none', why, seconds: 0 };
      });
      outcomes[index] = outcome;
      console.error(
        `${titleOf(run)}: ${outcome.verdict}, ${outcome.state} (${outcome.seconds.toFixed(0)} s)`,
      );
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return outcomes;
}

function titleOf({ chart, filled }: ChartRun): string {
  const values = Object.entries(filled ?? {}).map(([name, value]) => `${name}=${value}`);
  return [chart, ...values].join(' ');
}

function printTable(outcomes: readonly ChartOutcome[]): void {
  const rows = outcomes.map(({ run, verdict, state, why, seconds }) => [
    titleOf(run),
    verdict,
    state,
    seconds === 0 ? '' : `${seconds.toFixed(0)} s`,
    why.length > WHY_WIDTH && state === 'as expected' ? `${why.slice(0, WHY_WIDTH)}…` : why,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    console.log(
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  const count = (state: ChartOutcome['state']): number =>
    outcomes.filter((one) => one.state === state).length;
  const [good, bad, absent] = [count('as expected'), count('not as expected'), count('fault not there yet')];
  const mode = values.quick ? `quick mode: TOTAL_CHAOS_DURATION=${QUICK_SECONDS}; ` : '';
  console.log(`${mode}${good} as expected, ${bad} not, ${absent} whose fault is not there yet`);
}
