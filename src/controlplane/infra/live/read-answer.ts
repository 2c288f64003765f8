import { isObject } from '@turnsole/kube/text/json';

/** Reads an agent's answer field by field: missing fields and those of another type are empty. */
export class AnswerReader {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    this.#fields = isObject(value) ? value : {};
  }

  /** A text, cut to the longest that an honest agent sends. */
  text(name: string): string {
    return this.textOrNull(name) ?? '';
  }

  textOrNull(name: string): string | null {
    const value = this.#fields[name];
    return typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : null;
  }

  /** A finite number; 0 for anything else. */
  number(name: string): number {
    return this.numberOrNull(name) ?? 0;
  }

  numberOrNull(name: string): number | null {
    const value = this.#fields[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }

  /** A whole number within GraphQL's `Int`. */
  count(name: string): number {
    return this.countOrNull(name) ?? 0;
  }

  countOrNull(name: string): number | null {
    const value = this.numberOrNull(name);
    return value === null ? null : Math.min(Math.max(Math.round(value), 0), 2 ** 31 - 1);
  }

  is(name: string): boolean {
    return this.#fields[name] === true;
  }

  /** One of these words; the first of them for anything else. */
  word<Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word {
    return words.find((one) => one === this.#fields[name]) ?? words[0];
  }

  of(name: string): AnswerReader {
    return new AnswerReader(this.#fields[name]);
  }

  /** The first entries of a list. */
  list<T>(name: string, read: (entry: AnswerReader) => T): T[] {
    return this.#entries(name).map((entry) => read(new AnswerReader(entry)));
  }

  texts(name: string): string[] {
    return this.#entries(name).map((entry) => String(entry).slice(0, MOST_CHARACTERS));
  }

  /** Numbers of a list; null if there is none. */
  numbersOrNull(name: string): number[] | null {
    if (!Array.isArray(this.#fields[name])) return null;
    return this.#entries(name).filter((entry): entry is number => Number.isFinite(entry));
  }

  #entries(name: string): unknown[] {
    const value = this.#fields[name];
    return Array.isArray(value) ? value.slice(0, MOST_ENTRIES) : [];
  }
}

const MOST_CHARACTERS = 4_000;
const MOST_ENTRIES = 200;
