/**
 * `npm run test:truth [-- --only PATTERN] [--list] [--load N] [--repeat N] [--parallel N] [--json FILE] [--same-at N]`: applications that are
 * resilient and twins that are not, and what is true about each. See README.md.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { missingNeeds } from './needs.ts';
import type { Row } from './row.ts';
import { ROWS } from './rows/index.ts';
import type { Outcome } from './run-row.ts';
import { agreementOf } from './same-at.ts';
import { runRows } from './suite.ts';
import { countsOf, problemsOf, tableOf } from './table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    load: { type: 'string', default: '0' },
    repeat: { type: 'string', default: '1' },
    parallel: { type: 'string' },
    json: { type: 'string' },
    'same-at': { type: 'string' },
  },
});

/** Exit code of a program that Ctrl-C has ended. */
const STOPPED = 130;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));

const wanted = ROWS.filter(({ name, family }) => new RegExp(values.only).test(`${family}: ${name}`));
if (wanted.length === 0) throw new Error(`no row matches ${values.only}; --list names them`);
if (values.list)
  for (const row of wanted)
    console.log(`${row.family}: ${row.name} → ${row.truth.verdict}, ${row.truth.because}`);
else {
  const code = await run(wanted).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
    console.error(error instanceof Error ? error.message : error);
    return STOPPED;
  });
  // Rows that were stopped may still wait for what is no longer there.
  process.exit(code);
}

async function run(rows: readonly Row[]): Promise<number> {
  const missing = await missingNeeds();
  const lacks = (row: Row): string | undefined =>
    row.needs?.map((need) => missing.get(need)).find((why) => why !== undefined);
  const everywhere = missing.get('root');
  const possible = everywhere === undefined ? rows.filter((row) => lacks(row) === undefined) : [];
  for (const row of rows)
    if (!possible.includes(row)) console.log(`skipped: ${row.name}: ${everywhere ?? lacks(row)}`);
  const skipped = rows.length - possible.length;
  if (possible.length === 0) return 0;
  const repeated = Array.from({ length: Number(values.repeat) }, () => possible).flat();
  const startedAt = performance.now();
  const load = Number(values.load);
  const outcomes = await runAt(repeated, load);
  const others = values['same-at'] === undefined ? [] : await runAt(repeated, Number(values['same-at']));
  const all = [...outcomes, ...others];
  console.log(`\n${tableOf(all)}`);
  for (const outcome of all) if (outcome.judgement === 'wrong') console.log(`\nWRONG ${problemsOf(outcome)}`);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`\n${countsOf(all)}, ${skipped} rows skipped, ${seconds.toFixed(0)} s, load ${load}`);
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify(all, undefined, 2));
  if (values['same-at'] !== undefined) {
    const { text, differs } = agreementOf(outcomes, others, load, Number(values['same-at']));
    console.log(text);
    if (differs) return 1;
  }
  return all.some(({ judgement }) => judgement === 'wrong') ? 1 : 0;
}

function runAt(rows: readonly Row[], load: number): Promise<Outcome[]> {
  return runRows(rows, {
    load,
    signal: stop.signal,
    ...(values.parallel === undefined ? {} : { parallel: Number(values.parallel) }),
    onOutcome: ({ row, judgement, verdict, seconds }) =>
      console.error(
        `${judgement === 'right' ? '' : `${judgement.toUpperCase()} `}${row.name}: ${verdict} (${seconds.toFixed(1)} s)`,
      ),
  });
}
