/** What an entry of a layer's tar asks for (OCI Image Layer Filesystem Changeset). Pure. */
import type { Header } from 'tar-stream';
import { LayerProblem } from './layer-problem.ts';

/** Owner, rights, times and extended attributes of what an entry makes. */
export interface Attributes {
  readonly uid: number;
  readonly gid: number;
  /** Twelve bits. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** By their names; values as text, which is how the library reads them. */
  readonly xattrs: Readonly<Record<string, string>>;
}

export interface FileEntry {
  readonly kind: 'file';
  readonly path: string;
  readonly attributes: Attributes;
}

/** What Node cannot make. */
export type SpecialEntry =
  | { readonly kind: 'fifo'; readonly path: string; readonly attributes: Attributes }
  | {
      readonly kind: 'device';
      readonly path: string;
      readonly type: 'b' | 'c';
      readonly major: number;
      readonly minor: number;
      readonly attributes: Attributes;
    };

/** Paths are relative to the root, without `.`, `..` and empty parts; that of the root is empty. */
export type LayerEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly attributes: Attributes }
  | FileEntry
  | SpecialEntry
  | {
      readonly kind: 'symlink';
      readonly path: string;
      readonly target: string;
      readonly attributes: Attributes;
    }
  | { readonly kind: 'hardlink'; readonly path: string; readonly target: string }
  /** What layers below have at this path is gone. */
  | { readonly kind: 'removal'; readonly path: string }
  /** What layers below have in this folder is gone. */
  | { readonly kind: 'opaque'; readonly path: string }
  /** Says nothing about the files of the image. */
  | { readonly kind: 'nothing' };

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
/** Names that AUFS kept for itself; archives still have them. */
const RESERVED = '.wh..wh.';
/** PATH_MAX and NAME_MAX of Linux. */
const LONGEST_PATH = 4_096;
const LONGEST_NAME = 255;
const XATTR = 'SCHILY.xattr.';

/**
 * Reads the header of an entry.
 *
 * @throws LayerProblem for paths that lead out of the root, and for kinds that no layer has
 */
export function readEntry(header: Header): LayerEntry {
  const path = relativePath(header.name, header.name);
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  const folder = parts.slice(0, -1).join('/');
  if (parts.some((part) => part.startsWith(RESERVED))) {
    return name === OPAQUE ? { kind: 'opaque', path: folder } : { kind: 'nothing' };
  }
  if (name.startsWith(WHITEOUT)) {
    const removed = name.slice(WHITEOUT.length);
    if (removed === '' || removed === '.' || removed === '..') {
      throw new LayerProblem('refused', `${quoted(header.name)} removes what has no name`);
    }
    return { kind: 'removal', path: [...parts.slice(0, -1), removed].join('/') };
  }
  return made(header, path);
}

function made(header: Header, path: string): LayerEntry {
  const { type } = header;
  if (path === '' && type !== 'directory') {
    throw new LayerProblem('refused', `${quoted(header.name)} is a ${String(type)} in place of the root`);
  }
  const attributes = attributesOf(header);
  switch (type) {
    case 'directory':
      return { kind: 'directory', path, attributes };
    case 'fifo':
      return { kind: 'fifo', path, attributes };
    case 'file':
    case 'contiguous-file':
      return { kind: 'file', path, attributes };
    case 'symlink':
      return { kind: 'symlink', path, target: header.linkname, attributes };
    case 'link':
      return { kind: 'hardlink', path, target: relativePath(header.linkname, header.name) };
    case 'character-device':
    case 'block-device': {
      const { devmajor: major, devminor: minor } = header;
      return { kind: 'device', path, type: type === 'block-device' ? 'b' : 'c', major, minor, attributes };
    }
    default:
      throw new LayerProblem(
        'unsupported',
        `${quoted(header.name)} is of a kind that is not known (sparse files are written out by tar without --sparse)`,
      );
  }
}

/** @param entry the name of the entry that is complained about */
function relativePath(given: string, entry: string): string {
  const of = given === entry ? '' : ` of ${quoted(entry)}`;
  if (given.startsWith('/')) {
    throw new LayerProblem(
      'refused',
      `${quoted(given)}${of} is an absolute path; paths of a layer are relative to its root`,
    );
  }
  if (given.includes('\0')) throw new LayerProblem('refused', `${quoted(given)}${of} has a NUL in it`);
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new LayerProblem('refused', `${quoted(given)}${of} has ".." in it`);
  const path = parts.join('/');
  if (
    Buffer.byteLength(path) >= LONGEST_PATH ||
    parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME)
  ) {
    throw new LayerProblem('refused', `${quoted(given)}${of} is longer than paths of Linux are`);
  }
  return path;
}

function attributesOf({ uid, gid, mode, mtime, pax }: Header): Attributes {
  const records = (pax ?? {}) as Readonly<Record<string, string>>;
  const xattrs = Object.entries(records)
    .filter(([key]) => key.startsWith(XATTR))
    .map(([key, value]) => [key.slice(XATTR.length), value] as const);
  return {
    uid: numberOf(records['uid'], uid),
    gid: numberOf(records['gid'], gid),
    mode: mode & 0o7777,
    mtime: numberOf(records['mtime'], mtime.getTime() / 1000),
    xattrs: Object.fromEntries(xattrs),
  };
}

function numberOf(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.isFinite(otherwise) ? otherwise : 0;
}

/** A path of an archive in a message: short, and without what a terminal would obey. */
function quoted(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
