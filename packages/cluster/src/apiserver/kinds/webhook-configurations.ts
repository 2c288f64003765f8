/** Which webhooks admission asks. Source: kubernetes.io, Dynamic Admission Control; admissionregistration/v1. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  type ApiObject,
  asJson,
  asList,
  asObjects,
  asString,
  isJson,
  type Json,
  setDefault,
  setDefaults,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors, invalidField, requiredField } from '../validation/field.ts';
import { checkSubdomainName } from '../validation/names.ts';
import { ADMISSION_GROUP, validateConditions, validateRule } from './admission-rules.ts';
import { defineKind } from './define.ts';
import type { KindDefinition } from './kind.ts';

/** Those of match conditions. */
const WEBHOOK_VARIABLES = ['object', 'oldObject', 'request'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const DEFAULT_TIMEOUT_SECONDS = 10;
const MAX_TIMEOUT_SECONDS = 30;
const DEFAULT_PORT = 443;

function defineConfiguration(kind: string, plural: string, isMutating: boolean): KindDefinition {
  return defineKind({
    group: ADMISSION_GROUP,
    plural,
    kind,
    namespaced: false,
    categories: ['api-extensions'],
    hasGeneration: true,
    rules: {
      applyDefaults: (object) => {
        for (const webhook of asObjects(object.webhooks)) applyDefaults(webhook, isMutating);
      },
      validate: (object) => validate(object, isMutating),
    },
    columns: [
      NAME_COLUMN,
      column('Webhooks', (object) => asList(object.webhooks).length, { type: 'integer' }),
      AGE_COLUMN,
    ],
  });
}

function applyDefaults(webhook: Json, isMutating: boolean): void {
  setDefaults(webhook, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
  });
  if (isMutating) setDefault(webhook, 'reinvocationPolicy', 'Never');
  for (const rule of asObjects(webhook.rules)) setDefault(rule, 'scope', '*');
  const { service } = asJson(webhook.clientConfig);
  if (isJson(service)) setDefault(service, 'port', DEFAULT_PORT);
}

function validate(object: ApiObject, isMutating: boolean): FieldError[] {
  const errors = new FieldErrors();
  const names = new Set<string>();
  for (const [index, webhook] of asObjects(object.webhooks).entries()) {
    const path = `webhooks[${index}]`;
    errors.push(...validateWebhook(webhook, path, isMutating));
    const name = asString(webhook.name);
    if (name !== '' && names.has(name)) errors.duplicate(`${path}.name`, name);
    names.add(name);
  }
  return errors;
}

function validateWebhook(webhook: Json, path: string, isMutating: boolean): FieldError[] {
  const errors = new FieldErrors();
  errors.push(...validateName(asString(webhook.name), `${path}.name`));
  errors.push(
    ...validateReviewVersions(asList(webhook.admissionReviewVersions), `${path}.admissionReviewVersions`),
  );
  for (const [index, rule] of asObjects(webhook.rules).entries()) {
    errors.push(...validateRule(rule, `${path}.rules[${index}]`));
  }
  const choose = (field: string, allowed: readonly string[]): void => {
    const value = webhook[field];
    if (value !== undefined) errors.oneOf(`${path}.${field}`, value, allowed);
  };
  choose('failurePolicy', ['Fail', 'Ignore']);
  choose('matchPolicy', ['Equivalent', 'Exact']);
  if (webhook.sideEffects === undefined) {
    errors.required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun');
  } else choose('sideEffects', ['None', 'NoneOnDryRun']);
  const seconds = Number(webhook.timeoutSeconds);
  if (!(seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS)) {
    const why = `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`;
    errors.invalid(`${path}.timeoutSeconds`, webhook.timeoutSeconds, why);
  }
  errors.push(...validateClient(asJson(webhook.clientConfig), `${path}.clientConfig`));
  if (isMutating) choose('reinvocationPolicy', ['IfNeeded', 'Never']);
  errors.push(
    ...validateConditions(asObjects(webhook.matchConditions), `${path}.matchConditions`, WEBHOOK_VARIABLES),
  );
  return errors;
}

/** A qualified name: at least three labels, which name its owner. */
function validateName(name: string, path: string): FieldError[] {
  if (name === '') return [requiredField(path)];
  const [problem] = checkSubdomainName(name);
  if (problem !== undefined) return [invalidField(path, name, problem)];
  if (name.split('.').length >= 3) return [];
  return [invalidField(path, name, 'should be a domain with at least three segments separated by dots')];
}

function validateReviewVersions(versions: readonly unknown[], path: string): FieldError[] {
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [requiredField(path, `must specify one of ${known}`)];
  if (versions.some((version) => REVIEW_VERSIONS.includes(asString(version)))) return [];
  return [invalidField(path, versions, `must include at least one of ${known}`)];
}

function validateClient(client: Json, path: string): FieldError[] {
  const hasService = isJson(client.service);
  if ((client.url !== undefined) === hasService) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  if (!hasService) return validateUrl(asString(client.url), `${path}.url`);
  const { name, namespace, port } = asJson(client.service);
  const errors = new FieldErrors();
  if (asString(name) === '') errors.required(`${path}.service.name`);
  if (asString(namespace) === '') {
    errors.required(`${path}.service.namespace`);
  }
  if (!(Number(port) >= 1 && Number(port) <= 65_535)) {
    const why = 'port is not valid: must be between 1 and 65535, inclusive';
    errors.invalid(`${path}.service.port`, port, why);
  }
  return errors;
}

const URL_FORM = '; desired format: https://host[/path]';

function validateUrl(text: string, path: string): FieldError[] {
  const url = URL.parse(text);
  if (url === null) return [requiredField(path, `url must be a valid URL${URL_FORM}`)];
  const errors = new FieldErrors();
  const refuse = (value: string, why: string): void => {
    errors.invalid(path, value, why);
  };
  const user = [url.username, url.password].filter((part) => part !== '').join(':');
  if (url.protocol !== 'https:') {
    refuse(url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${URL_FORM}`);
  }
  if (url.hostname === '') refuse('', `host must be specified${URL_FORM}`);
  if (user !== '') refuse(user, 'user information is not permitted in the URL');
  if (url.hash !== '') refuse(url.hash.slice(1), 'fragments are not permitted in the URL');
  if (url.search !== '') refuse(url.search.slice(1), 'query parameters are not permitted in the URL');
  return errors;
}

export const WEBHOOK_KINDS: readonly KindDefinition[] = [
  defineConfiguration('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', true),
  defineConfiguration('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', false),
];
