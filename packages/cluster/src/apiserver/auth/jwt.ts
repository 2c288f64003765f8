/** JSON Web Tokens signed with ES256 (RFC 7515, 7518, 7519), by node:crypto only. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parseObject } from '@turnsole/kube/text/json';
import type { Json } from '../object.ts';
import { writePrivately } from '../private-file.ts';

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Names the key in token headers. */
  readonly id: string;
}

/** The signing key of a file, made when it is not there (mode 0600). */
export function loadSigningKey(path: string): SigningKey {
  if (existsSync(path)) {
    try {
      return describe(createPrivateKey(readFileSync(path, 'utf8')));
    } catch (cause) {
      // Not replaced in silence: every token of a pod would stop to hold.
      const message = `cannot use ${path}: it is damaged; restore it, or remove it to make a new one (tokens of service accounts then no longer hold)`;
      throw new Error(message, { cause });
    }
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writePrivately(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  return describe(privateKey);
}

function describe(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { privateKey, publicKey, id };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function signToken(key: SigningKey, claims: Json): string {
  const content = `${encode({ alg: 'ES256', kid: key.id })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(content), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

/** The claims of a token with a good signature of this key; undefined for anything else. Times are not checked here. */
export function verifyToken(key: SigningKey, token: string): Json | undefined {
  const [header, payload, signature, ...more] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0)
    return undefined;
  const head = decode(header);
  if (head?.alg !== 'ES256') return undefined;
  const good = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key: key.publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return good ? decode(payload) : undefined;
}

function decode(part: string): Json | undefined {
  return parseObject(Buffer.from(part, 'base64url').toString('utf8'));
}
