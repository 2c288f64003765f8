import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Limiter } from '@turnsole/kube/base/limiter';
import { Refusal } from './refusal.ts';

/** Cost of a hash: `2 ** ln` blocks of `128 * r` bytes, `p` times. */
interface HashCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB, and some tenths of a second. */
const COST: HashCost = { ln: 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Memory makes guessing expensive, and so limits the server too: two hashes at once take 256 MiB. */
const turns = new Limiter(2, {
  most: 100,
  refusal: () => new Refusal('too-many', 'too many sign in at once; try again in a moment'),
});

interface StoredHash {
  readonly cost: HashCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Hashes passwords and verifies them. */
export class Passwords {
  readonly #cost: HashCost;

  /** @param cost of new hashes */
  constructor(cost: HashCost = COST) {
    this.#cost = cost;
  }

  /** The hash of a password with its parameters, in the PHC form: `$scrypt$ln=17,r=8,p=1$salt$hash`. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await derive(password, salt, this.#cost);
    const { ln, r, p } = this.#cost;
    return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  /**
   * Whether a password matches a hash. Without a hash (an unknown user, one without a password) it takes as long, and returns
   * false.
   *
   * @throws Refusal when too many wait · Error for an invalid hash
   */
  async match(password: string, stored: string | null): Promise<boolean> {
    const { cost, salt, hash } = stored === null ? this.#unknownUsersHash() : parse(stored);
    const given = await derive(password, salt, cost);
    return timingSafeEqual(given, hash) && stored !== null;
  }

  /** Whether a hash has another cost than the current one, so that the password should be hashed again. */
  isOutdated(stored: string): boolean {
    const { cost } = parse(stored);
    return cost.ln !== this.#cost.ln || cost.r !== this.#cost.r || cost.p !== this.#cost.p;
  }

  #unknownUsersHash(): StoredHash {
    return { cost: this.#cost, salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };
  }
}

function parse(stored: string): StoredHash {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored);
  if (match === null)
    throw new Error('the hash of a password in the database is none that this server knows');
  const [, ln, r, p, salt = '', hash = ''] = match;
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

/** In the thread pool. Normalises the text first, since keyboards differ in how they write accents. */
function derive(password: string, salt: Buffer, { ln, r, p }: HashCost): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * N * r };
  return turns.run(
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) => {
          if (error === null) resolve(key);
          else reject(error);
        });
      }),
  );
}
