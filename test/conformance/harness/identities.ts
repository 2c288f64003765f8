/**
 * Names for what differs in each run. An object keeps its token through a whole scenario, so that it still shows that
 * an owner reference names that object, that a write changed the resource version or that a name was made up.
 */
export class Identities {
  readonly #literals = new Map<string, string>();
  readonly #uidsOfName = new Map<string, number>();
  readonly #versions = new Map<string, string[]>();

  /** Learns the generated names and uids of a document, its parts included. */
  learn(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { metadata } = value as { metadata?: unknown };
    if (typeof metadata === 'object' && metadata !== null) this.#learnMetadata(metadata);
    for (const [, child] of sortedEntries(value)) this.learn(child);
  }

  #learnMetadata(metadata: { name?: unknown; generateName?: unknown; uid?: unknown }): void {
    const { name, generateName, uid } = metadata;
    if (typeof name !== 'string') return;
    if (typeof generateName === 'string' && generateName !== '') {
      // Long prefixes are cut to make room for the five random characters.
      const prefix = generateName.slice(0, 58);
      if (name.startsWith(prefix) && name.length === prefix.length + 5)
        this.#name(name, `${prefix}<generated>`);
    }
    if (typeof uid === 'string' && !this.#literals.has(uid)) {
      const label = this.#literals.get(name) ?? name;
      const count = (this.#uidsOfName.get(label) ?? 0) + 1;
      this.#uidsOfName.set(label, count);
      this.#literals.set(uid, count === 1 ? `<uid ${label}>` : `<uid ${label} ${count}>`);
    }
  }

  #name(literal: string, token: string): void {
    if (!this.#literals.has(literal)) this.#literals.set(literal, token);
  }

  /** The text with what was learnt replaced. */
  replace(text: string): string {
    const token = this.#literals.get(text);
    if (token !== undefined) return token;
    let replaced = text;
    for (const [literal, name] of this.#literals) replaced = replaced.replaceAll(literal, name);
    return replaced.replace(UUID, '<uid>');
  }

  /** How an object's resource version relates to those it was seen with before; just a token where `isOpen`. */
  version(uid: string, version: string, isOpen = false): string {
    const seen = this.#versions.get(uid) ?? [];
    if (isOpen) {
      this.#versions.set(uid, [...seen, version]);
      return '<version>';
    }
    if (seen.at(-1) === version) return '<version unchanged>';
    if (seen.includes(version)) return '<version earlier>';
    this.#versions.set(uid, [...seen, version]);
    return seen.length === 0 ? '<version>' : '<version changed>';
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Entries in the order of their keys, so that servers that order them differently are read alike. */
export function sortedEntries(value: object): [string, unknown][] {
  const entries = Object.entries(value);
  return Array.isArray(value) ? entries : entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
