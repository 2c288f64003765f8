/** One store of artifacts. Paths are of this machine, keys of the store. */
export interface ArtifactStore {
  /** Its name in messages: `bucket b at minio:9000`. */
  readonly name: string;
  /**
   * Puts what lies at the key to the path, which is not there yet: a file, or a folder with everything below the key.
   *
   * @returns whether something lies there
   */
  fetch(key: string, path: string, signal: AbortSignal): Promise<boolean>;
  /** Stores a file, or every file of a folder below the key. */
  store(path: string, key: string, signal: AbortSignal): Promise<void>;
  /** The keys that begin with the prefix, in order. */
  list(prefix: string, signal: AbortSignal): Promise<string[]>;
  /** Deletes everything at the key or below it; a missing object is no error. */
  remove(key: string, signal: AbortSignal): Promise<void>;
}

/** The value of a Secret's key. @throws Error when it is not there */
export type ReadSecret = (reference: { readonly name: string; readonly key: string }) => Promise<string>;

/** An operation that the store does not have. */
export class NotPossibleError extends Error {
  override readonly name = 'NotPossibleError';
}
