import { Limiter } from '@turnsole/kube/base/limiter';
import { Refusal } from '../access/refusal.ts';
import { generateSshKey } from '../remote/index.ts';

/** A key takes seconds of CPU time: limits the keys of a user in this time, per server. */
const MOST_KEYS = 5;
const WITHIN_MS = 10 * 60_000;
/** Waiting requests of all users together. */
const MOST_WAITING = 8;

/** Times of the keys of each user, milliseconds since the epoch, oldest first; only those that still count. */
export type GivenKeys = ReadonlyMap<string, readonly number[]>;

/**
 * Decides whether a user gets one more key. Pure.
 *
 * @returns the new times; or how long the user has to wait
 */
export function decideKey(
  given: GivenKeys,
  user: string,
  now: number,
): { readonly given: GivenKeys } | { readonly refusedForMs: number } {
  const counting = [...given].map(([id, times]) => [id, times.filter((at) => at + WITHIN_MS > now)] as const);
  const known = new Map(counting.filter(([, times]) => times.length > 0));
  const mine = known.get(user) ?? [];
  const [oldest = now] = mine;
  if (mine.length >= MOST_KEYS) return { refusedForMs: oldest + WITHIN_MS - now };
  return { given: known.set(user, [...mine, now]) };
}

/** Generates keys for users, one at a time, because the same threads also hash passwords and read files. */
export class SshKeys {
  readonly #limiter = new Limiter(1, {
    most: MOST_WAITING,
    refusal: () => new Refusal('too-many', 'too many keys are made at once; try again in a moment'),
  });
  readonly #generate: typeof generateSshKey;
  #given: GivenKeys = new Map();

  constructor(generate = generateSshKey) {
    this.#generate = generate;
  }

  /** @param user ID @param now milliseconds since the epoch @throws Refusal if the user, or all users together, request too many */
  async make(user: string, now: number): ReturnType<typeof generateSshKey> {
    const decision = decideKey(this.#given, user, now);
    if ('refusedForMs' in decision) {
      const seconds = Math.ceil(decision.refusedForMs / 1000);
      throw new Refusal('too-many', `${MOST_KEYS} keys were made for you: try again in ${seconds} s`);
    }
    this.#given = decision.given;
    return this.#limiter.run(this.#generate);
  }
}
