import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Choices } from '../durability/random.ts';
import { connectAgents } from './agents.ts';
import { signIn, writeEstate } from './estate.ts';
import { Load } from './load.ts';
import { ServerProcess } from './server-process.ts';

/** How often a server dies, and when. */
export interface Lives {
  readonly seed: number;
  readonly lives: number;
  /** An empty database of PostgreSQL. @default a file */
  readonly databaseUrl?: string;
  readonly onLife?: (line: string) => void;
  /** Its abort ends the server of the life that it is in, and removes its folder. */
  readonly signal?: AbortSignal;
}

const CALLERS = 4;
const LEAST_MS = 50;
const MOST_MS = 1_500;

/**
 * A server dies by SIGKILL under mixed load, once in each life, at a random moment; the next life has everything that was
 * acknowledged, and each run comes to its end.
 *
 * @returns how many environments and runs were found again
 * @throws AssertionError with the seed of the life; the reason of `signal`
 */
export async function surviveKills(input: Lives): Promise<number> {
  const { seed, lives, databaseUrl, signal, onLife = () => {} } = input;
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-crash-server-'));
  let server: ServerProcess | undefined;
  try {
    const life = { folder, ...(databaseUrl !== undefined && { databaseUrl }) };
    const estate = await writeEstate(databaseUrl === undefined ? { folder } : { url: databaseUrl }, 1);
    const load = new Load(estate);
    let found = 0;
    for (let number = seed; number < seed + lives; number += 1) {
      signal?.throwIfAborted();
      const choices = new Choices(number);
      server = await ServerProcess.start(life);
      const client = await signIn(server.url);
      try {
        found += await load.check(client);
      } catch (error) {
        throw new Error(`after the life before seed ${number}`, { cause: error });
      }
      const connected = await connectAgents(client, estate);
      const working = load.work(client, CALLERS);
      try {
        await delay(choices.between(LEAST_MS, MOST_MS), undefined, { signal });
      } finally {
        await server.kill();
        connected.close();
        await working;
      }
      onLife(
        `seed ${number}: ${load.environments.size} environments, ${load.runs.length} runs since the last death`,
      );
    }
    server = await ServerProcess.start(life);
    found += await load.check(await signIn(server.url));
    return found;
  } finally {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
