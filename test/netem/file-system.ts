import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ArchiveEntry, FOLDER, LINK, PROGRAM } from './cpio.ts';

/** The files of a small Linux: programs with their libraries, folders as they are, and what the caller writes. */
export class FileSystem {
  readonly #entries = new Map<string, ArchiveEntry>();

  get entries(): readonly ArchiveEntry[] {
    return [...this.#entries.values()];
  }

  folder(path: string): void {
    const clean = path.replace(/^\/+/, '');
    if (clean === '' || clean === '.' || this.#entries.has(clean)) return;
    this.folder(dirname(clean));
    this.#entries.set(clean, { path: clean, mode: FOLDER });
  }

  write(path: string, text: string): void {
    this.#put(path, PROGRAM, Buffer.from(text));
  }

  /** A program of this machine, by name or path, at its own path or another one, with the libraries it is linked to. */
  program(name: string, at?: string): void {
    const found = name.includes('/')
      ? name
      : execFileSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${name}`], {
          encoding: 'utf8',
        }).trim();
    this.#put(at ?? `/bin/${name}`, PROGRAM, readFileSync(realpathSync(found)));
    const linked = execFileSync('ldd', [realpathSync(found)], { encoding: 'utf8' });
    for (const [, library = ''] of linked.matchAll(/(\/\S+) \(0x/g)) {
      this.#put(library, PROGRAM, readFileSync(realpathSync(library)));
    }
  }

  /** A folder of this machine with all that is in it and wanted. */
  tree(source: string, at: string, isWanted: (path: string) => boolean = () => true): void {
    this.folder(at);
    for (const name of readdirSync(source)) {
      const [from, to] = [join(source, name), join(at, name)];
      if (!isWanted(from)) continue;
      const stat = lstatSync(from);
      if (stat.isDirectory()) this.tree(from, to, isWanted);
      else if (stat.isSymbolicLink()) this.#put(to, LINK, Buffer.from(readlinkSync(from)));
      else this.#put(to, PROGRAM, readFileSync(from));
    }
  }

  #put(path: string, mode: number, data: Buffer): void {
    const clean = path.replace(/^\/+/, '');
    this.folder(dirname(clean));
    this.#entries.set(clean, { path: clean, mode, data });
  }
}
