/** The AdmissionReview for a webhook, and the one in its answer. Pure. Source: admission.k8s.io/v1. */
import { StatusError } from '../../http/status.ts';
import { asJson, asString, asStrings, isJson, type Json } from '../../object.ts';
import type { Phase } from '../../registry/pending-write.ts';
import type { ServedKind } from '../../registry/registry.ts';
import type { Webhook } from './configured.ts';
import { type GroupVersionKind, inForm, type Subject } from './subject.ts';

/** The answer of a webhook about a write. */
export type Answer =
  | { readonly allowed: true; readonly patch: unknown; readonly warnings: readonly string[] }
  | { readonly allowed: false; readonly refusal: StatusError; readonly warnings: readonly string[] };

/** The answer is no valid review, so the webhook counts as failing. */
class BadReviewError extends Error {
  override readonly name = 'BadReviewError';
}

/** The review to send. `kind` is the one the webhook's rules matched. */
export function reviewOf(webhook: Webhook, subject: Subject, kind: ServedKind, uid: string): Json {
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${webhook.reviewVersion}`,
    request: requestOf(subject, kind, uid),
  };
}

/** A write as webhooks and policies see it, in the form of the kind that their rules matched. */
export function requestOf(subject: Subject, kind: ServedKind, uid: string): Json {
  const { user, dryRun } = subject.context;
  return {
    uid,
    kind: subject.objectKind ?? kindOf(kind),
    resource: resourceOf(kind),
    ...subresource('subResource', subject),
    requestKind: subject.objectKind ?? kindOf(subject.kind),
    requestResource: resourceOf(subject.kind),
    ...subresource('requestSubResource', subject),
    ...(subject.name === '' ? {} : { name: subject.name }),
    ...(subject.namespace === '' ? {} : { namespace: subject.namespace }),
    operation: subject.operation,
    userInfo: { username: user.name, uid: user.uid, groups: user.groups, extra: user.extra },
    object: inKind(subject, kind, subject.object),
    oldObject: inKind(subject, kind, subject.old),
    dryRun,
    options: subject.options,
  };
}

function kindOf({ definition, version }: ServedKind): GroupVersionKind {
  return { group: definition.group, version: version.name, kind: definition.kind };
}

function resourceOf({ definition, version }: ServedKind): object {
  return { group: definition.group, version: version.name, resource: definition.plural };
}

function subresource(field: string, subject: Subject): object {
  return subject.subresource === '' ? {} : { [field]: subject.subresource };
}

/** The object in the form of the matched kind, `null` when it is missing. */
function inKind(subject: Subject, kind: ServedKind, object: Subject['object']): unknown {
  if (object === undefined) return null;
  return subject.objectKind === undefined ? inForm(object, subject.kind, kind) : object;
}

/**
 * Reads an answer.
 * @throws BadReviewError
 */
export function readAnswer(webhook: Webhook, phase: Phase, uid: string, text: string): Answer {
  const review = asJson(parse(text, 'the answer'));
  const expected = `admission.k8s.io/${webhook.reviewVersion}`;
  if (review.apiVersion !== expected || review.kind !== 'AdmissionReview') {
    throw new BadReviewError(
      `expected webhook response of ${expected}, Kind=AdmissionReview, got ${asString(review.apiVersion)}, Kind=${asString(review.kind)}`,
    );
  }
  if (!isJson(review.response)) throw new BadReviewError('webhook response was absent');
  const { response } = review;
  const isStrict = webhook.reviewVersion === 'v1';
  if (isStrict && response.uid !== uid) {
    throw new BadReviewError(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(asString(response.uid))}`,
    );
  }
  const warnings = asStrings(response.warnings);
  if (response.allowed !== true)
    return { allowed: false, refusal: refusal(webhook.name, response.status), warnings };
  return { allowed: true, patch: readPatch(response, { phase, isStrict }), warnings };
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadReviewError(`${what} is no JSON: ${String(error)}`, { cause: error });
  }
}

function readPatch(response: Json, { phase, isStrict }: { phase: Phase; isStrict: boolean }): unknown {
  const type = asString(response.patchType);
  const patch = asString(response.patch);
  if (phase === 'validating') {
    // Reviews of v1beta1 are not checked so strictly.
    const field = ['patch', 'patchType'].find((name) => asString(response[name]) !== '');
    if (field === undefined || !isStrict) return undefined;
    throw new BadReviewError(`validating webhook may not return response.${field}`);
  }
  if (patch === '' && type === '') return undefined;
  if (patch === '') throw new BadReviewError('webhook returned response.patchType but not response.patch');
  if (type === '' && isStrict) {
    throw new BadReviewError('webhook returned response.patch but not response.patchType');
  }
  if (type !== '' && type !== 'JSONPatch') {
    throw new BadReviewError(`webhook returned invalid response.patchType of ${JSON.stringify(type)}`);
  }
  return parse(Buffer.from(patch, 'base64').toString(), 'response.patch');
}

const BAD_REQUEST = 400;

/** The client's answer when a webhook denies: the webhook's own status, as far as that is a failure. */
function refusal(name: string, given: unknown): StatusError {
  const { message, reason, code, details } = asJson(given);
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = [message, reason].map(asString).find((text) => text !== '');
  return new StatusError(
    typeof code === 'number' && code >= BAD_REQUEST ? code : BAD_REQUEST,
    asString(reason),
    why === undefined ? `${denied} without explanation` : `${denied}: ${why}`,
    isJson(details) ? details : undefined,
  );
}
