/** `npm run test:crash:images -- --seeds 200 --seed 1`: processes that use an image store are killed again and again; see survive.ts. */
import { EXIT } from '../../../src/process/exit-codes.ts';
import { termination } from '../../../src/process/signals.ts';
import { readSeedRange } from '../../support/seeds.ts';
import { surviveKills } from './survive.ts';

const { first, count } = readSeedRange(process.argv.slice(2), 200);
const { signal, close } = termination();
const startedAt = performance.now();
try {
  const whole = await surviveKills({
    seed: first,
    seeds: count,
    signal,
    onSeed: (line) => console.log(line),
  });
  console.log(
    `passed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${whole} images were found whole`,
  );
} catch (error) {
  if (!signal.aborted) throw error;
  console.error('ended before its last seed');
  process.exitCode = EXIT.aborted;
} finally {
  close();
}
