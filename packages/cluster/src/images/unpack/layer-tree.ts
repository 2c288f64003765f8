/**
 * The folder that a layer is unpacked into. Nothing is ever written through a link: each folder on the way to a path is looked at, and must be a
 * folder that this layer has made. What other users could change meanwhile is not there: the folder is this user's alone until it is whole.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { AttributeWriter } from './attributes.ts';
import type { Attributes } from './entry.ts';
import { LayerProblem } from './layer-problem.ts';
import type { LowerView } from './lower-view.ts';

/** While it is written; its own rights come last. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** Of a folder that no layer describes. */
const PLAIN_FOLDER = 0o755;
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;

interface LayerTreeOptions {
  /** An empty folder. */
  readonly root: string;
  readonly lower: LowerView;
  readonly attributes: AttributeWriter;
}

export class LayerTree {
  readonly root: string;
  readonly #lower: LowerView;
  readonly #attributes: AttributeWriter;
  /** Folders of this layer, by path: what they get when everything in them is there. */
  readonly #folders = new Map<string, Attributes>();

  constructor({ root, lower, attributes }: LayerTreeOptions) {
    this.root = root;
    this.#lower = lower;
    this.#attributes = attributes;
    this.#folders.set('', this.#inherited(''));
  }

  /** Makes a folder, or gives one that is there other attributes. */
  folder(path: string, attributes: Attributes): void {
    if (!this.#folders.has(path)) {
      this.#clear(path);
      mkdirSync(this.at(path), { mode: PRIVATE_FOLDER });
    }
    this.#folders.set(path, attributes);
  }

  /** Makes an empty file and opens it; {@link closeFile} ends it. */
  openFile(path: string): number {
    this.#clear(path);
    return openSync(this.at(path), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, PRIVATE_FILE);
  }

  writeFile(file: number, content: Uint8Array): void {
    for (let done = 0; done < content.length; ) done += writeSync(file, content, done);
  }

  closeFile(file: number, path: string, attributes: Attributes): void {
    try {
      this.#attributes.ofFile(file, path, attributes);
    } finally {
      closeSync(file);
    }
  }

  giveUp(file: number): void {
    closeSync(file);
  }

  link(path: string, target: string, attributes: Attributes): void {
    this.#clear(path);
    symlinkSync(target, this.at(path));
    this.#attributes.ofLink(this.at(path), path, attributes);
  }

  /**
   * Gives a file of this layer another name. One of a layer below is copied, as changing its number of links would change that layer.
   *
   * @throws LayerProblem when there is no such file
   */
  hardLink(path: string, target: string): void {
    if (path === target) return;
    const own = this.#own(target);
    if (own !== undefined && !own.isDirectory()) {
      this.#clear(path);
      linkSync(this.at(target), this.at(path));
      return;
    }
    const below = own === undefined ? this.#lower.find(target) : undefined;
    if (below === undefined || !(below.stats.isFile() || below.stats.isSymbolicLink())) {
      throw new LayerProblem(
        'wrong-content',
        `${JSON.stringify(path)} is a link to ${JSON.stringify(target)}, which is no file of the image`,
      );
    }
    this.#clear(path);
    this.#copy(below.path, path, below.stats);
  }

  /** Makes room for something that others make, and says where. */
  place(path: string): string {
    this.#clear(path);
    return this.at(path);
  }

  /** What this layer has at a path, found without following a link; undefined when nothing. */
  #own(path: string): Stats | undefined {
    if (this.#folders.has(path)) return lstatSync(this.at(path));
    const above = dirname(path);
    if (above !== '.' && !this.#folders.has(above)) return undefined;
    return lstatSync(this.at(path), { throwIfNoEntry: false });
  }

  /** Whether this layer has something at a path, and whether that is a folder. */
  kindOf(path: string): 'folder' | 'other' | undefined {
    const own = this.#own(path);
    return own && (own.isDirectory() ? 'folder' : 'other');
  }

  /** Gives folders their attributes, those within others first: making something in a folder changes its time. */
  finish(): void {
    const depth = (path: string): number => (path === '' ? 0 : path.split('/').length);
    const deepest = [...this.#folders].toSorted(([a], [b]) => depth(b) - depth(a));
    for (const [path, attributes] of deepest) this.#attributes.ofPath(this.at(path), path, attributes);
  }

  /** Where a path of the layer is on this machine. */
  at(path: string): string {
    return join(this.root, path);
  }

  /** Makes sure that the folders above a path are there, and nothing at it. */
  #clear(path: string): void {
    if (path === '') throw new LayerProblem('refused', 'an entry would replace the root');
    const above = dirname(path);
    if (above !== '.') this.#ensureFolder(above);
    const found = lstatSync(this.at(path), { throwIfNoEntry: false });
    if (found === undefined) return;
    // As tar does: a later entry replaces what an earlier one made.
    rmSync(this.at(path), { recursive: true });
    if (!found.isDirectory()) return;
    for (const folder of this.#folders.keys()) {
      if (folder === path || folder.startsWith(`${path}/`)) this.#folders.delete(folder);
    }
  }

  #ensureFolder(path: string): void {
    if (this.#folders.has(path)) return;
    const above = dirname(path);
    if (above !== '.') this.#ensureFolder(above);
    const found = lstatSync(this.at(path), { throwIfNoEntry: false });
    if (found !== undefined) {
      const what = found.isSymbolicLink() ? 'the link' : 'the file';
      throw new LayerProblem('refused', `it would write through ${what} ${JSON.stringify(path)}`);
    }
    mkdirSync(this.at(path), { mode: PRIVATE_FOLDER });
    this.#folders.set(path, this.#inherited(path));
  }

  /** Attributes of a folder that the layer does not describe: it must not change those that layers below give it. */
  #inherited(path: string): Attributes {
    const below = this.#lower.find(path)?.stats;
    if (below?.isDirectory() === true) return attributesOf(below);
    return { uid: 0, gid: 0, mode: PLAIN_FOLDER, mtime: 0, xattrs: {} };
  }

  #copy(from: string, path: string, stats: Stats): void {
    const to = this.at(path);
    if (stats.isSymbolicLink()) {
      symlinkSync(readlinkSync(from), to);
      this.#attributes.ofLink(to, path, attributesOf(stats));
      return;
    }
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const file = openSync(to, O_WRONLY | O_NOFOLLOW);
    this.closeFile(file, path, attributesOf(stats));
  }
}

/** Without extended ones, which Node does not show. */
function attributesOf(stats: Stats): Attributes {
  return {
    uid: stats.uid,
    gid: stats.gid,
    mode: stats.mode & 0o7777,
    mtime: stats.mtimeMs / 1000,
    xattrs: {},
  };
}
