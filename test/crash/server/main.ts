/** `npm run test:crash:server -- --seeds 1000 --seed 1 --database sqlite`: a server dies again and again under load; see survive.ts. */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../../src/controlplane/store/testing/postgres-server.ts';
import { EXIT } from '../../../src/process/exit-codes.ts';
import { termination } from '../../../src/process/signals.ts';
import { surviveKills } from './survive.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1000' },
    /** Or `postgres`: Debian's, started for this. */
    database: { type: 'string', default: 'sqlite' },
  },
});
const [seed, lives] = [values.seed, values.seeds].map(Number);
if (![seed, lives].every((value) => Number.isSafeInteger(value))) {
  throw new TypeError('--seed and --seeds take whole numbers');
}
if (values.database !== 'sqlite' && values.database !== 'postgres') {
  throw new TypeError('--database takes sqlite or postgres');
}
// Who ends it wants no server to go on.
const { signal, close } = termination();
const postgres = values.database === 'postgres' ? await startPostgres({}) : undefined;
const startedAt = performance.now();
try {
  const found = await surviveKills({
    ...{ seed: seed ?? 1, lives: lives ?? 0, onLife: (line) => console.log(line), signal },
    ...(postgres !== undefined && { databaseUrl: postgres.url }),
  });
  console.log(
    `passed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${found} acknowledged objects were found again`,
  );
} catch (error) {
  if (!signal.aborted) throw error;
  console.error('ended before its last life');
  process.exitCode = EXIT.aborted;
} finally {
  await postgres?.stop();
  close();
}
