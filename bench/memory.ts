/**
 * The memory of the programs that are there all the time in a cluster, at rest and after a run, beside a Node that does nothing.
 *
 * Each is a process of its own, from the bundle, with what a pod has (`npm run build` first), against an embedded cluster in this process. Rounds
 * alternate between checkouts.
 *
 *   npm run bench:memory [-- --rounds 5 --against FOLDER --node-option OPTION --json FILE]
 */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { memoryOf, type ProcessMemory } from './api/process.ts';
import { ComponentProcess } from './memory/component-process.ts';
import { COMPONENTS, Installation } from './memory/installation.ts';
import { formatColumns, median, writeJson } from './report.ts';

const ROOT = join(import.meta.dirname, '..');
/** What starts and runs leave is collected, or not, in this time. */
const REST_MS = 3_000;
const BARE = 'node -e';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    against: { type: 'string', multiple: true, default: [] },
    // Options of Node for all components, for comparisons.
    'node-option': { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
  },
});

type Moment = 'at rest' | 'after a run';

interface Sample extends ProcessMemory {
  readonly checkout: string;
  readonly program: string;
  readonly moment: Moment;
}

await using stack = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(1)));
}
const checkouts = [ROOT, ...values.against];
const homes = await Promise.all(checkouts.map(homeOf));
const installation = stack.use(await Installation.start());
const samples: Sample[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [index, checkout] of checkouts.entries()) await measure(checkout, homes[index] ?? '');
}
print();
await writeJson(values.json, { benchmark: 'memory', nodeOptions: values['node-option'], samples });

/** Only with the bundle, as in the image: the command would take the sources where they are. */
async function homeOf(checkout: string): Promise<string> {
  if (!existsSync(join(checkout, 'dist', 'main.js'))) {
    throw new Error(`dist/main.js is missing in ${checkout}; run "npm run build" there`);
  }
  const home = await mkdtemp(join(tmpdir(), 'turnsole-bench-home-'));
  stack.defer(() => rm(home, { recursive: true, force: true }));
  for (const name of ['bin', 'dist', 'package.json'])
    await cp(join(checkout, name), join(home, name), { recursive: true });
  return home;
}

async function measure(checkout: string, home: string): Promise<void> {
  await using running = new AsyncDisposableStack();
  const programs = new Map([
    [BARE, running.use(ComponentProcess.bare())],
    ...(await installation.install(home, values['node-option'], running)),
  ]);
  const look = async (moment: Moment): Promise<void> => {
    await delay(REST_MS);
    for (const [program, { pid }] of programs) samples.push({ checkout, program, moment, ...memoryOf(pid) });
  };
  await look('at rest');
  await installation.run();
  await look('after a run');
}

function print(): void {
  const rows = checkouts.flatMap((checkout) =>
    [BARE, ...COMPONENTS].map((program) => {
      const of = (moment: Moment, key: keyof ProcessMemory): string => {
        const own = samples.filter(
          (one) => one.checkout === checkout && one.program === program && one.moment === moment,
        );
        return median(own.map((one) => one[key])).toFixed(1);
      };
      const title = checkouts.length > 1 ? `${program}: ${basename(checkout)}` : program;
      return [
        title,
        of('at rest', 'resident'),
        of('after a run', 'resident'),
        of('at rest', 'share'),
        of('after a run', 'share'),
        of('at rest', 'own'),
        of('after a run', 'own'),
      ];
    }),
  );
  console.log(formatColumns(['medians, MB', 'RSS', 'after', 'PSS', 'after', 'own', 'after'], rows));
}
