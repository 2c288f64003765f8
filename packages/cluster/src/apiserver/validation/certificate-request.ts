/** Rules of CertificateSigningRequests. Source: kubernetes.io, CertificateSigningRequest v1; real API servers' answers. */

import { X509Certificate } from 'node:crypto';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { equalJson } from '@turnsole/kube/text/json';
import { readPem } from '@turnsole/kube/tls/pem';
import { type ApiObject, asJson, asList, asObjects, asString, type Json } from '../object.ts';
import {
  duplicateField,
  FieldErrors,
  forbiddenField,
  invalidField,
  literal,
  requiredField,
  unsupportedField,
} from './field.ts';
import { checkLabelName, checkSubdomainName } from './names.ts';
import { readRequestField } from './request-text.ts';

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const MIN_EXPIRATION_SECONDS = 600;
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const MAX_DOMAIN = 253;
/** Conditions that are only ever true, and stay. */
const FINAL_CONDITIONS = ['Approved', 'Denied', 'Failed'];
const CONDITIONS_PATH = 'status.conditions';
const CERTIFICATE_PATH = 'status.certificate';

export function validateRequest(object: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const errors = new FieldErrors();
  const request = readRequestField(spec.request);
  if (typeof request === 'string') errors.invalid('spec.request', literal('<request data>'), request);
  errors.push(...validateUsages(asList(spec.usages)), ...validateSigner(asString(spec.signerName)));
  const seconds = spec.expirationSeconds;
  if (typeof seconds === 'number' && seconds < MIN_EXPIRATION_SECONDS) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.invalid('spec.expirationSeconds', seconds, why);
  }
  return errors;
}

function validateUsages(usages: readonly unknown[]): FieldError[] {
  if (usages.length === 0) return [requiredField('spec.usages')];
  return usages.flatMap((usage, index) => {
    const path = `spec.usages[${index}]`;
    return [
      ...(USAGES.includes(asString(usage)) ? [] : [unsupportedField(path, usage, USAGES)]),
      ...(usages.indexOf(usage) < index ? [duplicateField(path, usage)] : []),
    ];
  });
}

function validateSigner(name: string): FieldError[] {
  const path = 'spec.signerName';
  if (name === '') return [requiredField(path)];
  if (name === LEGACY_SIGNER) {
    return [invalidField(path, name, 'the legacy signerName is not allowed via this API version')];
  }
  const [domain = '', rest, ...more] = name.split('/');
  if (rest === undefined || more.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidField(path, name, why)];
  }
  const errors = new FieldErrors();
  const labels = domain.split('.');
  if (domain.length > MAX_DOMAIN) {
    errors.invalid(path, domain, `must be no more than ${MAX_DOMAIN} characters`);
  }
  const check = (part: string, label: string, problems: readonly string[]): void => {
    for (const problem of problems) {
      errors.invalid(path, part, `validating label ${JSON.stringify(label)}: ${problem}`);
    }
  };
  for (const label of labels) check(domain, label, checkLabelName(label));
  if (labels.length < 2) {
    errors.invalid(path, domain, 'should be a domain with at least two segments separated by dots');
  }
  for (const label of rest.split('.')) check(rest, label, checkSubdomainName(label));
  return errors;
}

/** What a write to `approval` or `status` may change: `approval` who approves or denies, `status` the certificate. */
export function validateOutcome(
  object: ApiObject,
  old: ApiObject,
  subresource: 'approval' | 'status',
): FieldError[] {
  const [now, before] = [asJson(object.status), asJson(old.status)];
  const conditions = asObjects(now.conditions);
  return [
    ...validateConditions(conditions),
    ...validateConditionChanges(conditions, asObjects(before.conditions), subresource),
    ...validateCertificate(asString(now.certificate), asString(before.certificate)),
  ];
}

function validateConditions(conditions: readonly Json[]): FieldError[] {
  const types = conditions.map(({ type }) => asString(type));
  return conditions.flatMap(({ status }, index) => {
    const path = `${CONDITIONS_PATH}[${index}]`;
    const type = types[index] ?? '';
    const errors = new FieldErrors();
    if (type === '') errors.required(`${path}.type`);
    const allowed = FINAL_CONDITIONS.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (asString(status) === '') errors.required(`${path}.status`);
    else errors.oneOf(`${path}.status`, status, allowed);
    const earlier = types.slice(0, index);
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (opposite !== undefined && earlier.includes(opposite)) {
      const why = 'Approved and Denied conditions are mutually exclusive';
      errors.invalid(`${path}.type`, type, why);
    }
    if (earlier.includes(type)) errors.duplicate(`${path}.type`, type);
    return errors;
  });
}

function validateConditionChanges(
  now: readonly Json[],
  before: readonly Json[],
  subresource: 'approval' | 'status',
): FieldError[] {
  return FINAL_CONDITIONS.flatMap((type) => {
    const of = (all: readonly Json[]): Json[] => all.filter((condition) => condition.type === type);
    const [present, earlier] = [of(now), of(before)];
    const refuse = (verb: string): FieldError[] => [
      forbiddenField(CONDITIONS_PATH, `updates may not ${verb} a condition of type ${JSON.stringify(type)}`),
    ];
    if (present.length < earlier.length) return refuse('remove');
    if (subresource === 'approval' || type === 'Failed') return [];
    if (present.length > earlier.length) return refuse('add');
    return equalJson(present, earlier) ? [] : refuse('modify');
  });
}

function validateCertificate(now: string, before: string): FieldError[] {
  if (now === before) return [];
  if (before !== '') {
    return [forbiddenField(CERTIFICATE_PATH, 'updates may not modify existing certificate content')];
  }
  const problem = certificateProblem(Buffer.from(now, 'base64').toString('latin1'));
  if (problem === undefined) return [];
  return [invalidField(CERTIFICATE_PATH, literal('<certificate data>'), problem)];
}

function certificateProblem(text: string): string | undefined {
  const blocks = readPem(text);
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const { label, der } of blocks) {
    if (label !== 'CERTIFICATE')
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`;
    try {
      new X509Certificate(der);
    } catch {
      return 'a CERTIFICATE PEM block holds no certificate';
    }
  }
  return undefined;
}
