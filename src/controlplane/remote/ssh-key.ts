import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const BITS = 4096;

/** A new RSA key pair: the public key as a line of `authorized_keys`, the private key as PEM (PKCS #1). */
export async function generateSshKey(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS });
  return {
    publicKey: authorizedKey(publicKey),
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  };
}

/** Source: RFC 4253, section 6.6. */
function authorizedKey(key: KeyObject): string {
  const { e = '', n = '' } = key.export({ format: 'jwk' });
  const parts = [Buffer.from('ssh-rsa'), positive(e), positive(n)];
  const body = Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
  return `ssh-rsa ${body.toString('base64')}\n`;
}

/** A positive number in the form of SSH, in which the first bit is the sign. */
function positive(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, 'base64url');
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}
