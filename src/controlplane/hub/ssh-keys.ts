import { Limiter } from '../../kube/runtime/limiter.ts';
import { Refusal } from '../access/refusal.ts';
import { generateSshKey } from '../remote/index.ts';

/** A key takes seconds of a processor, and nobody needs many: so many for a user in this time, on each server. */
const MOST_KEYS = 5;
const WITHIN_MS = 10 * 60_000;
/** Of all users together. */
const MOST_WAITING = 8;

/** When each user was given keys, milliseconds since the epoch, oldest first; only times that still count. */
export type GivenKeys = ReadonlyMap<string, readonly number[]>;

/**
 * Decides whether a user gets one more key. Pure.
 *
 * @returns what is known then; or how long the user has to wait
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

/** Makes keys for users, one at a time: the threads that make them also hash passwords and read files. */
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

  /** @param user ID @param now milliseconds since the epoch @throws Refusal when the user, or all together, ask for too many */
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
