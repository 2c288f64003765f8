/** Unpacks one layer into a folder. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { extract } from 'tar-stream';
import { SpentPieces } from '../spent-pieces.ts';
import { AttributeWriter } from './attributes.ts';
import { type FileEntry, type LayerEntry, readEntry } from './entry.ts';
import { expandLayer } from './expand.ts';
import { LayerProblem } from './layer-problem.ts';
import { LayerTree } from './layer-tree.ts';
import { checkExpansion } from './limits.ts';
import { LowerView } from './lower-view.ts';
import { UnpackNotes } from './notes.ts';
import type { UnpackedLayer, UnpackOrder } from './protocol.ts';
import { Removals } from './removals.ts';
import { SpecialFiles } from './special-files.ts';
import { Whiteouts } from './whiteouts.ts';
import { XattrList } from './xattrs.ts';

/**
 * Unpacks a layer into a folder that this makes: with owners, rights, times, links, devices, and extended attributes, as far as this process may; the rest is told in
 * the notes. The folder is to be thrown away when it rejects.
 *
 * @param onRead receives the bytes of the blob that were read so far
 * @throws LayerProblem for an archive that is refused, damaged, or not what `diffId` says; errors of the file system as they are
 */
export async function unpackLayer(
  order: UnpackOrder,
  onRead: (bytes: number) => void = () => {},
): Promise<UnpackedLayer> {
  const { root, lowers } = order;
  mkdirSync(root, { mode: 0o700 });
  const notes = new UnpackNotes();
  const xattrs = new XattrList(notes);
  const attributes = new AttributeWriter(notes, xattrs);
  const lower = new LowerView(lowers);
  const tree = new LayerTree({ root, lower, attributes });
  const removals = new Removals(lower);
  const specials = new SpecialFiles(tree, attributes, notes);
  const bytes = await readEntries(order, onRead, { tree, removals, specials, notes });
  removals.write(tree, new Whiteouts(order.whiteouts));
  await specials.make();
  await xattrs.apply(root);
  tree.finish();
  return { bytes, notes: notes.sentences() };
}

interface Sinks {
  readonly tree: LayerTree;
  readonly removals: Removals;
  readonly specials: SpecialFiles;
  readonly notes: UnpackNotes;
}

async function readEntries(
  order: UnpackOrder,
  onRead: (bytes: number) => void,
  sinks: Sinks,
): Promise<number> {
  const entries = extract();
  // Its errors are thrown where entries are read.
  const feeding = feed(order, onRead, entries).catch((error: unknown) => {
    entries.destroy(error as Error);
    throw error;
  });
  feeding.catch(() => {});
  let bytes = 0;
  let count = 0;
  try {
    for await (const source of entries) {
      count += 1;
      if (count > order.limits.entries) {
        throw new LayerProblem('refused', `it has more than ${order.limits.entries} entries`);
      }
      const { header } = source;
      if (header.name.includes('\ufffd'))
        sinks.notes.add('names that are no UTF-8 have other characters in them');
      const entry = readEntry(header);
      if (entry.kind === 'file') {
        bytes += header.size;
        await writeFile(sinks.tree, entry, source as AsyncIterable<Uint8Array>);
      } else {
        put(entry, sinks);
        source.resume();
      }
    }
    await feeding;
  } catch (error) {
    entries.destroy(new Error('given up'));
    // What went wrong on the way in is the reason for what went wrong here.
    await feeding.catch((cause: unknown) => {
      if (cause instanceof LayerProblem) throw cause;
    });
    throw asProblem(error);
  }
  return bytes;
}

/** Hands the expanded archive on, piece by piece, and makes sure that it is the right one. */
async function feed(
  { blob, diffId, limits }: UnpackOrder,
  onRead: (bytes: number) => void,
  entries: ReturnType<typeof extract>,
): Promise<void> {
  const hash = createHash('sha256');
  const spent = new SpentPieces();
  let read = 0;
  let expanded = 0;
  const pieces = expandLayer(blob, (bytes) => {
    read = bytes;
    onRead(bytes);
  });
  for await (const piece of pieces) {
    expanded += piece.length;
    checkExpansion(limits, read, expanded);
    hash.update(piece);
    if (entries.destroyed) return;
    if (!entries.write(piece)) await drained(entries);
    spent.add(piece.length);
  }
  const found = `sha256:${hash.digest('hex')}`;
  if (found !== diffId) {
    throw new LayerProblem(
      'wrong-content',
      `its content is ${found}, and the image's configuration says ${diffId}`,
    );
  }
  entries.end(null);
}

function drained(entries: ReturnType<typeof extract>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      entries.off('drain', done);
      entries.off('close', done);
      resolve();
    };
    entries.on('drain', done);
    entries.on('close', done);
  });
}

async function writeFile(
  tree: LayerTree,
  { path, attributes }: FileEntry,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = tree.openFile(path);
  try {
    for await (const piece of content) tree.writeFile(file, piece);
  } catch (error) {
    tree.giveUp(file);
    throw error;
  }
  tree.closeFile(file, path, attributes);
}

function put(entry: Exclude<LayerEntry, { kind: 'file' }>, { tree, removals, specials }: Sinks): void {
  switch (entry.kind) {
    case 'directory':
      return tree.folder(entry.path, entry.attributes);
    case 'symlink':
      return tree.link(entry.path, entry.target, entry.attributes);
    case 'hardlink':
      return specials.has(entry.target)
        ? specials.link(entry.path, entry.target)
        : tree.hardLink(entry.path, entry.target);
    case 'fifo':
    case 'device':
      return specials.add(entry);
    case 'removal':
      return removals.remove(entry.path);
    case 'opaque':
      return removals.empty(entry.path);
    default:
      return;
  }
}

/** Errors of the archive's form; those of the file system have a code. */
function asProblem(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof LayerProblem || code !== undefined) return error;
  return new LayerProblem('wrong-content', `it is no whole tar: ${message}`, { cause: error });
}
