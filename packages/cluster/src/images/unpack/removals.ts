/** What a layer removes of those below it, written as overlays want it: a whiteout for each name. */
import type { LayerTree } from './layer-tree.ts';
import type { LowerView } from './lower-view.ts';
import type { Whiteouts } from './whiteouts.ts';

/**
 * Collects removals while a layer is read, and writes them when all of its own files are there: a removal concerns the layers below only,
 * wherever it stands in the archive.
 *
 * A folder that is emptied could carry an attribute `opaque` instead. Which one, and whether it may be set, depends on the kernel and on the
 * rights of whoever mounts; whiteouts are the same for all.
 */
export class Removals {
  readonly #lower: LowerView;
  readonly #removed = new Set<string>();
  readonly #emptied = new Set<string>();

  constructor(lower: LowerView) {
    this.#lower = lower;
  }

  remove(path: string): void {
    this.#removed.add(path);
  }

  empty(folder: string): void {
    this.#emptied.add(folder);
  }

  write(tree: LayerTree, whiteouts: Whiteouts): void {
    for (const path of this.#removed) this.#hide(tree, path, whiteouts);
    for (const folder of this.#emptied) this.#hideContent(tree, folder, whiteouts);
  }

  /** Hides what is below at a path. What the layer has itself there hides it already, but for a folder: the two would be merged. */
  #hide(tree: LayerTree, path: string, whiteouts: Whiteouts): void {
    const own = tree.kindOf(path);
    if (own === 'folder') this.#hideContent(tree, path, whiteouts);
    else if (own === undefined && this.#lower.find(path) !== undefined) whiteouts.put(tree.place(path));
  }

  #hideContent(tree: LayerTree, folder: string, whiteouts: Whiteouts): void {
    for (const name of this.#lower.names(folder)) {
      this.#hide(tree, folder === '' ? name : `${folder}/${name}`, whiteouts);
    }
  }
}
