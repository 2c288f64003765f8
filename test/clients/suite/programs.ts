import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Other people's programs: those in the folder that TURNSOLE_CLIENTS names, then those on PATH. */
export class Programs {
  readonly #folders: readonly string[];
  readonly #folder: string | undefined;

  /** @param env TURNSOLE_CLIENTS and PATH of it are read */
  constructor(env: NodeJS.ProcessEnv) {
    const { TURNSOLE_CLIENTS: folder = '', PATH: path = '' } = env;
    this.#folder = folder === '' ? undefined : folder;
    this.#folders = [folder, ...path.split(delimiter)].filter((one) => one !== '');
  }

  /** The path of a program, or undefined when it is not there. */
  find(name: string): string | undefined {
    return this.#folders.map((folder) => join(folder, name)).find(isProgram);
  }

  /** The file or folder of this name in TURNSOLE_CLIENTS, there or not; undefined without that folder. */
  beside(name: string): string | undefined {
    return this.#folder === undefined ? undefined : join(this.#folder, name);
  }

  /** What the line `NAME VERSION` of versions.txt in TURNSOLE_CLIENTS says: for programs that do not know their version. */
  notedVersion(name: string): string {
    const file = this.beside('versions.txt');
    return (file === undefined ? undefined : versionIn(read(file), name)) ?? 'unknown';
  }
}

/** The version that `text` notes for a program: lines of its name, a blank, and the version. */
export function versionIn(text: string, name: string): string | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line?.slice(name.length + 1).trim();
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
