/** `npm run test:watch -- --seeds 1000`: the long run of the watch property. */
import { readSeedRange, runSeeds } from '../support/seeds.ts';
import { runSeed } from './run-seed.ts';

const EVERYDAY = 100;

// Not by the end of all work: what broken connections leave unfinished can keep Node from ending.
process.exit(await runSeeds(readSeedRange(process.argv.slice(2), EVERYDAY), 'test:watch', runSeed));
