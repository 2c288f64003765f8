import { type BatchFigures, runBatch } from './run-batch.ts';
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
  onBatch: (done: number, figures: BatchFigures) => void = () => {},
  onFailure: (failure: Error | undefined) => void = () => {},
): Promise<BatchFigures> {
  let total: BatchFigures = { hits: {}, recoveries: 0 };
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
        world = await World.start();
        inWorld = 0;
      }
      const size = Math.min(parallel, first + count - seed);
      const seeds = Array.from({ length: size }, (_, index) => seed + index);
      try {
        total = sumOf(total, await runBatch(world, seeds));
      } catch (cause) {
        const again = `npm run test:crash:runs -- --seed ${seed} --seeds ${size} --parallel ${size}`;
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
  const hits = { ...a.hits };
  for (const [what, count] of Object.entries(b.hits)) hits[what] = (hits[what] ?? 0) + count;
  return { hits, recoveries: a.recoveries + b.recoveries };
}
