/** The server's certificate authority and certificate, kept in the data directory so that a restart keeps its identity. */

import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type KeyAndCertificate,
  makeAuthority,
  makeServerCertificate,
  readAuthority,
} from '@turnsole/kube/tls/certificate';
import { toPem } from '@turnsole/kube/tls/pem';
import { writePrivately } from '../private-file.ts';

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

const AUTHORITY_NAME = 'turnsole-ca';

/** A server's certificates together with the key that signs further ones. */
interface IssuedTls extends ServerTls {
  readonly authorityKey: string;
}

/** Makes a server certificate, by a fresh authority unless one is given. */
export function makeServerTls(
  now: number,
  further: readonly string[] = [],
  authority: KeyAndCertificate = makeAuthority({
    commonName: AUTHORITY_NAME,
    now,
    lifetimeDays: LIFETIME_DAYS,
  }),
): IssuedTls {
  const server = makeServerCertificate(authority, {
    commonName: 'kube-apiserver',
    organization: 'turnsole',
    now,
    lifetimeDays: LIFETIME_DAYS,
    names: serverNames(further),
  });
  return {
    authority: toPem('CERTIFICATE', authority.certificate),
    authorityKey: authority.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: toPem('CERTIFICATE', server.certificate),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/**
 * The certificates of the data directory, made when missing, unreadable or near their end. A certificate for further
 * names is signed by the authority that is there, so that clients go on trusting the server.
 */
export function loadServerTls(dataDir: string, now: number, further: readonly string[] = []): ServerTls {
  const paths = {
    authority: join(dataDir, 'ca.crt'),
    authorityKey: join(dataDir, 'ca.key'),
    certificate: join(dataDir, 'apiserver.crt'),
    key: join(dataDir, 'apiserver.key'),
  };
  const kept = {
    authority: readIfThere(paths.authority),
    authorityKey: readIfThere(paths.authorityKey),
    certificate: readIfThere(paths.certificate),
    key: readIfThere(paths.key),
  };
  if (isUsable(kept, now, further)) return kept;
  const made = makeServerTls(now, further, keptAuthority(kept, now));
  writePrivately(paths.authorityKey, made.authorityKey);
  writePrivately(paths.authority, made.authority);
  writePrivately(paths.key, made.key);
  writePrivately(paths.certificate, made.certificate);
  return made;
}

/** The authority of the data directory with its key, to sign with; made when it is missing. */
export function loadAuthority(dataDir: string, now: number): KeyAndCertificate {
  loadServerTls(dataDir, now);
  const read = (name: string): string => readFileSync(join(dataDir, name), 'utf8');
  return readAuthority(AUTHORITY_NAME, read('ca.crt'), read('ca.key'));
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function keptAuthority({ authority, authorityKey }: IssuedTls, now: number): KeyAndCertificate | undefined {
  try {
    if (Date.parse(new X509Certificate(authority).validTo) - now < RENEW_BEFORE_MS) return undefined;
    return readAuthority(AUTHORITY_NAME, authority, authorityKey);
  } catch {
    return undefined;
  }
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
