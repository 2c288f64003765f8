/** Which images go when a store is too large. Pure. */

/** An image as far as this decision needs it. Parts are blobs and unpacked layers, which images share. */
interface PrunableImage {
  readonly digest: string;
  readonly usedAt: number;
  readonly isHeld: boolean;
  /** Names of its parts. */
  readonly parts: readonly string[];
}

/**
 * Gives the images to remove, those that were used longest ago first, until the parts of the others have at most `maxBytes`; nothing when they have
 * that already. Images that are held stay, whatever is left then.
 *
 * @param bytesOf bytes of each part
 */
export function planPrune(
  images: readonly PrunableImage[],
  bytesOf: ReadonlyMap<string, number>,
  maxBytes: number,
): string[] {
  const users = new Map<string, number>();
  for (const { parts } of images)
    for (const part of new Set(parts)) users.set(part, (users.get(part) ?? 0) + 1);
  let total = [...users.keys()].reduce((sum, part) => sum + (bytesOf.get(part) ?? 0), 0);
  const removed: string[] = [];
  const oldest = images.filter(({ isHeld }) => !isHeld).toSorted((a, b) => a.usedAt - b.usedAt);
  for (const { digest, parts } of oldest) {
    if (total <= maxBytes) break;
    removed.push(digest);
    for (const part of new Set(parts)) {
      const left = (users.get(part) ?? 1) - 1;
      users.set(part, left);
      if (left === 0) total -= bytesOf.get(part) ?? 0;
    }
  }
  return removed;
}
