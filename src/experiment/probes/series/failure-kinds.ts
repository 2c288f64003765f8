/** More kinds than these are counted together: a server may answer with as many different words as it likes. */
const MOST_KINDS = 12;
const MOST_CHARACTERS = 80;
/** The kind of those that are not told apart any more. */
const OTHER = 'other';

/** How many measurements failed in which way; bounded, with exact counts. */
export class FailureKinds {
  readonly #counts = new Map<string, number>();

  /** @param kind in words that follow a number: `refused`, `no answer in 1 s`, `status 503` */
  add(kind: string, times = 1): void {
    const short = kind.length > MOST_CHARACTERS ? `${kind.slice(0, MOST_CHARACTERS)}…` : kind;
    const isKnown = this.#counts.has(short) || this.#counts.size < MOST_KINDS;
    const counted = isKnown ? short : OTHER;
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + times);
  }

  /** The most frequent ones first. */
  list(): { kind: string; count: number }[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count);
  }

  /** Adds all of another. */
  merge(other: FailureKinds): void {
    for (const [kind, count] of other.#counts) this.add(kind, count);
  }

  copy(): FailureKinds {
    const copy = new FailureKinds();
    copy.merge(this);
    return copy;
  }
}
