/** More of one text is not shown. */
const MOST_CHARACTERS = 1_000;

/** Keeps lists within bounds, and counts the entries that are left out. */
export class Bounds {
  leftOut = 0;

  /** The first of a list. */
  first<T>(all: readonly T[], most: number): readonly T[] {
    this.leftOut += Math.max(0, all.length - most);
    return all.slice(0, most);
  }

  /** A text, cut where it is long. */
  text(whole: string): string {
    return whole.length <= MOST_CHARACTERS ? whole : `${whole.slice(0, MOST_CHARACTERS)}…`;
  }
}
