import { createHash } from 'node:crypto';
import { matchImage, parseImage } from '@turnsole/kube/text/image-reference';
import type { InstalledImage } from './image-entry.ts';

/** A command of this machine that stands for an image. */
export interface StandIn {
  readonly entry: InstalledImage;
  /** Stable for the same entry: `<name>@sha256:<digest of the entry>`. */
  readonly imageID: string;
  /** Whether it stands for an image that anybody may mean, such as a shell: one of that name in the store wins. */
  readonly isGeneral: boolean;
}

/**
 * Finds what stands for an image.
 *
 * Names are compared without registry, tag and digest, unless the catalogue's own name has them: a catalogue name
 * `shop:2` stands for that tag only, `registry.example/shop` for that registry only, `shop` for all of them. The most
 * exact name wins; among equals the user's before the built-in ones.
 */
export class ImageCatalogue {
  readonly #entries: Entry[] = [];

  /**
   * Names must be image names.
   *
   * @param general stand-ins for images that anybody may mean
   * @param own those of the user and of the cluster's own programs, which win over them
   */
  constructor(
    general: ReadonlyMap<string, InstalledImage>,
    own: ReadonlyMap<string, InstalledImage> = new Map(),
  ) {
    for (const catalogue of [general, own]) {
      for (const [name, entry] of catalogue) {
        if (parseImage(name) === undefined) {
          throw new TypeError(`cannot add image ${JSON.stringify(name)}: not an image name; use name[:tag]`);
        }
        this.#entries.unshift({ name, entry, isGeneral: catalogue === general });
      }
    }
  }

  /** All of it, as its constructor takes it. */
  entries(): ReadonlyMap<string, InstalledImage> {
    // The first of a name is the one that wins, so it is set last.
    return new Map(this.#entries.map(({ name, entry }) => [name, entry] as const).reverse());
  }

  /** Gives what stands for `image`, or undefined. */
  find(image: string): StandIn | undefined {
    let best: (Entry & { readonly exactness: number }) | undefined;
    for (const candidate of this.#entries) {
      const { name } = candidate;
      const exactness = matchImage(name, image);
      if (exactness > 0 && exactness > (best?.exactness ?? 0)) best = { ...candidate, exactness };
    }
    if (best === undefined) return undefined;
    const digest = createHash('sha256').update(JSON.stringify(best.entry)).digest('hex');
    const imageID = `${best.name.split('@')[0]}@sha256:${digest}`;
    return { entry: best.entry, imageID, isGeneral: best.isGeneral };
  }
}

interface Entry {
  readonly name: string;
  readonly entry: InstalledImage;
  readonly isGeneral: boolean;
}

/**
 * The sentence for an image that nothing stands for where containers of images cannot run: why, and what to do; pure.
 *
 * @param missing why they cannot, as half a sentence
 */
export function noImageMessage(image: string, missing: string): string {
  if (parseImage(image) === undefined) {
    return `failed to parse image name ${JSON.stringify(image)}: not of the form name[:tag][@digest]`;
  }
  return (
    `failed to resolve image ${JSON.stringify(image)}: no command of this machine stands for it, and ${missing}; ` +
    `name a command for it: --image ${parseImage(image)?.path ?? image}=COMMAND`
  );
}
