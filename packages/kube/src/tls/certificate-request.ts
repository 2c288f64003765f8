/** Certificate requests (PKCS #10, RFC 2986): what they ask for, and whether who asks has the key. */
import { createPublicKey, verify } from 'node:crypto';
import {
  DerError,
  type Element,
  expectTag,
  readAll,
  readObjectIdentifier,
  readOne,
  TAG,
} from './der-reader.ts';
import { OID } from './oids.ts';
import { readSubject, type Subject } from './subject.ts';

export interface CertificateRequest {
  readonly subject: Subject;
  /** The subject as it came, for the certificate. */
  readonly subjectDer: Buffer;
  /** The public key, as SubjectPublicKeyInfo. */
  readonly publicKeyInfo: Buffer;
  /** Alternative names of the subject, as GeneralName each. */
  readonly names: readonly AlternativeName[];
}

interface AlternativeName {
  readonly kind: 'email' | 'DNS' | 'URI' | 'IP';
  readonly der: Buffer;
}

/** Digests by the signature's algorithm; none where the algorithm has one of its own. */
const DIGESTS: ReadonlyMap<string, string | null> = new Map([
  [OID.ecdsaWithSha256, 'sha256'],
  [OID.ecdsaWithSha384, 'sha384'],
  [OID.ecdsaWithSha512, 'sha512'],
  [OID.sha256WithRsa, 'sha256'],
  [OID.sha384WithRsa, 'sha384'],
  [OID.sha512WithRsa, 'sha512'],
  [OID.ed25519, null],
]);

/** Tags of alternative names; directories and other forms mean nothing to Kubernetes and are left out, as Go leaves them out. */
const NAME_KINDS: ReadonlyMap<number, AlternativeName['kind']> = new Map([
  [0x81, 'email'],
  [0x82, 'DNS'],
  [0x86, 'URI'],
  [0x87, 'IP'],
]);

const ATTRIBUTES_TAG = 0xa0;

/**
 * Reads a request and checks its signature, by which the sender shows to have the private key.
 *
 * @throws DerError with the reason when it is no request, or its signature is not the key's
 */
export function readCertificateRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature] = readAll(readOne(der, TAG.sequence).content);
  const fields = readAll(expectTag(info, TAG.sequence).content);
  const [, subject, key, attributes] = fields;
  const subjectDer = expectTag(subject, TAG.sequence).whole;
  const publicKeyInfo = expectTag(key, TAG.sequence).whole;
  checkSignature(expectTag(info, TAG.sequence).whole, publicKeyInfo, algorithm, signature);
  return {
    subject: readSubject(subjectDer),
    subjectDer,
    publicKeyInfo,
    names: attributes === undefined ? [] : requestedNames(expectTag(attributes, ATTRIBUTES_TAG).content),
  };
}

function checkSignature(
  signed: Buffer,
  publicKeyInfo: Buffer,
  algorithm: Element | undefined,
  signature: Element | undefined,
): void {
  const oid = readObjectIdentifier(readAll(expectTag(algorithm, TAG.sequence).content)[0]);
  const digest = DIGESTS.get(oid);
  if (digest === undefined) throw new DerError(`the signature's algorithm ${oid} is not supported`);
  const { content } = expectTag(signature, TAG.bitString);
  if (!isSignedBy(publicKeyInfo, digest, signed, content.subarray(1))) {
    throw new DerError('the signature was not made with the key of the request');
  }
}

function isSignedBy(
  publicKeyInfo: Buffer,
  digest: string | null,
  signed: Buffer,
  signature: Buffer,
): boolean {
  try {
    const key = createPublicKey({ key: publicKeyInfo, format: 'der', type: 'spki' });
    return verify(digest, signed, key, signature);
  } catch (cause) {
    throw new DerError('the public key of the request cannot be used', { cause });
  }
}

/** The alternative names among the extensions that the attributes of a request ask for. */
function requestedNames(attributes: Buffer): AlternativeName[] {
  const found: AlternativeName[] = [];
  for (const attribute of readAll(attributes)) {
    const [type, values] = readAll(expectTag(attribute, TAG.sequence).content);
    if (readObjectIdentifier(type) !== OID.extensionRequest) continue;
    const [extensions] = readAll(expectTag(values, TAG.set).content);
    for (const extension of readAll(expectTag(extensions, TAG.sequence).content)) {
      const parts = readAll(expectTag(extension, TAG.sequence).content);
      if (readObjectIdentifier(parts[0]) !== OID.subjectAltName) continue;
      const value = expectTag(parts.at(-1), TAG.octetString).content;
      found.push(...readNames(readOne(value, TAG.sequence).content));
    }
  }
  return found;
}

function readNames(names: Buffer): AlternativeName[] {
  return readAll(names).flatMap(({ tag, whole }) => {
    const kind = NAME_KINDS.get(tag);
    return kind === undefined ? [] : [{ kind, der: whole }];
  });
}
