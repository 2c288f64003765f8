/** What the cluster's signers sign, for how long, and what they refuse; pure. Source: kubernetes.io, Kubernetes signers. */
import type { CertificateRequest, ExtendedUsage } from '@turnsole/kube/tls/index';
import { CLIENT_SIGNER, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from './signer-names.ts';

/** What of a CertificateSigningRequest decides. */
export interface SigningWish {
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly expirationSeconds: number | undefined;
}

interface SignerRules {
  readonly extendedUsage: ExtendedUsage;
  /** Why a request is not signed, or undefined. */
  readonly refusal: (request: CertificateRequest, usages: readonly string[]) => string | undefined;
}

const SIGNATURE = 'digital signature';
const ENCIPHERMENT = 'key encipherment';
const NODES_GROUP = 'system:nodes';
const NODE_PREFIX = 'system:node:';

/** The signers of this cluster, by name; requests to others wait for signers of their own. */
export const SIGNERS: ReadonlyMap<string, SignerRules> = new Map([
  [CLIENT_SIGNER, { extendedUsage: 'clientAuth', refusal: (_, usages) => clientUsages(usages) }],
  [
    KUBELET_CLIENT_SIGNER,
    {
      extendedUsage: 'clientAuth',
      refusal: (request, usages) =>
        nodeSubject(request) ??
        namesBut(request, []) ??
        kubeletUsages(usages, 'client auth', 'kubelet client'),
    },
  ],
  [
    KUBELET_SERVING_SIGNER,
    {
      extendedUsage: 'serverAuth',
      refusal: (request, usages) =>
        nodeSubject(request) ??
        (request.names.some(({ kind }) => kind === 'DNS' || kind === 'IP')
          ? undefined
          : 'DNS or IP subjectAltName is required') ??
        namesBut(request, ['DNS', 'IP']) ??
        kubeletUsages(usages, 'server auth', 'kubelet serving'),
    },
  ],
]);

function clientUsages(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => ![SIGNATURE, ENCIPHERMENT, 'client auth'].includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth')
    ? undefined
    : 'missing required usage for client certificate: client auth';
}

function kubeletUsages(usages: readonly string[], required: string, what: string): string | undefined {
  const given = new Set(usages);
  given.delete(ENCIPHERMENT);
  if (given.size === 2 && given.has(SIGNATURE) && given.has(required)) return undefined;
  return `usages of a ${what} certificate must be "${SIGNATURE}", "${required}" and, if wanted, "${ENCIPHERMENT}"`;
}

function nodeSubject({ subject }: CertificateRequest): string | undefined {
  const { organizations, commonName } = subject;
  if (organizations.length !== 1 || organizations[0] !== NODES_GROUP)
    return `subject organization is not ${NODES_GROUP}`;
  return commonName.startsWith(NODE_PREFIX)
    ? undefined
    : `subject common name does not begin with ${NODE_PREFIX}`;
}

function namesBut({ names }: CertificateRequest, allowed: readonly string[]): string | undefined {
  const wrong = names.find(({ kind }) => !allowed.includes(kind));
  return wrong === undefined ? undefined : `${wrong.kind} subjectAltNames are not allowed`;
}

const SECOND_MS = 1000;
/** A year: the default and the maximum. */
const MAX_LIFETIME_MS = 365 * 24 * 60 * 60 * SECOND_MS;
/** Clocks of clients may lag. */
const BACKDATE_MS = 5 * 60 * SECOND_MS;
/** Such short lives begin earlier, but do not end earlier. */
const SHORT_LIFETIME_MS = 8 * 60 * 60 * SECOND_MS;

/** When a certificate issued now begins and ends. */
export function validity(
  expirationSeconds: number | undefined,
  nowMs: number,
): { readonly notBefore: number; readonly notAfter: number } {
  const asked = (expirationSeconds ?? Number.POSITIVE_INFINITY) * SECOND_MS;
  const lifetime = Math.min(asked, MAX_LIFETIME_MS);
  const notBefore = nowMs - BACKDATE_MS;
  return { notBefore, notAfter: (lifetime < SHORT_LIFETIME_MS ? nowMs : notBefore) + lifetime };
}

/** Whether the key may be used so. */
export function keyUsages(usages: readonly string[]): {
  readonly digitalSignature: boolean;
  readonly keyEncipherment: boolean;
} {
  return { digitalSignature: usages.includes(SIGNATURE), keyEncipherment: usages.includes(ENCIPHERMENT) };
}
