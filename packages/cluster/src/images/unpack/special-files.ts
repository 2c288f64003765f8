/** Devices and pipes of a layer, made by the programs of the machine when all else is there: Node makes none. They are rare. */
import { linkSync } from 'node:fs';
import type { AttributeWriter } from './attributes.ts';
import type { SpecialEntry } from './entry.ts';
import type { LayerTree } from './layer-tree.ts';
import type { UnpackNotes } from './notes.ts';
import { runProgram } from './run-program.ts';

export class SpecialFiles {
  readonly #tree: LayerTree;
  readonly #attributes: AttributeWriter;
  readonly #notes: UnpackNotes;
  /** By path; further names are kept as the path of the first. */
  readonly #files = new Map<string, SpecialEntry | string>();

  constructor(tree: LayerTree, attributes: AttributeWriter, notes: UnpackNotes) {
    this.#tree = tree;
    this.#attributes = attributes;
    this.#notes = notes;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  add(entry: SpecialEntry): void {
    this.#tree.place(entry.path);
    this.#files.set(entry.path, entry);
  }

  link(path: string, target: string): void {
    this.#tree.place(path);
    this.#files.set(path, target);
  }

  /** Makes them. Those that this user may not make are told. */
  async make(): Promise<void> {
    const missing = new Set<string>();
    for (const [path, file] of this.#files) {
      // A later entry may have taken its place.
      if (this.#tree.kindOf(path) !== undefined) continue;
      const at = this.#tree.place(path);
      if (typeof file === 'string') {
        if (!missing.has(file)) linkSync(this.#tree.at(file), at);
        continue;
      }
      const { code, errors } = await runProgram(commandOf(file, at));
      if (code === 0) this.#attributes.ofPath(at, path, file.attributes);
      else {
        missing.add(path);
        this.#notes.add(`devices are left out: ${errors.trim().split('\n')[0] ?? ''}`);
      }
    }
  }
}

function commandOf(file: SpecialEntry, at: string): string[] {
  if (file.kind === 'device') {
    const { type, major, minor } = file;
    return ['mknod', '-m', '600', at, type, String(major), String(minor)];
  }
  return ['mkfifo', '-m', '600', at];
}
