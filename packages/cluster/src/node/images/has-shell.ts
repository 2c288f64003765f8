import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageSources } from './image-sources.ts';

/** Where /bin/sh of an image may lie: /bin may be a link to /usr/bin, which another layer has. */
const PLACES = ['bin/sh', 'usr/bin/sh'];

/**
 * Whether containers of an image find /bin/sh; undefined where that is not known, as of an image that is not there. A command of this machine
 * that stands for an image has the shell of the machine.
 *
 * @throws ImageError when the store cannot be read
 */
export async function hasShell(
  { catalogue, stored }: ImageSources,
  image: string,
): Promise<boolean | undefined> {
  if (catalogue.find(image) !== undefined) return true;
  if ('missing' in stored || !stored.mayHaveAny()) return undefined;
  const store = await stored.open();
  const found = await store.find(image);
  if (found === undefined) return undefined;
  await using lease = await store.lease(found);
  return lease.layers.some((layer) => PLACES.some((place) => existsSync(join(layer, place))));
}
