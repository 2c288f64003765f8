import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolders } from '../../process/make-folders.ts';
import { CommandError } from '../../services/errors.ts';
import { writeWhole } from '../../services/write-whole.ts';

/** A server of this user on this machine. */
interface LocalServer {
  /** Address for clients on this machine. */
  readonly url: string;
  readonly dataFolder: string;
  readonly pid: number;
  /** Signs its first administrator in; absent while no user can sign in, or where the database is elsewhere. */
  readonly token?: string;
}

const OWNER_ONLY = 0o600;

/** The servers that run: one small file each below the state folder of the XDG base directories, only for this user. */
export class LocalServers {
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv) {
    const state = env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state');
    this.#folder = join(state, 'turnsole', 'servers');
  }

  /** Remembers a server. @throws CommandError (could not run) */
  async add(server: LocalServer): Promise<void> {
    try {
      makeFolders(this.#folder, 0o700);
      await writeWhole(
        this.#file(server.dataFolder),
        Buffer.from(`${JSON.stringify(server, null, 2)}\n`),
        OWNER_ONLY,
      );
    } catch (error) {
      const message = `cannot remember the server in ${this.#folder}: ${(error as Error).message}; set XDG_STATE_HOME to a folder that can be written`;
      throw new CommandError(message, 'FILE_NOT_WRITTEN', { cause: error });
    }
  }

  async remove(dataFolder: string): Promise<void> {
    await rm(this.#file(dataFolder), { force: true });
  }

  /** Servers whose process lives; removes the files of others. */
  async running(): Promise<LocalServer[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const servers = await Promise.all(
      names.filter((name) => name.endsWith('.json')).map((name) => this.#read(name)),
    );
    return servers.filter((server) => server !== undefined);
  }

  async #read(name: string): Promise<LocalServer | undefined> {
    const text = await readFile(join(this.#folder, name), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const server = JSON.parse(text) as LocalServer;
    if (lives(server.pid)) return server;
    await this.remove(server.dataFolder);
    return undefined;
  }

  #file(dataFolder: string): string {
    const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
    return join(this.#folder, `${name}.json`);
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
