/** The user whom a client certificate names. Source: kubernetes.io, Authenticating, X509 client certificates. */
import type { X509Certificate } from 'node:crypto';
import { OID } from '@turnsole/kube/tls/oids';
import { subjectOfCertificate } from '@turnsole/kube/tls/subject';
import { AUTHENTICATED_GROUP, type User } from '../http/user.ts';

/**
 * The user that a certificate names, if the authority issued it for clients and it is valid at this time. A connection may outlive
 * the certificate that its handshake has checked, so this is checked at every request.
 */
export function certificateUser(
  certificate: X509Certificate,
  authority: X509Certificate,
  nowMs: number,
): User | undefined {
  if (nowMs < Date.parse(certificate.validFrom) || nowMs > Date.parse(certificate.validTo)) return undefined;
  return issuedUser(certificate, authority);
}

/** The facts that last as long as a connection, with the authority that was used to find them. */
const known = new WeakMap<
  X509Certificate,
  { readonly authority: X509Certificate; readonly user: User | undefined }
>();

function issuedUser(certificate: X509Certificate, authority: X509Certificate): User | undefined {
  const before = known.get(certificate);
  if (before?.authority === authority) return before.user;
  const user = isClients(certificate, authority) ? userOf(certificate) : undefined;
  known.set(certificate, { authority, user });
  return user;
}

function isClients(certificate: X509Certificate, authority: X509Certificate): boolean {
  if (certificate.ca || !certificate.verify(authority.publicKey)) return false;
  // The extended usages. A certificate of this authority without any was not issued for clients.
  return (certificate.keyUsage ?? []).includes(OID.clientAuth);
}

function userOf(certificate: X509Certificate): User | undefined {
  const { commonName, organizations } = subjectOfCertificate(certificate.raw);
  if (commonName === '') return undefined;
  return {
    name: commonName,
    groups: [...organizations, AUTHENTICATED_GROUP],
    extra: {
      'authentication.kubernetes.io/credential-id': [
        `X509SHA256=${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`,
      ],
    },
  };
}
