/** What a store and the process that unpacks for it say to each other: a line of JSON for each thing. */
import type { ImageErrorCode } from '../errors.ts';
import type { UnpackLimits } from './limits.ts';

/** One layer to be unpacked. */
export interface UnpackOrder {
  /** The layer as it is stored. */
  readonly blob: string;
  /** `sha256:` and the digest of its tar, which the image's configuration names. */
  readonly diffId: string;
  /** A folder that is not there yet. */
  readonly root: string;
  /** Unpacked layers below it, the lowest first. */
  readonly lowers: readonly string[];
  /** Folder of the file that stands for what a layer removes, in the file system of `root`. */
  readonly whiteouts: string;
  readonly limits: UnpackLimits;
}

export interface UnpackedLayer {
  /** Bytes of its files. */
  readonly bytes: number;
  /** What could not be kept, as sentences. */
  readonly notes: readonly string[];
}

export type UnpackReport =
  /** Bytes of the blob that were read so far. */
  | { readonly read: number }
  | { readonly done: UnpackedLayer }
  /** `code` of an ImageError, when it is the layer's fault; `errno` when the machine's. */
  | {
      readonly failed: { readonly code?: ImageErrorCode; readonly errno?: string; readonly message: string };
    };
