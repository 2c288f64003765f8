/** The server's certificate authority and certificate, kept in the data directory so that a restart keeps its identity. */

import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority, makeServerCertificate } from './certificate.ts';
import { toPem } from './der.ts';

export interface ServerTls {
  /** PEM of the authority that clients have to trust. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const LIFETIME_DAYS = 3650;
/** Renewed when less than this is left. */
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000;

/** Names under which clients reach the server: loopback from outside, the service's names from inside. */
export function serverNames(further: readonly string[] = []): string[] {
  return [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    '127.0.0.1',
    '::1',
    ...further,
  ];
}

/** Makes a fresh authority and server certificate. */
export function makeServerTls(now: number, further: readonly string[] = []): ServerTls {
  const authority = makeAuthority({ commonName: 'turnsole-ca', now, lifetimeDays: LIFETIME_DAYS });
  const server = makeServerCertificate(authority, {
    commonName: 'kube-apiserver',
    organization: 'turnsole',
    now,
    lifetimeDays: LIFETIME_DAYS,
    names: serverNames(further),
  });
  return {
    authority: toPem('CERTIFICATE', authority.certificate),
    certificate: toPem('CERTIFICATE', server.certificate),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The certificates of the data directory, made when missing, unreadable or near their end. */
export function loadServerTls(dataDir: string, now: number, further: readonly string[] = []): ServerTls {
  const paths = {
    authority: join(dataDir, 'ca.crt'),
    certificate: join(dataDir, 'apiserver.crt'),
    key: join(dataDir, 'apiserver.key'),
  };
  if (Object.values(paths).every((path) => existsSync(path))) {
    const kept: ServerTls = {
      authority: readFileSync(paths.authority, 'utf8'),
      certificate: readFileSync(paths.certificate, 'utf8'),
      key: readFileSync(paths.key, 'utf8'),
    };
    if (isUsable(kept, now, further)) return kept;
  }
  const made = makeServerTls(now, further);
  writeFileSync(paths.authority, made.authority, { mode: 0o644 });
  writeFileSync(paths.certificate, made.certificate, { mode: 0o644 });
  writeFileSync(paths.key, made.key, { mode: 0o600 });
  return made;
}

function isUsable(tls: ServerTls, now: number, further: readonly string[]): boolean {
  try {
    const authority = new X509Certificate(tls.authority);
    const certificate = new X509Certificate(tls.certificate);
    return (
      certificate.verify(authority.publicKey) &&
      Date.parse(certificate.validTo) - now > RENEW_BEFORE_MS &&
      further.every(
        (name) => certificate.checkHost(name) !== undefined || certificate.checkIP(name) !== undefined,
      )
    );
  } catch {
    return false;
  }
}
