/** Requests for certificates as a client makes them, for tests. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import * as der from '@turnsole/kube/tls/der';
import { toPem } from '@turnsole/kube/tls/index';
import { OID } from '@turnsole/kube/tls/oids';
import type { Json } from '../object.ts';

export interface ClientRequest {
  /** PEM of the private key. */
  readonly key: string;
  /** PEM of the request. */
  readonly pem: string;
}

export interface RequestOptions {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  /** GeneralNames as DER. */
  readonly names?: readonly Buffer[];
  readonly keyType?: 'ec' | 'rsa' | 'ed25519';
  /** Signs with another key than that of the request. */
  readonly isForged?: boolean;
}

export const dnsName = (name: string): Buffer => der.tagged(2, Buffer.from(name), false);
export const uriName = (name: string): Buffer => der.tagged(6, Buffer.from(name), false);

export function makeRequest(options: RequestOptions = {}): ClientRequest {
  const { commonName = 'jane', organizations = [], names = [], keyType = 'ec' } = options;
  const { privateKey, publicKey } = keyPair(keyType);
  const attribute = (oid: string, text: string): Buffer =>
    der.set(der.sequence(der.objectIdentifier(oid), der.utf8String(text)));
  const subject = der.sequence(
    ...organizations.map((text) => attribute(OID.organization, text)),
    attribute(OID.commonName, commonName),
  );
  const alternative = der.sequence(
    der.objectIdentifier(OID.subjectAltName),
    der.octetString(der.sequence(...names)),
  );
  const extensions = der.sequence(
    der.objectIdentifier(OID.extensionRequest),
    der.set(der.sequence(alternative)),
  );
  const info = der.sequence(
    der.smallInteger(0),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.tagged(0, names.length === 0 ? Buffer.alloc(0) : extensions),
  );
  const algorithm = { ec: OID.ecdsaWithSha256, rsa: OID.sha256WithRsa, ed25519: OID.ed25519 }[keyType];
  const signer = options.isForged === true ? keyPair(keyType).privateKey : privateKey;
  const signature = sign(keyType === 'ed25519' ? null : 'sha256', info, signer);
  const request = der.sequence(info, der.sequence(der.objectIdentifier(algorithm)), der.bitString(signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pem: toPem('CERTIFICATE REQUEST', request),
  };
}

function keyPair(type: 'ec' | 'rsa' | 'ed25519'): {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
} {
  if (type === 'ec') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ed25519');
}

/** A CertificateSigningRequest of a client certificate. */
export function signingRequest(name: string, pem: string, spec: Json = {}): Json {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['digital signature', 'client auth'],
      ...spec,
    },
  };
}
