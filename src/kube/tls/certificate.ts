/**
 * X.509 v3 certificates with EC P-256 keys, made with node:crypto only (RFC 5280, RFC 5480, RFC 5758).
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import * as der from './der.ts';

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** Clocks of clients may lag. */
const BACKDATE_MS = 60 * 60 * 1000;

export interface KeyAndCertificate {
  readonly privateKey: KeyObject;
  readonly certificate: Buffer;
  /** Subject as DER, for certificates that this one signs. */
  readonly subject: Buffer;
  readonly keyId: Buffer;
}

export interface CertificateOptions {
  readonly commonName: string;
  readonly organization?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly lifetimeDays: number;
}

/** A certificate authority that signs itself. */
export function makeAuthority(options: CertificateOptions): KeyAndCertificate {
  return makeCertificate(options, undefined, [
    extension(OID.basicConstraints, der.sequence(der.boolean(true)), true),
    // digitalSignature, keyCertSign, cRLSign
    extension(OID.keyUsage, der.bitString(Buffer.from([0x86]), 1), true),
  ]);
}

/** An authority made by {@link makeAuthority} earlier, out of its certificate and key as PEM; throws when they are no pair. */
export function readAuthority(commonName: string, certificate: string, key: string): KeyAndCertificate {
  const kept = new X509Certificate(certificate);
  const privateKey = createPrivateKey(key);
  if (!kept.checkPrivateKey(privateKey)) throw new Error('the key is not the one of the certificate');
  const publicKeyInfo = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return {
    privateKey,
    certificate: kept.raw,
    subject: distinguishedName({ commonName }),
    keyId: createHash('sha1').update(publicKeyInfo).digest(),
  };
}

/** A server's certificate, signed by `authority`. `names` are DNS names and IP addresses. */
export function makeServerCertificate(
  authority: KeyAndCertificate,
  options: CertificateOptions & { readonly names: readonly string[] },
): KeyAndCertificate {
  return makeCertificate(options, authority, [
    extension(OID.basicConstraints, der.sequence(), true),
    // digitalSignature
    extension(OID.keyUsage, der.bitString(Buffer.from([0x80]), 7), true),
    extension(OID.extendedKeyUsage, der.sequence(der.objectIdentifier(OID.serverAuth)), false),
    extension(OID.subjectAltName, der.sequence(...options.names.map(generalName)), false),
  ]);
}

function makeCertificate(
  options: CertificateOptions,
  issuer: KeyAndCertificate | undefined,
  extensions: readonly Buffer[],
): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const keyId = createHash('sha1').update(publicKeyInfo).digest();
  const subject = distinguishedName(options);
  const signer = issuer ?? { privateKey, subject, keyId };
  const algorithm = der.sequence(der.objectIdentifier(OID.ecdsaWithSha256));
  const lifetimeMs = options.lifetimeDays * 24 * 60 * 60 * 1000;
  const toBeSigned = der.sequence(
    der.tagged(0, der.smallInteger(2)),
    // 126 random bits: the first one is 0, so the number is positive, and it is never empty.
    der.unsignedInteger(serialNumber()),
    algorithm,
    signer.subject,
    der.sequence(der.time(options.now - BACKDATE_MS), der.time(options.now + lifetimeMs)),
    subject,
    publicKeyInfo,
    der.tagged(
      3,
      der.sequence(
        ...extensions,
        extension(OID.subjectKeyIdentifier, der.octetString(keyId), false),
        extension(OID.authorityKeyIdentifier, der.sequence(der.tagged(0, signer.keyId, false)), false),
      ),
    ),
  );
  const signature = sign('sha256', toBeSigned, { key: signer.privateKey, dsaEncoding: 'der' });
  return {
    privateKey,
    certificate: der.sequence(toBeSigned, algorithm, der.bitString(signature)),
    subject,
    keyId,
  };
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function distinguishedName({
  commonName,
  organization,
}: Pick<CertificateOptions, 'commonName' | 'organization'>): Buffer {
  const attribute = (oid: string, text: string): Buffer =>
    der.set(der.sequence(der.objectIdentifier(oid), der.utf8String(text)));
  return der.sequence(
    ...(organization === undefined ? [] : [attribute(OID.organization, organization)]),
    attribute(OID.commonName, commonName),
  );
}

function extension(oid: string, value: Buffer, isCritical: boolean): Buffer {
  return der.sequence(
    der.objectIdentifier(oid),
    ...(isCritical ? [der.boolean(true)] : []),
    der.octetString(value),
  );
}

function generalName(name: string): Buffer {
  if (isIPv4(name)) return der.tagged(7, Buffer.from(name.split('.').map(Number)), false);
  if (isIPv6(name)) return der.tagged(7, ipv6Bytes(name), false);
  return der.tagged(2, Buffer.from(name, 'ascii'), false);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array<string>(zeros).fill('0'), ...after].map((group) =>
    Number.parseInt(group, 16),
  );
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
