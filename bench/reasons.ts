/**
 * How soon the reason stands in the engine's status and in an Event when a run or its experiment cannot start: from before the
 * request that creates the engine until a watcher sees it, one cause after another, each in a new namespace. Prints a table and,
 * with `--json FILE`, writes it. `--rounds N` (default 5) times each cause.
 */
import { parseArgs } from 'node:util';
import { createClient } from '@turnsole/kube/client/index';
import { startOperator } from '../src/components/operator/start-operator.ts';
import { startChaosCluster } from '../src/embedded/index.ts';
import { prepareCause, reportedReason, START_CAUSES } from '../test/support/start-causes.ts';
import { formatTable, summarize, writeJson } from './report.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, json: { type: 'string' } },
});
const ROUNDS = Number(options.rounds);

const cluster = await startChaosCluster({ isolation: 'none' });
const client = createClient(cluster.adminConfig);
const operator = await startOperator({ client });
const figures: { cause: string; statusMs: number[]; eventMs: number[] }[] = [];
try {
  for (const cause of START_CAUSES) {
    const figure = { cause: cause.name, statusMs: [] as number[], eventMs: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      const namespace = await prepareCause(client, cause, `-${round}`);
      const { statusMs, eventMs } = await reportedReason(client, cause, namespace);
      figure.statusMs.push(statusMs);
      figure.eventMs.push(eventMs);
    }
    figures.push(figure);
  }
} finally {
  await operator.stop();
  client.close();
  await cluster.close();
}

console.log(`Reason in status and Event, ms after the engine was created (${ROUNDS} rounds each)\n`);
console.log(
  formatTable(
    figures.flatMap(({ cause, statusMs, eventMs }) => [
      { title: `${cause}: status`, ...summarize(statusMs) },
      { title: `${cause}: Event`, ...summarize(eventMs) },
    ]),
  ),
);
const all = figures.flatMap(({ statusMs, eventMs }) => [...statusMs, ...eventMs]);
const late = figures.filter(({ statusMs, eventMs }) => Math.max(...statusMs, ...eventMs) > 1000);
console.log(`\nall: p50 ${summarize(all).p50.toFixed(0)} ms, max ${summarize(all).max.toFixed(0)} ms`);
console.log(`later than 1 s: ${late.length === 0 ? 'none' : late.map(({ cause }) => cause).join(', ')}`);
await writeJson(options.json, { rounds: ROUNDS, figures });
