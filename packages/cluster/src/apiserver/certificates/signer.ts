/** Signs what was approved, by the cluster's authority, as the controller manager of a real cluster does. */
import { type KeyAndCertificate, signRequest, toPem } from '@turnsole/kube/tls/index';
import { type ApiObject, asJson, asList, asObjects, asString, asStrings, timestamp } from '../object.ts';
import { afterCommits } from '../registry/after-commits.ts';
import type { ServerParts } from '../registry/environment.ts';
import { SERVER_CONTEXT } from '../registry/server-context.ts';
import { updateObject } from '../registry/update.ts';
import { objectOf } from '../stored-object.ts';
import { readRequestField } from '../validation/request-text.ts';
import { keyUsages, SIGNERS, type SigningWish, validity } from './signing-policy.ts';

const GROUP = 'certificates.k8s.io';
const REQUESTS_TABLE = `certificatesigningrequests.${GROUP}`;

/** The outcome of a request: a certificate (PEM), or why it gets none. */
type Outcome = { readonly certificate: string } | { readonly failure: string };

/** Starts signing: present requests at once, and from then on each request that is approved. */
export function startCertificateSigner(env: ServerParts, authority: () => KeyAndCertificate): void {
  const soon = afterCommits(() => {
    for (const version of [...env.store.values(REQUESTS_TABLE)]) sign(env, objectOf(version), authority);
  });
  env.store.observe(REQUESTS_TABLE, soon);
  soon();
}

function sign(env: ServerParts, request: ApiObject, authority: () => KeyAndCertificate): void {
  const kind = env.kinds.find(GROUP, 'v1', 'certificatesigningrequests');
  if (kind === undefined || !isDueFor(request)) return;
  const now = env.clock.now();
  const outcome = issue(request, now, authority);
  updateObject(env, {
    kind,
    namespace: '',
    name: request.metadata.name ?? '',
    subresource: 'status',
    produce: (current) => ({
      ...current,
      metadata: { ...current.metadata },
      status: withOutcome(asJson(current.status), outcome, now),
    }),
    context: SERVER_CONTEXT,
  });
}

/** Whether a signer of this cluster has to do something: approved, and neither issued nor failed. */
function isDueFor({ spec, status }: ApiObject): boolean {
  const { conditions, certificate } = asJson(status);
  const types = asObjects(conditions).map(({ type }) => type);
  if (!types.includes('Approved') || types.includes('Denied') || types.includes('Failed')) return false;
  return asString(certificate) === '' && SIGNERS.has(asString(asJson(spec).signerName));
}

function issue(object: ApiObject, now: number, authority: () => KeyAndCertificate): Outcome {
  const { signerName, usages, expirationSeconds } = wishOf(object);
  const request = readRequestField(asJson(object.spec).request);
  if (typeof request === 'string') return { failure: request };
  const rules = SIGNERS.get(signerName);
  if (rules === undefined) return { failure: `this cluster has no signer ${signerName}` };
  const failure = rules.refusal(request, usages);
  if (failure !== undefined) return { failure };
  const der = signRequest(authority(), request, {
    ...validity(expirationSeconds, now),
    ...keyUsages(usages),
    extendedUsage: rules.extendedUsage,
  });
  return { certificate: toPem('CERTIFICATE', der) };
}

function wishOf({ spec }: ApiObject): SigningWish {
  const { signerName, usages, expirationSeconds } = asJson(spec);
  return {
    signerName: asString(signerName),
    usages: asStrings(usages),
    expirationSeconds: typeof expirationSeconds === 'number' ? expirationSeconds : undefined,
  };
}

function withOutcome(status: Record<string, unknown>, outcome: Outcome, now: number): unknown {
  if ('certificate' in outcome) {
    return { ...status, certificate: Buffer.from(outcome.certificate).toString('base64') };
  }
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message: outcome.failure,
    lastUpdateTime: timestamp(now),
  };
  return { ...status, conditions: [...asList(status.conditions), failed] };
}
