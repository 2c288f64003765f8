import type { SpoolRecord } from './record.ts';

/** What waits to be handed over. */
export interface SpoolEntry {
  readonly sequence: number;
  readonly key: string;
  readonly isFinal: boolean;
  /** Where its record lies in the file. */
  readonly position: number;
  /** Size of its record. */
  readonly bytes: number;
}

interface Slot {
  entry: SpoolEntry;
  /** In line. */
  place: number;
  /** Whether it is being handed over: then it is not replaced. */
  isTaken: boolean;
  /** Place of the one that would have replaced it, had it not been taken. */
  newerPlace?: number;
}

/**
 * The waiting entries, in the order in which they are handed over. A newer entry takes the place in line of a waiting one of its key, so
 * that a key that changes all the time does not go to the end of the line each time; it never replaces a final entry, and one that is taken
 * only when that comes back.
 */
export class Waiting {
  readonly #slots = new Map<number, Slot>();
  /** By key: the last entry, where it may be replaced. */
  readonly #replaceable = new Map<string, Slot>();
  /** Sequence by key of final entries after which nothing has come. */
  readonly #finals = new Map<string, number>();
  /** Place in line by sequence. */
  readonly #places = new Map<number, number>();
  #nextPlace = 0;
  #bytes = 0;

  /** Size of the records of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Whether the last entry of a key is a final one, and waits. */
  hasFinal(key: string): boolean {
    return this.#finals.has(key);
  }

  /** In the order of handing over. */
  *entries(): Generator<SpoolEntry> {
    for (const { entry } of this.#slots.values()) yield entry;
  }

  /** The entry that a new one of this key would replace. */
  replacedBy(key: string): SpoolEntry | undefined {
    const slot = this.#replaceable.get(key);
    return slot === undefined || slot.isTaken ? undefined : slot.entry;
  }

  add({ kind, sequence, key }: SpoolRecord, position: number, bytes: number): void {
    const entry: SpoolEntry = { sequence, key, isFinal: kind === 'final', position, bytes };
    const known = this.#replaceable.get(key);
    const place = known === undefined || known.isTaken ? this.#nextPlace++ : known.place;
    if (known?.isTaken === true) known.newerPlace = place;
    else if (known !== undefined) this.#forget(known.entry);
    const slot: Slot = { entry, place, isTaken: false };
    this.#slots.set(place, slot);
    this.#places.set(sequence, place);
    if (entry.isFinal) {
      this.#replaceable.delete(key);
      this.#finals.set(key, sequence);
    } else {
      this.#replaceable.set(key, slot);
      this.#finals.delete(key);
    }
    this.#bytes += bytes;
  }

  /** The entry as it is now: its record may have moved. Undefined when it waits no more. */
  current({ sequence }: SpoolEntry): SpoolEntry | undefined {
    return this.#slotOf(sequence)?.entry;
  }

  /** Keeps an entry from being replaced while it is handed over. */
  take({ sequence }: SpoolEntry): void {
    const slot = this.#slotOf(sequence);
    if (slot !== undefined) slot.isTaken = true;
  }

  /** It waits again, or, where a newer one of its key has come meanwhile, that one in its place. */
  release({ sequence }: SpoolEntry): void {
    const slot = this.#slotOf(sequence);
    if (slot === undefined) return;
    slot.isTaken = false;
    const newer = this.#slots.get(slot.newerPlace ?? -1);
    if (newer === undefined || newer.isTaken) return;
    this.#forget(slot.entry);
    this.#slots.delete(newer.place);
    newer.place = slot.place;
    this.#slots.set(newer.place, newer);
    this.#places.set(newer.entry.sequence, newer.place);
  }

  remove(sequence: number): SpoolEntry | undefined {
    const slot = this.#slotOf(sequence);
    if (slot === undefined) return undefined;
    this.#slots.delete(slot.place);
    if (this.#replaceable.get(slot.entry.key)?.entry.sequence === sequence) {
      this.#replaceable.delete(slot.entry.key);
    }
    if (this.#finals.get(slot.entry.key) === sequence) this.#finals.delete(slot.entry.key);
    this.#forget(slot.entry);
    return slot.entry;
  }

  /** Its record has been copied to another place. */
  moved(entry: SpoolEntry, position: number): void {
    const slot = this.#slotOf(entry.sequence);
    if (slot !== undefined) slot.entry = { ...slot.entry, position };
  }

  /** The oldest entries of other keys that may go so that this many bytes become free; all of them where that is not enough. */
  toDrop(bytes: number, key: string): SpoolEntry[] {
    const dropped: SpoolEntry[] = [];
    let freed = 0;
    for (const { entry, isTaken } of this.#slots.values()) {
      if (freed >= bytes) break;
      if (entry.isFinal || isTaken || entry.key === key) continue;
      dropped.push(entry);
      freed += entry.bytes;
    }
    return dropped;
  }

  #slotOf(sequence: number): Slot | undefined {
    return this.#slots.get(this.#places.get(sequence) ?? -1);
  }

  #forget(entry: SpoolEntry): void {
    this.#places.delete(entry.sequence);
    this.#bytes -= entry.bytes;
  }
}
