import { X509Certificate } from 'node:crypto';
import type { Environment } from '@turnsole/kube/text/environment';
import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../api/agent-objects.ts';
import { UsageError } from '../process/usage-error.ts';

/** Where the control plane is. */
export interface ControlPlaneAddress {
  /** Of its GraphQL endpoint. */
  readonly url: URL;
  readonly skipTlsVerify: boolean;
  /** PEM bundle that is trusted beside those of the system. */
  readonly authorities: string | undefined;
}

/** Identity of an agent at the control plane. The key is a secret: it is neither logged nor stored outside of its Secret. */
export interface InfraIdentity {
  readonly infraID: string;
  readonly version: string;
  readonly accessKey: string;
}

/** The value of a required, non-empty variable. @throws UsageError */
export function requiredVariable(env: Environment, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') {
    throw new UsageError(
      `required key ${name} missing value: set it by the ConfigMap ${AGENT_CONFIG_MAP} or the Secret ${AGENT_SECRET} of the infrastructure`,
    );
  }
  return value;
}

/** Reads SERVER_ADDR, SKIP_SSL_VERIFY and CUSTOM_TLS_CERT. @throws UsageError that names the variable, and never shows a password of the address */
export function readAddress(env: Environment): ControlPlaneAddress {
  const text = requiredVariable(env, 'SERVER_ADDR');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UsageError(
      'SERVER_ADDR must be the address of a GraphQL endpoint, as https://chaos.example/query',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'SERVER_ADDR must not hold a user or a password: agents are known by their access key',
    );
  }
  const skipTlsVerify = readSwitch(env, 'SKIP_SSL_VERIFY');
  return { url, skipTlsVerify, authorities: skipTlsVerify ? undefined : readAuthorities(env) };
}

function readSwitch(env: Environment, name: string): boolean {
  const text = (env[name] ?? '').toLowerCase();
  if (['true', '1', 't'].includes(text)) return true;
  if (['', 'false', '0', 'f'].includes(text)) return false;
  throw new UsageError(`${name} must be true or false, not ${JSON.stringify(env[name])}`);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readAuthorities(env: Environment): string | undefined {
  const text = env.CUSTOM_TLS_CERT ?? '';
  if (text === '') return undefined;
  const pem = Buffer.from(text, 'base64').toString();
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new UsageError('CUSTOM_TLS_CERT must be certificates in PEM, encoded as base64');
  }
  return pem;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
