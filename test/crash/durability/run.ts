import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figures, Journey, noFigures } from './journey.ts';
import { bundleServer } from './process.ts';
import { Choices } from './random.ts';

/** Seeds that share a folder: one crash after the other. */
const SEEDS_PER_FOLDER = 10;

/** A seed that failed. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  readonly seed: number;

  constructor(seed: number, cause: unknown) {
    super(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.seed = seed;
  }
}

/** Runs the seeds from `first`, each one crash; throws {@link SeedError} at the first that finds something. */
export async function runSeeds(
  first: number,
  count: number,
  onSeed: (done: number, figures: Figures) => void = () => {},
): Promise<Figures> {
  const figures = noFigures();
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-crash-server-'));
  let journey: Journey | undefined;
  try {
    const program = await bundleServer(directory);
    for (let index = 0; index < count; index += 1) {
      const seed = first + index;
      const choices = new Choices(seed);
      try {
        if (index % SEEDS_PER_FOLDER === 0) {
          await journey?.close();
          journey = new Journey(program, choices, figures);
        }
        await journey?.step(choices);
      } catch (cause) {
        throw new SeedError(seed, cause);
      }
      onSeed(index + 1, figures);
    }
  } finally {
    await journey?.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return figures;
}
