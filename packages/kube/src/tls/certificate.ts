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
import type { CertificateRequest } from './certificate-request.ts';
import * as der from './der.ts';
import { OID } from './oids.ts';

/** Clocks of clients may lag. */
const BACKDATE_MS = 25 * 60 * 60 * 1000;

export interface KeyAndCertificate {
  readonly privateKey: KeyObject;
  readonly certificate: Buffer;
  /** Subject as DER, for certificates that this one signs. */
  readonly subject: Buffer;
  readonly keyId: Buffer;
}

interface CertificateOptions {
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
    keyId: keyIdOf(publicKeyInfo),
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

/** Purposes of a certificate beside signatures: to sign in as a client, or to serve. */
export type ExtendedUsage = 'clientAuth' | 'serverAuth';

/** How a request is signed. */
interface SigningTerms {
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly digitalSignature: boolean;
  readonly keyEncipherment: boolean;
  readonly extendedUsage: ExtendedUsage;
}

/** A certificate, as DER, for who asks by a request: its subject, key and names. It ends with the authority's at the latest. */
export function signRequest(
  authority: KeyAndCertificate,
  request: Pick<CertificateRequest, 'subjectDer' | 'publicKeyInfo' | 'names'>,
  terms: SigningTerms,
): Buffer {
  const bits = (terms.digitalSignature ? 0x80 : 0) | (terms.keyEncipherment ? 0x20 : 0);
  const authorityEnds = Date.parse(new X509Certificate(authority.certificate).validTo);
  const names = request.names.map((name) => name.der);
  return issue(authority, {
    subject: request.subjectDer,
    publicKeyInfo: request.publicKeyInfo,
    notBefore: terms.notBefore,
    notAfter: Math.min(terms.notAfter, authorityEnds),
    extensions: [
      extension(OID.basicConstraints, der.sequence(), true),
      // Bits at the end that are zero are not written.
      ...(bits === 0
        ? []
        : [extension(OID.keyUsage, der.bitString(Buffer.from([bits]), terms.keyEncipherment ? 5 : 7), true)]),
      extension(OID.extendedKeyUsage, der.sequence(der.objectIdentifier(OID[terms.extendedUsage])), false),
      ...(names.length === 0 ? [] : [extension(OID.subjectAltName, der.sequence(...names), false)]),
    ],
  });
}

function makeCertificate(
  options: CertificateOptions,
  issuer: KeyAndCertificate | undefined,
  extensions: readonly Buffer[],
): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const keyId = keyIdOf(publicKeyInfo);
  const subject = distinguishedName(options);
  const certificate = issue(issuer ?? { privateKey, subject, keyId }, {
    subject,
    publicKeyInfo,
    notBefore: options.now - BACKDATE_MS,
    notAfter: options.now + options.lifetimeDays * 24 * 60 * 60 * 1000,
    extensions,
  });
  return { privateKey, certificate, subject, keyId };
}

interface Contents {
  readonly subject: Buffer;
  readonly publicKeyInfo: Buffer;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Buffer[];
}

function issue(
  signer: Pick<KeyAndCertificate, 'privateKey' | 'subject' | 'keyId'>,
  { subject, publicKeyInfo, notBefore, notAfter, extensions }: Contents,
): Buffer {
  const algorithm = der.sequence(der.objectIdentifier(OID.ecdsaWithSha256));
  const toBeSigned = der.sequence(
    der.tagged(0, der.smallInteger(2)),
    // 126 random bits: the first one is 0, so the number is positive, and it is never empty.
    der.unsignedInteger(serialNumber()),
    algorithm,
    signer.subject,
    der.sequence(der.time(notBefore), der.time(notAfter)),
    subject,
    publicKeyInfo,
    der.tagged(
      3,
      der.sequence(
        ...extensions,
        extension(OID.subjectKeyIdentifier, der.octetString(keyIdOf(publicKeyInfo)), false),
        extension(OID.authorityKeyIdentifier, der.sequence(der.tagged(0, signer.keyId, false)), false),
      ),
    ),
  );
  const signature = sign('sha256', toBeSigned, { key: signer.privateKey, dsaEncoding: 'der' });
  return der.sequence(toBeSigned, algorithm, der.bitString(signature));
}

function keyIdOf(publicKeyInfo: Buffer): Buffer {
  return createHash('sha1').update(publicKeyInfo).digest();
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
