export { encodeVersion } from './encode.ts';
export { CompactedError, FutureRevisionError, ObjectTooLargeError, StoreInvariantError } from './errors.ts';
export { checkStore } from './self-check.ts';
export { Store } from './store.ts';
export type {
  Change,
  ChangeType,
  Journal,
  JournalListener,
  RestoredChange,
  RestoredState,
  Snapshot,
  StoreObject,
  StoreOptions,
  Version,
  WatchOptions,
} from './types.ts';
