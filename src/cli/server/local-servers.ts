import { createHash } from 'node:crypto';
import { RunningRecords } from '../user-files.ts';

/** A server of this user on this machine. */
interface LocalServer {
  /** Address for clients on this machine. */
  readonly url: string;
  readonly dataFolder: string;
  readonly pid: number;
  /** Signs its first administrator in; absent while no user can sign in, or where the database is elsewhere. */
  readonly token?: string;
}

/** The servers that run, only for this user. */
export class LocalServers {
  readonly #records: RunningRecords<LocalServer>;

  constructor(env: NodeJS.ProcessEnv) {
    this.#records = new RunningRecords(env, 'servers');
  }

  /** Remembers a server. @throws CommandError (could not run) */
  async add(server: LocalServer): Promise<void> {
    await this.#records.add(nameOf(server.dataFolder), server);
  }

  async remove(dataFolder: string): Promise<void> {
    await this.#records.remove(nameOf(dataFolder));
  }

  /** Servers whose process lives; forgets others. */
  async running(): Promise<LocalServer[]> {
    const names = await this.#records.names();
    const servers = await Promise.all(names.map((name) => this.#alive(name)));
    return servers.filter((server) => server !== undefined);
  }

  async #alive(name: string): Promise<LocalServer | undefined> {
    const server = await this.#records.read(name);
    if (server === undefined || lives(server.pid)) return server;
    await this.#records.remove(name);
    return undefined;
  }
}

function nameOf(dataFolder: string): string {
  return createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
