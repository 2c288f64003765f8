import type { ImageStore } from '../../images/types.ts';
import type { ImageCatalogue } from './catalogue.ts';

/** What the containers of all nodes take their images from. */
export interface ImageSources {
  readonly catalogue: ImageCatalogue;
  readonly stored: StoredImages | NoStoredImages;
}

/** The store of the user's images. */
export interface StoredImages {
  /** Whether it may have any image; a look at the disk. */
  mayHaveAny(): boolean;
  /** Opens it at the first call. */
  open(): Promise<ImageStore>;
}

/** Containers of images cannot run here. */
interface NoStoredImages {
  /** Why, as half a sentence. */
  readonly missing: string;
}
