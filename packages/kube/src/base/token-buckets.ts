/** An allowance per key that is used up at once or grows back slowly. */
interface BucketOptions {
  /** Allowance of a new key, and the most that is ever saved up. */
  readonly burst: number;
  /** One more is allowed after each such time. */
  readonly refillMs: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Keys whose buckets are remembered; a forgotten key starts with a full one. */
const MAX_BUCKETS = 4_096;

/** Token buckets by key: detects callers that ask too often. */
export class TokenBuckets {
  readonly #options: BucketOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  /** Takes one from the key's allowance; false when it is used up. */
  take(key: string, now: number): boolean {
    const { burst, refillMs } = this.#options;
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs);
    bucket.at = now;
    // To the end of the line: the map then forgets the key that was quiet longest.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_BUCKETS) {
      const oldest = this.#buckets.keys().next();
      if (oldest.done === false) this.#buckets.delete(oldest.value);
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
