/** The changes after `revision` are not kept any more: the caller has to list again. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
  readonly revision: number;
  readonly compacted: number;

  constructor(revision: number, compacted: number) {
    super(`too old resource version: ${revision} (${compacted})`);
    this.revision = revision;
    this.compacted = compacted;
  }
}

/** The caller asks for a revision that was never reached. */
export class FutureRevisionError extends Error {
  override readonly name = 'FutureRevisionError';
  readonly revision: number;
  readonly current: number;

  constructor(revision: number, current: number) {
    super(`Too large resource version: ${revision}, current: ${current}`);
    this.revision = revision;
    this.current = current;
  }
}

/** A broken invariant: a mistake of the program, never of a user. */
export class StoreInvariantError extends Error {
  override readonly name = 'StoreInvariantError';
}

/** An object is larger than anything may be in a store. Nothing was changed. */
export class ObjectTooLargeError extends Error {
  override readonly name = 'ObjectTooLargeError';
  /** Bytes of its JSON. */
  readonly bytes: number;

  constructor(table: string, key: string, bytes: number, limit: number) {
    super(`write ${table} ${key}: the object has ${bytes} bytes of JSON, and ${limit} is the limit`);
    this.bytes = bytes;
  }
}
