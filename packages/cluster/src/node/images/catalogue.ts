import { createHash } from 'node:crypto';
import { matchImage, parseImage } from '@turnsole/kube/text/image-reference';
import type { InstalledImage } from './image-entry.ts';

/** An image that was found. */
export interface ResolvedImage {
  readonly entry: InstalledImage;
  /** Stable for the same entry: `<name>@sha256:<digest of the entry>`. */
  readonly imageID: string;
}

/**
 * Finds what stands for an image.
 *
 * Names are compared without registry, tag and digest, unless the catalogue's own name has them: a catalogue name
 * `shop:2` stands for that tag only, `registry.example/shop` for that registry only, `shop` for all of them. The most
 * exact name wins; among equals the user's before the built-in ones.
 */
export class ImageCatalogue {
  readonly #entries: { readonly name: string; readonly entry: InstalledImage }[] = [];

  /** Later catalogues win over earlier ones. Names must be image names. */
  constructor(...catalogues: readonly ReadonlyMap<string, InstalledImage>[]) {
    for (const catalogue of catalogues) {
      for (const [name, entry] of catalogue) {
        if (parseImage(name) === undefined) {
          throw new TypeError(`cannot add image ${JSON.stringify(name)}: not an image name; use name[:tag]`);
        }
        this.#entries.unshift({ name, entry });
      }
    }
  }

  /** Gives what stands for `image`, or undefined. */
  find(image: string): ResolvedImage | undefined {
    let best: { name: string; entry: InstalledImage; exactness: number } | undefined;
    for (const { name, entry } of this.#entries) {
      const exactness = matchImage(name, image);
      if (exactness > 0 && exactness > (best?.exactness ?? 0)) best = { name, entry, exactness };
    }
    if (best === undefined) return undefined;
    const digest = createHash('sha256').update(JSON.stringify(best.entry)).digest('hex');
    return { entry: best.entry, imageID: `${best.name.split('@')[0]}@sha256:${digest}` };
  }
}

/** The sentence for an image that is not in the catalogue: what was looked for and how to add it; pure. */
export function unknownImageMessage(image: string): string {
  if (parseImage(image) === undefined) {
    return `failed to parse image name ${JSON.stringify(image)}: not of the form name[:tag][@digest]`;
  }
  return (
    `failed to resolve image ${JSON.stringify(image)}: the embedded cluster runs images from its catalogue and pulls ` +
    `none; add it with --image ${parseImage(image)?.path ?? image}=COMMAND`
  );
}
