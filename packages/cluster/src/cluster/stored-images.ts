import { existsSync } from 'node:fs';
import type { UndoStack } from '../base/undo-stack.ts';
import { imagesDirectory } from '../images/directory.ts';
import type { ImageStore } from '../images/types.ts';
import type { ImageSources, StoredImages } from '../node/index.ts';
import type { Host } from './host.ts';
import type { EmbeddedClusterOptions } from './types.ts';

/** The images that are no commands of this machine, where containers of them can run. */
export function storedImages(
  { isolated }: Pick<Host, 'isolated'>,
  { imageStore, onProblem }: Pick<EmbeddedClusterOptions, 'imageStore' | 'onProblem'>,
  stack: UndoStack,
): ImageSources['stored'] {
  if (isolated.isolation === undefined) {
    return { missing: `containers of images need isolation, which is not there: ${isolated.missing}` };
  }
  return imageStore ?? ownStore(onProblem, stack);
}

/** The user's own store, opened when it is first needed: most clusters have no image to run. */
function ownStore(onNote: ((sentence: string) => void) | undefined, stack: UndoStack): StoredImages {
  let opened: Promise<ImageStore> | undefined;
  stack.defer(async () => (await opened?.catch(() => undefined))?.close());
  return {
    mayHaveAny: () => existsSync(imagesDirectory()),
    open: () => {
      opened ??= openStore(onNote);
      return opened;
    },
  };
}

async function openStore(onNote: ((sentence: string) => void) | undefined): Promise<ImageStore> {
  const { openImageStore } = await import('../images/open-image-store.ts');
  return await openImageStore({ onNote });
}
