import { parseImage } from '@turnsole/kube/text/image-reference';
import { ImageError } from '../../images/errors.ts';
import { noImageMessage } from './catalogue.ts';
import type { ImageSources } from './image-sources.ts';
import { progressText } from './progress-text.ts';

/** How an image is brought. */
export interface BringOptions {
  /** Gets how far it is, as half a sentence, some ten times a second. */
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** `left` to the pods: the registry wants a name, which they may have in their Secrets. */
export type BroughtImage = 'there' | 'pulled' | 'left';

/** Where an image is that a pod would ask for: on this machine, at its registry, or nowhere that its containers could run from. */
export type ImagePlace = 'there' | 'registry' | 'nowhere';

/** Looks for an image without asking any registry. @throws ImageError when the store cannot be read */
export async function placeOfImage({ catalogue, stored }: ImageSources, image: string): Promise<ImagePlace> {
  if (catalogue.find(image) !== undefined) return 'there';
  if ('missing' in stored || parseImage(image) === undefined) return 'nowhere';
  if (!stored.mayHaveAny()) return 'registry';
  const store = await stored.open();
  return (await store.find(image)) === undefined ? 'registry' : 'there';
}

/**
 * Makes an image be there before any pod asks for it, with what this user knows of its registry. Does nothing for one that a command of this
 * machine stands for, or that is there.
 *
 * @throws ImageError, or Error with what to do where containers of images cannot run
 */
export async function bringImage(
  { catalogue, stored }: ImageSources,
  image: string,
  { onProgress, signal }: BringOptions = {},
): Promise<BroughtImage> {
  if (catalogue.find(image) !== undefined) return 'there';
  if ('missing' in stored || parseImage(image) === undefined) {
    throw new Error(noImageMessage(image, 'missing' in stored ? stored.missing : ''));
  }
  const store = await stored.open();
  if ((await store.find(image)) !== undefined) return 'there';
  try {
    await store.pull(image, { onProgress: (progress) => onProgress?.(progressText(progress)), signal });
    return 'pulled';
  } catch (error) {
    if (error instanceof ImageError && error.code === 'unauthorized') return 'left';
    throw error;
  }
}
