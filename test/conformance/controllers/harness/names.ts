import type { KubeObject } from '@turnsole/kube/kinds/core';

/** Names are made up of a prefix and so many characters. */
const RANDOM_LENGTH = 5;

/**
 * Tokens for names that controllers make up: hashes of templates by the order in which they appeared, random suffixes,
 * times in names of cron jobs' jobs. They stay comparable: two pods of the same template have the same token.
 */
export class Names {
  readonly #literals = new Map<string, string>();
  readonly #hashes = new Map<string, string[]>();

  /** Learns what is made up in the object's name; objects have to be given in the order in which they appear. */
  learn(kind: string, object: KubeObject): void {
    const { name, generateName, labels = {}, ownerReferences = [] } = object.metadata;
    const owner = ownerReferences.find(({ controller }) => controller === true)?.name ?? '';
    if (kind === 'ReplicaSet') this.#hash(owner, labels['pod-template-hash'], 'hash');
    if (kind === 'ControllerRevision') {
      // The hash is what follows the owner's name; the label has either form.
      const prefix = name.lastIndexOf('-');
      this.#hash(owner, name.slice(prefix + 1), 'revision');
    }
    if (kind === 'Job' && /-\d{7,}$/.test(name)) this.#name(name, `${name.replace(/\d+$/, '')}<time>`);
    // Pods of stateful sets have both, and their names are not made up.
    if (generateName !== undefined && name.startsWith(generateName)) {
      if (name.length === generateName.length + RANDOM_LENGTH) this.#name(name, `${generateName}<generated>`);
    }
  }

  #hash(owner: string, hash: string | undefined, word: string): void {
    if (hash === undefined || hash === '' || this.#literals.has(hash)) return;
    const known = this.#hashes.get(`${word} ${owner}`) ?? [];
    this.#hashes.set(`${word} ${owner}`, [...known, hash]);
    this.#literals.set(hash, `<${word} ${known.length + 1}>`);
  }

  #name(literal: string, token: string): void {
    if (!this.#literals.has(literal)) this.#literals.set(literal, token);
  }

  /** The text with what was learnt replaced. */
  replace(text: string): string {
    let replaced = text;
    // Long ones first: a pod's name contains the hash of its replica set.
    for (const [literal, token] of [...this.#literals].sort(([a], [b]) => b.length - a.length)) {
      replaced = replaced.replaceAll(literal, token);
    }
    // The prefix of a generated name may itself hold a hash.
    for (const [literal, token] of this.#literals) replaced = replaced.replaceAll(literal, token);
    return replaced;
  }
}
