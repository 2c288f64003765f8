export { encodeVersion } from './encode.ts';
export { CompactedError, FutureRevisionError, ObjectTooLargeError } from './errors.ts';
export { Store } from './store.ts';
export type { Change, ChangeType, Journal, Snapshot, StoreObject, Version } from './types.ts';
