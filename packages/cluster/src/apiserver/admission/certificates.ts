/** Who may approve and sign which requests, and what a request may not ask for. Source: kubernetes.io, Certificate Signing Requests. */
import { equalJson } from '@turnsole/kube/text/json';
import { attributesFor } from '../auth/attributes.ts';
import type { RbacAuthorizer } from '../auth/rbac.ts';
import { CLIENT_SIGNER } from '../certificates/signer-names.ts';
import { forbidden } from '../http/status.ts';
import { MASTERS_GROUP } from '../http/user.ts';
import { asJson, asString } from '../object.ts';
import type { AdmissionAttempt } from '../registry/environment.ts';
import { readRequestField } from '../validation/request-text.ts';

const GROUP = 'certificates.k8s.io';
const SIGNERS = { group: GROUP, plural: 'signers' };

/** Refuses what a requester, an approver or a signer may not do. Throws Forbidden. */
export function admitCertificateRequest(authorizer: RbacAuthorizer, attempt: AdmissionAttempt): void {
  const { definition, operation, subresource, object, old, name } = attempt;
  if (definition.group !== GROUP || object === undefined) return;
  if (operation === 'create') refuseMasters(attempt);
  if (old === undefined) return;
  // A writer cannot change the signer by the same write.
  const signer = asString(asJson(old.spec).signerName);
  const verb = subresource === 'approval' ? 'approve' : signs(attempt) ? 'sign' : undefined;
  if (verb === undefined || maySigner(authorizer, attempt, verb, signer)) return;
  const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
  throw forbidden(definition, name, why);
}

function signs({ subresource, object, old }: AdmissionAttempt): boolean {
  if (subresource !== 'status') return false;
  const [now, before] = [asJson(object?.status), asJson(old?.status)];
  return now.certificate !== before.certificate || !equalJson(now.conditions, before.conditions);
}

/** Permission for the signer itself, or for all of its domain: `example.com/*`. */
function maySigner(
  authorizer: RbacAuthorizer,
  { context }: AdmissionAttempt,
  verb: string,
  signer: string,
): boolean {
  const domain = `${signer.slice(0, signer.indexOf('/'))}/*`;
  return [signer, domain].some(
    (name) => authorizer.authorize(context.user, attributesFor(verb, SIGNERS, '', name)).allowed,
  );
}

/** A certificate of this group could never be taken back: it is beyond all permissions. */
function refuseMasters({ definition, object, name }: AdmissionAttempt): void {
  const { signerName, request: text } = asJson(object?.spec);
  if (signerName !== CLIENT_SIGNER) return;
  const request = readRequestField(text);
  // The rules of the kind refuse an unreadable request.
  if (typeof request === 'string' || !request.subject.organizations.includes(MASTERS_GROUP)) return;
  const why = `use of ${CLIENT_SIGNER} signer with ${MASTERS_GROUP} group is not allowed`;
  throw forbidden(definition, name, why);
}
