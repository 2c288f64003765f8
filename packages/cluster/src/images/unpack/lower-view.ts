/** What the layers below show together, as an overlay of them would. Links are never followed. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** Something that the layers below show. */
interface LowerFile {
  /** On this machine. */
  readonly path: string;
  readonly stats: Stats;
}

export class LowerView {
  /** The topmost first. */
  readonly #roots: readonly string[];

  /** @param lowers unpacked layers, the lowest first */
  constructor(lowers: readonly string[]) {
    this.#roots = lowers.toReversed();
  }

  /** What is at a path; undefined when nothing is, or a layer has removed it. */
  find(path: string): LowerFile | undefined {
    for (const root of this.#roots) {
      const found = lookUp(root, path);
      if (found === 'below') continue;
      return found === 'hidden' ? undefined : found;
    }
    return undefined;
  }

  /** Names in a folder; none where there is no folder. */
  names(folder: string): Set<string> {
    const shown = new Set<string>();
    const removed = new Set<string>();
    for (const root of this.#roots) {
      const found = lookUp(root, folder);
      if (found === 'below') continue;
      if (found === 'hidden' || !found.stats.isDirectory()) break;
      for (const name of readdirSync(found.path)) {
        if (shown.has(name) || removed.has(name)) continue;
        (isWhiteout(lstatSync(join(found.path, name))) ? removed : shown).add(name);
      }
    }
    return shown;
  }
}

/** Looks in one layer: `below` when it has nothing to say about the path, `hidden` when it hides what lower ones have there. */
function lookUp(root: string, path: string): LowerFile | 'below' | 'hidden' {
  let at = root;
  let stats = lstatSync(root);
  for (const part of path.split('/').filter(Boolean)) {
    // A file or a link in the place of a folder: nothing is below it, here and in lower layers.
    if (!stats.isDirectory()) return 'hidden';
    at = join(at, part);
    const next = lstatSync(at, { throwIfNoEntry: false });
    if (next === undefined) return 'below';
    if (isWhiteout(next)) return 'hidden';
    stats = next;
  }
  return { path: at, stats };
}

/** The mark of overlays for what is removed: a character device 0/0. */
function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}
