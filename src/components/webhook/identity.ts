import { X509Certificate } from 'node:crypto';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Secret } from '@turnsole/kube/kinds/core';
import { SECRETS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '@turnsole/kube/kinds/resources';
import { retryOnConflict } from '@turnsole/kube/runtime/retry-on-conflict';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';

/** A year, renewed a month before its end by whichever replica looks first. */
const LIFETIME_DAYS = 365;
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60_000;
const MAX_ATTEMPTS = 5;
/** Far longer than it takes to apply the objects that are installed before the configuration. */
const INSTALL_LIMIT_MS = 120_000;

/** What the server proves itself with, PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
  /** What the API server has to trust: this authority, and the one before while replicas still use that. */
  readonly authorities: string;
}

/** The names under which objects of the webhook are found. */
interface IdentityPlace {
  readonly namespace: string;
  /** Service, whose name is in the certificate. */
  readonly service: string;
  /** Secret that replicas share; made empty by the installer. */
  readonly secret: string;
  /** The ValidatingWebhookConfiguration that has to trust it. */
  readonly configuration: string;
}

/** `turnsole-webhook.litmus.svc`: how the API server calls it. */
export function serviceNames({ namespace, service }: Pick<IdentityPlace, 'namespace' | 'service'>): string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
}

/** Whether a stored identity can be used for a while yet. Pure. */
export function isUsable(identity: Identity | undefined, names: readonly string[], now: number): boolean {
  if (identity === undefined) return false;
  try {
    const certificate = new X509Certificate(identity.certificate);
    const isLong = Date.parse(certificate.validTo) - now > RENEW_BEFORE_MS;
    return isLong && names.every((name) => certificate.checkHost(name) !== undefined);
  } catch {
    // Not a certificate: of unknown origin, so made anew.
    return false;
  }
}

/** A fresh identity that is trusted together with the one before. The authority's key is not kept. */
export function makeIdentity(names: readonly string[], now: number, before?: Identity): Identity {
  const times = { now, lifetimeDays: LIFETIME_DAYS };
  const authority = makeAuthority({ commonName: 'turnsole-webhook-ca', ...times });
  const server = makeServerCertificate(authority, {
    commonName: names[0] ?? 'turnsole-webhook',
    names,
    ...times,
  });
  const own = toPem('CERTIFICATE', authority.certificate);
  const [previous = ''] = before?.authorities.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----\n?/) ?? [];
  return {
    certificate: toPem('CERTIFICATE', server.certificate),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    authorities: own + previous,
  };
}

/**
 * The identity that all replicas share, renewed when it is time, and known to the API server. Idempotent; replicas may do it at
 * the same time, the first write wins.
 *
 * @throws ApiError when the secret is missing, or one of both may not be written · WaitTimeoutError when the configuration is missing
 */
export async function ensureIdentity(
  client: KubeClient,
  place: IdentityPlace,
  now: number,
  signal: AbortSignal,
): Promise<Identity> {
  const names = serviceNames(place);
  const options = { namespace: place.namespace, signal };
  // Where another replica was first, what it wrote is used.
  return retryOnConflict(
    async () => {
      const secret = await client.get<Secret>(SECRETS, place.secret, options);
      const kept = readIdentity(secret);
      const identity =
        isUsable(kept, names, now) && kept !== undefined ? kept : makeIdentity(names, now, kept);
      if (identity !== kept)
        await client.update<Secret>(SECRETS, { ...secret, data: writeIdentity(identity) }, options);
      await trust(client, place, identity, signal);
      return identity;
    },
    { attempts: MAX_ATTEMPTS, signal },
  );
}

function readIdentity({ data = {} }: Secret): Identity | undefined {
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const identity = { certificate: text('tls.crt'), key: text('tls.key'), authorities: text('ca.crt') };
  return Object.values(identity).includes('') ? undefined : identity;
}

function writeIdentity({ certificate, key, authorities }: Identity): Record<string, string> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(authorities) };
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

async function trust(
  client: KubeClient,
  { configuration }: IdentityPlace,
  { authorities }: Identity,
  signal: AbortSignal,
): Promise<void> {
  const caBundle = Buffer.from(authorities).toString('base64');
  const found = await installed(client, configuration, signal);
  const webhooks = found.webhooks ?? [];
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return;
  const patch = webhooks.map((_, index) => ({
    op: 'add',
    path: `/webhooks/${index}/clientConfig/caBundle`,
    value: caBundle,
  }));
  const test = { op: 'test', path: '/metadata/resourceVersion', value: found.metadata.resourceVersion };
  await client.patch(VALIDATING_WEBHOOK_CONFIGURATIONS, configuration, 'json', [test, ...patch], { signal });
}

/** The configuration is installed last, so at first it may not be there yet. */
async function installed(client: KubeClient, name: string, signal: AbortSignal): Promise<Configuration> {
  const isThere = (found: Configuration | undefined): boolean => found !== undefined;
  const limits = { timeoutMs: INSTALL_LIMIT_MS, signal };
  await waitForObject<Configuration>(client, VALIDATING_WEBHOOK_CONFIGURATIONS, name, isThere, limits);
  return client.get<Configuration>(VALIDATING_WEBHOOK_CONFIGURATIONS, name, { signal });
}
