/**
 * What stands in a layer for something that it removes: a character device 0/0. Every user may make one since Linux 5.8, by `mknod` alone, so it
 * is made once, and all others are further names of it, which Node can give.
 */
import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { LayerProblem } from './layer-problem.ts';

const NAME = /^whiteout-\d+$/;

export class Whiteouts {
  readonly #folder: string;
  #file: string | undefined;

  /** @param folder in the file system of the layers; files of it may be shared with other processes */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a whiteout at a path. */
  put(path: string): void {
    this.#file ??= this.#newest() ?? this.#make();
    try {
      linkSync(this.#file, path);
    } catch (error) {
      // A file has so many names at most; the next one takes its place.
      if ((error as NodeJS.ErrnoException).code !== 'EMLINK') throw error;
      this.#file = this.#make();
      linkSync(this.#file, path);
    }
  }

  #newest(): string | undefined {
    const names = readdirSync(this.#folder).filter((name) => NAME.test(name));
    const last = names.toSorted((a, b) => numberOf(a) - numberOf(b)).at(-1);
    return last === undefined ? undefined : join(this.#folder, last);
  }

  #make(): string {
    const newest = this.#newest();
    const number = newest === undefined ? 1 : numberOf(newest) + 1;
    const fresh = join(this.#folder, `new-${process.pid}`);
    const path = join(this.#folder, `whiteout-${number}`);
    try {
      rmSync(fresh, { force: true });
      execFileSync('mknod', ['-m', '600', fresh, 'c', '0', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
      renameSync(fresh, path);
    } catch (error) {
      throw new LayerProblem(
        'store',
        `it removes files of layers below, for which a character device 0/0 has to be made, and that failed: ${messageOf(error).trim()}; every user may since Linux 5.8`,
        { cause: error },
      );
    }
    return path;
  }
}

function numberOf(path: string): number {
  return Number(/\d+$/.exec(path)?.[0] ?? 0);
}
