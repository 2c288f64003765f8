/** What is removed gets out of the way at once, by a new name; its files are deleted afterwards. */
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../unpack/run-program.ts';

export class Trash {
  readonly #folder: string;
  readonly #enter: readonly string[];
  #emptying: Promise<void> = Promise.resolve();

  /** @param enter words in front of a command, to remove files of others than this user */
  constructor(directory: string, enter: readonly string[]) {
    this.#folder = join(directory, 'trash');
    this.#enter = enter;
  }

  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Takes a file or folder of the store out of its place. */
  take(path: string): void {
    if (existsSync(path)) renameSync(path, join(this.#folder, randomUUID()));
  }

  /** Deletes what is in it, also what others have put there. What cannot be deleted stays for the next time. Never rejects. */
  empty(): Promise<void> {
    this.#emptying = this.#emptying.then(async () => {
      const names = await readdir(this.#folder).catch(() => []);
      for (const name of names) await this.#delete(join(this.#folder, name)).catch(() => {});
    });
    return this.#emptying;
  }

  async #delete(path: string): Promise<void> {
    if (this.#enter.length > 0) {
      await runProgram([...this.#enter, 'rm', '-rf', '--', path]);
      return;
    }
    try {
      await rm(path, { recursive: true, force: true });
    } catch {
      // A user cannot empty folders of his own that he may not write to, as layers have.
      await makeWritable(path);
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function makeWritable(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(path, entry.name));
  }
}
