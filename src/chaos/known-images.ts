import { matchImage } from '@turnsole/kube/text/image-reference';
import { splitList } from '@turnsole/kube/text/split-list';

/**
 * Environment variable that lists, for operator and runners, the images known to keep what Turnsole promises: names
 * separated by commas; `!name` is an exception. A name without registry or tag stands for all of them.
 */
export const KNOWN_IMAGES_VARIABLE = 'TURNSOLE_KNOWN_IMAGES';

/** Reads the variable. Pure. */
export function knownImagesOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return splitList(env[KNOWN_IMAGES_VARIABLE] ?? '');
}

/** The list as the variable has it. Pure. */
export function knownImagesText(known: readonly string[]): string {
  return known.join(',');
}

/**
 * Whether an image is known to be Turnsole's, or to keep the same promises. The most exact name decides; an exception wins over a
 * name that is as exact. Pure.
 */
export function isKnownImage(image: string, known: readonly string[]): boolean {
  let best = { exactness: 0, isKnown: false };
  for (const entry of known) {
    const isKnown = !entry.startsWith('!');
    const name = isKnown ? entry : entry.slice(1);
    const exactness = name === image ? Number.POSITIVE_INFINITY : matchImage(name, image);
    const isBetter = exactness > best.exactness || (exactness === best.exactness && !isKnown);
    if (exactness > 0 && isBetter) best = { exactness, isKnown };
  }
  return best.isKnown;
}
