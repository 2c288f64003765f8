import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Limiter } from '../../kube/runtime/limiter.ts';
import { Refusal } from './refusal.ts';

/** What a hash costs: `2 ** ln` blocks of `128 * r` bytes, `p` times. */
interface HashCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB, and some tenths of a second. */
const COST: HashCost = { ln: 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Memory is what makes guessing dear, so it is also what bounds the server: two at once are 256 MiB. */
const turns = new Limiter(2, {
  most: 100,
  refusal: () => new Refusal('too-many', 'too many sign in at once; try again in a moment'),
});

interface StoredHash {
  readonly cost: HashCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Makes and compares hashes of passwords. */
export class Passwords {
  readonly #cost: HashCost;

  /** @param cost of what is hashed from now on */
  constructor(cost: HashCost = COST) {
    this.#cost = cost;
  }

  /** A hash of a password with what it takes to compare it, in the PHC form: `$scrypt$ln=17,r=8,p=1$salt$hash`. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await derive(password, salt, this.#cost);
    const { ln, r, p } = this.#cost;
    return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  /**
   * Whether a password is the one of a hash. Where there is no hash (an unknown user, one without a password) it takes as long, and is
   * false.
   *
   * @throws Refusal when too many wait · Error for a hash that is none
   */
  async match(password: string, stored: string | null): Promise<boolean> {
    const { cost, salt, hash } = stored === null ? this.#nobodys() : parse(stored);
    const given = await derive(password, salt, cost);
    return timingSafeEqual(given, hash) && stored !== null;
  }

  /** Whether a hash was made at another cost than is paid now, so that it is worth making anew. */
  isOutdated(stored: string): boolean {
    const { cost } = parse(stored);
    return cost.ln !== this.#cost.ln || cost.r !== this.#cost.r || cost.p !== this.#cost.p;
  }

  #nobodys(): StoredHash {
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

/** In the thread pool. Texts that look alike are made alike first, since keyboards differ in how they write accents. */
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
