/** Where the commands of one user keep what they know between runs. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parseObject } from '@turnsole/kube/text/json';
import { makeFolders } from '../process/make-folders.ts';
import { CommandError } from '../services/errors.ts';
import { writeWhole } from '../services/write-whole.ts';

/** What is in these files is for their owner alone: tokens, addresses of sockets. */
export const OWNER_ONLY = 0o600;

/** A folder of the XDG base directories; variables that are empty, or no whole path, count as not set, as that specification has it. */
export function userFolder(env: NodeJS.ProcessEnv, kind: 'state' | 'config'): string {
  const [variable, usual] =
    kind === 'state'
      ? (['XDG_STATE_HOME', '.local/state'] as const)
      : (['XDG_CONFIG_HOME', '.config'] as const);
  const given = env[variable] ?? '';
  return join(isAbsolute(given) ? given : join(env.HOME || homedir(), usual), 'turnsole');
}

/** What runs on this machine for this user, a small file for each. @typeParam T what is known of one: any JSON object */
export class RunningRecords<T extends object> {
  readonly folder: string;
  readonly #what: string;

  /** @param what runs, in the plural; also the name of the folder */
  constructor(env: NodeJS.ProcessEnv, what: 'clusters' | 'servers') {
    this.folder = join(userFolder(env, 'state'), what);
    this.#what = what;
  }

  /** Makes the folder. @throws CommandError (could not run) */
  async prepare(): Promise<void> {
    await this.#written(async () => makeFolders(this.folder, 0o700));
  }

  /** Remembers one; a process that dies meanwhile leaves no half of it. @throws CommandError (could not run) */
  async add(name: string, record: T): Promise<void> {
    await this.prepare();
    const text = Buffer.from(`${JSON.stringify(record, null, 2)}\n`);
    await this.#written(() => writeWhole(this.#file(name), text, OWNER_ONLY));
  }

  async remove(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  async names(): Promise<string[]> {
    const files = await readdir(this.folder).catch(() => []);
    return files.filter((file) => file.endsWith(ENDING)).map((file) => file.slice(0, -ENDING.length));
  }

  /** What is remembered under a name; a file that holds no record is removed. */
  async read(name: string): Promise<T | undefined> {
    const text = await readFile(this.#file(name), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const record = parseObject(text) as T | undefined;
    if (record === undefined) await this.remove(name);
    return record;
  }

  #file(name: string): string {
    return join(this.folder, `${name}${ENDING}`);
  }

  async #written(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = `cannot remember ${this.#what} in ${this.folder}: ${(error as Error).message}; set XDG_STATE_HOME to a folder that can be written`;
      throw new CommandError(message, 'FILE_NOT_WRITTEN', { cause: error });
    }
  }
}

const ENDING = '.json';
