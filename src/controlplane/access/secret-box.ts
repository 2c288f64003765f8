import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Seals texts for the database: a copy of it is useless without the key. */
export interface SecretBox {
  /** @param purpose what it is, such as `git token`: a sealed text opens for the same purpose only */
  seal(purpose: string, text: string): string;
  /** @throws Error if it was sealed by another key or for another purpose, or was changed */
  open(purpose: string, sealed: string): string;
}

/** Version of the format, so that a later version can differ. */
const FORMAT = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A box by AES-256-GCM with keys derived (HKDF) for each purpose.
 *
 * @param key at least 32 bytes from a cryptographic source
 */
export function secretBox(key: Uint8Array): SecretBox {
  if (key.length < KEY_BYTES)
    throw new Error(`the key for secrets has ${key.length} bytes; it needs ${KEY_BYTES}`);
  const keyFor = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, 'turnsole', purpose, KEY_BYTES));
  return {
    seal: (purpose, text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce, { authTagLength: TAG_BYTES });
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${FORMAT}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open: (purpose, sealed) => {
      const [format, text = ''] = sealed.split('.');
      const bytes = Buffer.from(text, 'base64url');
      if (format !== FORMAT || bytes.length < NONCE_BYTES + TAG_BYTES)
        throw new Error(`no sealed ${purpose}`);
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const cipher = createDecipheriv('aes-256-gcm', keyFor(purpose), nonce, { authTagLength: TAG_BYTES });
      cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const body = cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([body, cipher.final()]).toString('utf8');
      } catch (error) {
        throw new Error(`cannot open the ${purpose}: it was sealed by another key than this server's`, {
          cause: error,
        });
      }
    },
  };
}

/** SHA-256 in hexadecimal, by which the server recognises a key without storing it. Keys are random, so they need no salt. */
export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Whether a key has this hash; compares in constant time. */
export function keyMatches(key: string, hash: string | null): boolean {
  const expected = Buffer.from(hash ?? keyHash(''));
  const given = Buffer.from(keyHash(key));
  return expected.length === given.length && timingSafeEqual(given, expected) && hash !== null;
}
