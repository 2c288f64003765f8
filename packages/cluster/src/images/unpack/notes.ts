/** What of a layer could not be kept, counted while it is unpacked, as sentences for people. */

/** Owners that a sentence names; of more it says how many. */
const SHOWN_OWNERS = 8;

export class UnpackNotes {
  readonly #owners = new Map<string, number>();
  readonly #others = new Set<string>();

  /** Somebody else than the root of the image owns a file, and cannot here. That root's files are this user's, which is what it means. */
  ownerNotGiven(uid: number, gid: number): void {
    if (uid === 0 && gid === 0) return;
    const owner = `${uid}:${gid}`;
    this.#owners.set(owner, (this.#owners.get(owner) ?? 0) + 1);
  }

  add(sentence: string): void {
    this.#others.add(sentence);
  }

  sentences(): string[] {
    if (this.#owners.size === 0) return [...this.#others];
    const files = [...this.#owners.values()].reduce((sum, count) => sum + count, 0);
    const names = [...this.#owners.keys()];
    const more = names.length > SHOWN_OWNERS ? ` and ${names.length - SHOWN_OWNERS} more` : '';
    return [
      `${files} ${files === 1 ? 'file belongs' : 'files belong'} to this user instead of to ${names.slice(0, SHOWN_OWNERS).join(', ')}${more}: ` +
        'it has no other ids here (newuidmap with /etc/subuid gives some)',
      ...this.#others,
    ];
  }
}
