/** `npm run test:clients [-- --only CLIENT] [--write]`: other people's programs against Turnsole. See README.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Checks, type Client } from './suite/client.ts';
import { CLIENTS } from './suite/clients.ts';
import { Programs } from './suite/programs.ts';
import { Stage } from './suite/stage.ts';
import { type Row, withRows } from './suite/table.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/compatibility.md');

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, write: { type: 'boolean', default: false } },
});
const names = CLIENTS.map(({ name }) => name);
const unknown = (values.only ?? []).filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`--only ${unknown.join(', ')}: there are ${names.join(', ')}`);
  process.exit(2);
}

const programs = new Programs(process.env);
const rows: Row[] = [];
for (const client of CLIENTS) {
  if (!(values.only ?? names).includes(client.name)) continue;
  const reason = whyNot(client);
  if (reason === undefined) {
    const row = await runClient(client);
    rows.push(row);
    if (values.write) await writeTable(row);
  } else console.log(`${client.name}: skipped: ${reason}`);
}
summarise(rows);
process.exitCode = rows.some(({ outcomes }) => outcomes.some(({ outcome }) => outcome === 'wrong')) ? 1 : 0;

function whyNot({ programs: needed, unable }: Client): string | undefined {
  const missing = needed.filter((name) => programs.find(name) === undefined);
  if (missing.length > 0) return `no ${missing.join(', ')} in TURNSOLE_CLIENTS or on PATH`;
  return unable?.(programs);
}

async function runClient(client: Client): Promise<Row> {
  await using stage = await Stage.open();
  const program = (name: string): string => {
    const path = programs.find(name);
    if (path === undefined || !client.programs.includes(name))
      throw new Error(`${client.name} lists no ${name}`);
    return path;
  };
  const checks = new Checks((line) => console.log(line));
  const context = { program, programs, stage, checks };
  const startedAt = performance.now();
  const version = await client.version(context);
  console.log(`${client.name} ${version}`);
  await checks.expected('the client runs to its end', () => client.run(context));
  // That it does is only worth a mention when it does not.
  const outcomes = checks.outcomes.filter(
    ({ name, outcome }) => outcome === 'wrong' || name !== 'the client runs to its end',
  );
  console.log(`  ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return { client: client.name, version, covers: client.covers, outcomes };
}

function summarise(all: readonly Row[]): void {
  console.log('\nclient                expected  differs  wrong');
  for (const { client, outcomes } of all) {
    const counts = (['expected', 'differs', 'wrong'] as const).map(
      (word) => outcomes.filter(({ outcome }) => outcome === word).length,
    );
    const [expected = 0, differs = 0, wrong = 0] = counts;
    console.log(
      client.padEnd(24) +
        [String(expected).padStart(6), String(differs).padStart(9), String(wrong).padStart(7)].join(''),
    );
  }
}

/** Written as soon as a client has run, so that a run that is cut short keeps what it found. */
async function writeTable(row: Row): Promise<void> {
  const before = await readFile(DOCUMENT, 'utf8');
  const after = withRows(before, [row], names);
  if (after !== before) await writeFile(DOCUMENT, after);
}
