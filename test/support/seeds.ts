import { parseArgs } from 'node:util';

/** Which seeds a long suite runs. */
export interface SeedRange {
  readonly first: number;
  readonly count: number;
}

/** Reads `--seeds COUNT` and `--seed FIRST` (alone: that one only). */
export function readSeedRange(args: readonly string[], everyday: number): SeedRange {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: 'string' }, seed: { type: 'string' } },
  });
  const first = whole('--seed', values.seed) ?? 1;
  return { first, count: whole('--seeds', values.seeds) ?? (values.seed === undefined ? everyday : 1) };
}

function whole(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`${option} takes a whole number, not ${JSON.stringify(text)}`);
}

/** One line of a summary: `writes 1200, events 4000`. */
export type Figures = Readonly<Record<string, number>>;

/**
 * Runs a seed after the other, prints progress and sums up. Gives the exit code: 1 at the first seed that fails, with
 * the command that repeats it.
 */
export async function runSeeds(
  { first, count }: SeedRange,
  script: string,
  runSeed: (seed: number) => Promise<Figures>,
): Promise<number> {
  const total: Record<string, number> = {};
  const startedAt = performance.now();
  let printedAt = startedAt;
  for (let seed = first; seed < first + count; seed += 1) {
    try {
      for (const [name, value] of Object.entries(await runSeed(seed)))
        total[name] = (total[name] ?? 0) + value;
    } catch (error) {
      console.error(`seed ${seed} failed; repeat it with: npm run ${script} -- --seed ${seed}`);
      console.error(error);
      return 1;
    }
    if (performance.now() - printedAt < 5_000) continue;
    printedAt = performance.now();
    console.log(`${seed - first + 1} of ${count} seeds, ${shown(total)}`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${count} seeds passed in ${seconds} s: ${shown(total)}`);
  return 0;
}

function shown(total: Figures): string {
  return Object.entries(total)
    .map(([name, value]) => `${name} ${Math.round(value * 100) / 100}`)
    .join(', ');
}
