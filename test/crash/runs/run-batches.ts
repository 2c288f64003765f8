import { type BatchFigures, runBatch } from './run-batch.ts';
import type { Draw } from './scenario.ts';
import { World } from './world.ts';

/** Seeds after which the cluster is made anew, so that its age hides nothing. */
const SEEDS_PER_WORLD = 30;

/**
 * Runs seeds, several at a time in one cluster.
 *
 * @throws AggregateError with every finding of every batch that has any, and the seeds it was made of; the others are run all the same
 */
export async function runBatches(
  first: number,
  count: number,
  parallel: number,
  draw: Draw,
  onBatch: (done: number, figures: BatchFigures) => void = () => {},
  onFailure: (failure: Error | undefined) => void = () => {},
): Promise<BatchFigures> {
  let total: BatchFigures = { hits: {}, recoveries: 0, residues: [], faults: {} };
  let world: World | undefined;
  let inWorld = 0;
  const failures: Error[] = [];
  try {
    for (let seed = first; seed < first + count; seed += parallel) {
      if (world !== undefined && inWorld >= SEEDS_PER_WORLD) {
        await world.close();
        world = undefined;
      }
      if (world === undefined) {
        const { isolated, family } = draw;
        world = await World.start({ isolated, applications: parallel, family });
        inWorld = 0;
      }
      const size = Math.min(parallel, first + count - seed);
      const seeds = Array.from({ length: size }, (_, index) => seed + index);
      try {
        total = sumOf(total, await runBatch(world, seeds, draw));
      } catch (cause) {
        const family = draw.family === undefined ? '' : ` --family ${draw.family}`;
        const again = `npm run test:crash:runs --${family} --seed ${seed} --seeds ${size} --parallel ${size} --lease ${draw.leaseSeconds}`;
        failures.push(new Error(`seeds ${seed} to ${seed + size - 1}: repeat with: ${again}`, { cause }));
        onFailure(failures.at(-1));
        await world.close();
        world = undefined;
      }
      inWorld += size;
      onBatch(seed - first + size, total);
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} batches failed`);
    return total;
  } finally {
    await world?.close();
  }
}

function sumOf(a: BatchFigures, b: BatchFigures): BatchFigures {
  return {
    hits: sumCounts(a.hits, b.hits),
    recoveries: a.recoveries + b.recoveries,
    residues: [...a.residues, ...b.residues],
    faults: sumCounts(a.faults, b.faults),
  };
}

function sumCounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) {
  const sum = { ...a };
  for (const [what, count] of Object.entries(b)) sum[what] = (sum[what] ?? 0) + count;
  return sum;
}
