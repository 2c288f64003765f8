import { formatColumns, formatTable, type Summary } from '../report.ts';
import type { Aborts, HandOver, HandOvers, Population, Runs, Touch } from './phases.ts';

/** Everything that was measured. */
export interface Outcome {
  /** Whether runners might watch pods. */
  readonly mayWatch: boolean;
  readonly population: Population;
  readonly touches: readonly Touch[];
  readonly runs: Runs;
  readonly aborts: Aborts;
  readonly handOvers: HandOvers;
}

/** Prints it as tables for people. */
export function printOutcome({ mayWatch, population, touches, runs, aborts, handOvers }: Outcome): void {
  const { engines } = population;
  const row = (title: string, value: number, digits = 0): string[] => [title, value.toFixed(digits)];
  console.log(`\nMemory of the operator, resident, MB (${engines} engines present)\n`);
  console.log(
    formatColumns(
      ['', 'MB'],
      [
        row('no engines', population.emptyMb),
        row('after they came', population.filledMb),
        row('started anew with them', population.restartedMb),
        row('highest during that start', population.restartedPeakMb),
        row(`before ${runs.engines} runs at once`, runs.restMb),
        row('highest during them', runs.highestMb),
      ],
    ),
  );
  console.log(
    `\nstart with ${engines} engines until each was looked at: ${population.restartMs.toFixed(0)} ms`,
  );
  console.log(`\nEvery one of ${engines} engines changed once\n`);
  console.log(
    formatColumns(
      ['round', 'seconds', 'passes/s', 'passes per CPU s', 'RSS MB', 'heap MB'],
      touches.map((touch, index) => [
        String(index + 1),
        touch.seconds.toFixed(1),
        (touch.passes / touch.seconds).toFixed(0),
        (touch.passes / touch.cpuSeconds).toFixed(0),
        touch.residentMb.toFixed(0),
        touch.heapMb.toFixed(0),
      ]),
    ),
  );
  printRuns(runs, mayWatch);
  console.log(`\n${aborts.engines} running engines are stopped, ms\n`);
  printSummaries({ 'one after the other': aborts.oneByOne, 'all at once': aborts.allAtOnce });
  const hand = (title: string, { leadsMs, worksMs, newestMs }: HandOver): string[] => [
    title,
    ...[leadsMs, worksMs, newestMs].map((ms) => ms.toFixed(0)),
  ];
  console.log('\nEnd of the leader, ms until its successor …\n');
  console.log(
    formatColumns(
      ['', 'leads', 'begins a run', 'begins the newest'],
      [
        hand('SIGTERM', handOvers.graceful),
        hand(`SIGTERM while ${runs.engines} engines begin`, handOvers.gracefulUnderLoad),
        hand('SIGKILL', handOvers.killed),
      ],
    ),
  );
}

function printRuns(runs: Runs, mayWatch: boolean): void {
  console.log(
    `\n${runs.engines} engines at once: all completed after ${runs.seconds.toFixed(1)} s, ${(
      runs.passes / runs.seconds
    ).toFixed(0)} passes/s, ${(runs.passes / runs.operatorCpuSeconds).toFixed(0)} passes per CPU s\n`,
  );
  printSummaries({
    'creation to initialized, ms': runs.toInitialized,
    'creation to completed, ms': runs.toCompleted,
  });
  const watching = mayWatch ? 'runners may watch pods' : 'runners may not watch pods';
  console.log(
    `\nAPI requests per engine: ${runs.callsPerEngine.toFixed(1)} (${watching}; one runner at most ${runs.mostOfOneRunner})\n`,
  );
  const keys = [...new Set([...Object.keys(runs.operatorCalls), ...Object.keys(runs.runnerCalls)])].sort();
  console.log(
    formatColumns(
      ['request', 'operator', 'runner'],
      keys.map((key) => [
        key,
        (runs.operatorCalls[key] ?? 0).toFixed(2),
        (runs.runnerCalls[key] ?? 0).toFixed(2),
      ]),
    ),
  );
}

function printSummaries(summaries: Readonly<Record<string, Summary>>): void {
  console.log(formatTable(Object.entries(summaries).map(([title, summary]) => ({ title, ...summary }))));
}
