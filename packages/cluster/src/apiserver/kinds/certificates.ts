/** Requests for certificates. Source: kubernetes.io, CertificateSigningRequest v1. */
import {
  type ApiObject,
  asJson,
  asNumber,
  asObjects,
  asString,
  type Json,
  restore,
  timestamp,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { formatDuration } from '../tables/duration.ts';
import { validateOutcome, validateRequest } from '../validation/certificate-request.ts';
import { checkPathSegmentName } from '../validation/names.ts';
import { defineKind, fieldAt, textAt } from './define.ts';
import type { RuleContext } from './kind.ts';

/** Writes who asks into the request: a user cannot ask in another's name. */
function nameRequester(object: ApiObject, { user }: RuleContext): void {
  const { request, signerName, expirationSeconds, usages } = asJson(object.spec);
  const spec: Json = { request, signerName };
  if (expirationSeconds !== undefined) spec.expirationSeconds = expirationSeconds;
  spec.usages = usages;
  spec.username = user.name;
  if (user.uid !== undefined) spec.uid = user.uid;
  spec.groups = [...user.groups];
  if (user.extra !== undefined) spec.extra = { ...user.extra };
  object.spec = spec;
  object.status = {};
}

/** Times of conditions that the writer left out. */
function dateConditions(object: ApiObject, old: ApiObject, now: number): void {
  const before = asObjects(asJson(old.status).conditions);
  const status = asJson(object.status);
  if (!Array.isArray(status.conditions)) return;
  const conditions = asObjects(status.conditions).map((condition) => {
    const same = before.find(
      ({ type, status: state }) => type === condition.type && state === condition.status,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? timestamp(now),
      lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? timestamp(now),
    };
  });
  object.status = { ...status, conditions };
}

/** Everything but conditions is as it was. */
function takeOnlyConditions(object: ApiObject, old: ApiObject): void {
  const { conditions } = asJson(object.status);
  const status = { ...asJson(old.status) };
  if (conditions === undefined || conditions === null) delete status.conditions;
  else status.conditions = conditions;
  restore(object, old);
  object.status = status;
}

/** `Approved,Issued`: what has become of a request. */
function outcomeText({ status }: ApiObject): string {
  const { conditions, certificate } = asJson(status);
  const types = new Set(asObjects(conditions).map(({ type }) => type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${asString(certificate) === '' ? '' : ',Issued'}`;
}

export const certificateRequests = defineKind({
  group: 'certificates.k8s.io',
  plural: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
  shortNames: ['csr'],
  checkName: checkPathSegmentName,
  hasStatus: true,
  rules: {
    prepareCreate: nameRequester,
    prepareUpdate: (object, old) => {
      object.spec = old.spec;
    },
    prepareStatusUpdate: (object, old, { now }) => dateConditions(object, old, now),
    validateCreate: validateRequest,
    validateStatusUpdate: (object, old) => validateOutcome(object, old, 'status'),
  },
  parts: {
    approval: {
      restrict: (object, old, { now }) => {
        takeOnlyConditions(object, old);
        dateConditions(object, old, now);
      },
      validateUpdate: (object, old) => validateOutcome(object, old, 'approval'),
    },
  },
  subresources: [{ name: 'approval', kind: 'CertificateSigningRequest', verbs: ['get', 'patch', 'update'] }],
  fields: { 'spec.signerName': fieldAt('spec', 'signerName') },
  columns: [
    NAME_COLUMN,
    AGE_COLUMN,
    column('SignerName', textAt('spec', 'signerName')),
    column('Requestor', textAt('spec', 'username')),
    column('RequestedDuration', (object) => {
      const { expirationSeconds } = asJson(object.spec);
      return expirationSeconds === undefined ? '<none>' : formatDuration(asNumber(expirationSeconds) * 1000);
    }),
    column('Condition', outcomeText),
  ],
});
