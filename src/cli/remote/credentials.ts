import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../process/make-folders.ts';
import { CommandError } from '../../services/errors.ts';
import { writeWhole } from '../../services/write-whole.ts';
import { OWNER_ONLY, userFolder } from '../user-files.ts';

/** A sign-in at one server. */
interface Credentials {
  readonly token: string;
  readonly username: string;
  /** ID of the project that commands work in when they name none. */
  readonly project?: string;
}

/** What `turnsole remote login` keeps. */
interface Kept {
  /** Address of the server that commands mean when they name none. */
  readonly current?: string;
  readonly servers: Readonly<Record<string, Credentials>>;
}

/** Sign-ins of this user: a file below the configuration folder of the XDG base directories, only for this user. */
export class CredentialsFile {
  readonly path: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.path = join(userFolder(env, 'config'), 'remote.json');
  }

  /** The sign-in at a server, or at the current one. */
  async find(url: string | undefined): Promise<(Credentials & { readonly url: string }) | undefined> {
    const { current, servers } = await this.#read();
    const wanted = url ?? current;
    const found = wanted === undefined ? undefined : servers[wanted];
    return wanted === undefined || found === undefined ? undefined : { ...found, url: wanted };
  }

  /** Keeps a sign-in; its server becomes the current one. @throws CommandError (could not run) */
  async keep(url: string, credentials: Credentials): Promise<void> {
    const { servers } = await this.#read();
    await this.#write({ current: url, servers: { ...servers, [url]: credentials } });
  }

  /** @throws CommandError (could not run) */
  async forget(url: string): Promise<void> {
    const { current, servers } = await this.#read();
    const { [url]: _, ...others } = servers;
    await this.#write({ ...(current !== undefined && current !== url && { current }), servers: others });
  }

  async #read(): Promise<Kept> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new CommandError(`cannot read ${this.path}: ${error.message}`, 'OPTION_INVALID', {
        cause: error,
      });
    });
    if (text === undefined) return { servers: {} };
    try {
      return JSON.parse(text) as Kept;
    } catch (error) {
      const message = `${this.path} is no JSON: remove it, and sign in again`;
      throw new CommandError(message, 'OPTION_INVALID', { cause: error });
    }
  }

  async #write(kept: Kept): Promise<void> {
    try {
      makeFolders(dirname(this.path), 0o700);
      await writeWhole(this.path, Buffer.from(`${JSON.stringify(kept, null, 2)}\n`), OWNER_ONLY);
    } catch (error) {
      const message = `cannot keep the sign-in in ${this.path}: ${(error as Error).message}`;
      throw new CommandError(message, 'FILE_NOT_WRITTEN', { cause: error });
    }
  }
}
