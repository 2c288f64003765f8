/** Gives files the owners, rights, times and extended attributes that a layer says, and remembers what could not be given. */
import {
  chmodSync,
  chownSync,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  lutimesSync,
  utimesSync,
} from 'node:fs';
import type { Attributes } from './entry.ts';
import type { UnpackNotes } from './notes.ts';
import type { XattrList } from './xattrs.ts';

/** Errors of chown for owners that this process cannot give: no right to, or not in its map of ids. */
const NOT_GIVEN = ['EPERM', 'EINVAL', 'EOVERFLOW'];

export class AttributeWriter {
  readonly #notes: UnpackNotes;
  readonly #xattrs: XattrList;
  /** Owners `uid:gid` that were refused; what is refused once is refused always. */
  readonly #refused = new Set<string>();

  constructor(notes: UnpackNotes, xattrs: XattrList) {
    this.#notes = notes;
    this.#xattrs = xattrs;
  }

  ofFile(file: number, path: string, attributes: Attributes): void {
    const { mode, mtime } = attributes;
    this.#own(attributes, (uid, gid) => fchownSync(file, uid, gid));
    // After the owner, as changing that takes away the right to run as it.
    fchmodSync(file, mode);
    futimesSync(file, mtime, mtime);
    this.#xattrs.add(path, attributes.xattrs);
  }

  /** Of a folder, a device or a pipe, never of a link. */
  ofPath(at: string, path: string, attributes: Attributes): void {
    const { mode, mtime } = attributes;
    this.#own(attributes, (uid, gid) => chownSync(at, uid, gid));
    chmodSync(at, mode);
    utimesSync(at, mtime, mtime);
    this.#xattrs.add(path, attributes.xattrs);
  }

  ofLink(at: string, path: string, attributes: Attributes): void {
    this.#own(attributes, (uid, gid) => lchownSync(at, uid, gid));
    lutimesSync(at, attributes.mtime, attributes.mtime);
    this.#xattrs.add(path, attributes.xattrs);
  }

  #own({ uid, gid }: Attributes, give: (uid: number, gid: number) => void): void {
    const owner = `${uid}:${gid}`;
    if (!this.#refused.has(owner)) {
      try {
        give(uid, gid);
        return;
      } catch (error) {
        if (!NOT_GIVEN.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
        this.#refused.add(owner);
      }
    }
    this.#notes.ownerNotGiven(uid, gid);
  }
}
