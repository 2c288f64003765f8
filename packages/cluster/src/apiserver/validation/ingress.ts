/** Rules of Ingresses. Source: networking.k8s.io/v1 API reference. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { asJson, asNumber, asObjects, asString, isJson, type Json } from '../object.ts';
import { FieldErrors, invalidField, literal, requiredField } from './field.ts';
import { checkLabelName, checkPortName, checkSubdomainName } from './names.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const LAST_PORT = 65_535;

/** Problems of an Ingress's spec. */
export function validateIngress(spec: Json): FieldError[] {
  const rules = asObjects(spec.rules);
  const errors = new FieldErrors();
  if (rules.length === 0 && !isJson(spec.defaultBackend)) {
    const none = literal('null');
    errors.invalid('spec', none, 'either `defaultBackend` or `rules` must be specified');
  }
  if (isJson(spec.defaultBackend))
    errors.push(...validateBackend(spec.defaultBackend, 'spec.defaultBackend'));
  for (const [index, rule] of rules.entries()) errors.push(...validateRule(rule, `spec.rules[${index}]`));
  return errors;
}

function validateRule(rule: Json, path: string): FieldError[] {
  const host = asString(rule.host);
  // A wildcard stands for the first label only.
  const checked = host.startsWith('*.') ? host.slice(2) : host;
  const errors = new FieldErrors();
  if (host !== '') {
    for (const words of checkSubdomainName(checked)) errors.invalid(`${path}.host`, host, words);
  }
  if (!isJson(rule.http)) return errors;
  const paths = asObjects(rule.http.paths);
  if (paths.length === 0) errors.required(`${path}.http.paths`);
  for (const [index, entry] of paths.entries()) {
    errors.push(...validatePath(entry, `${path}.http.paths[${index}]`));
  }
  return errors;
}

function validatePath(entry: Json, path: string): FieldError[] {
  const type = asString(entry.pathType);
  if (type === '') return [requiredField(`${path}.pathType`, 'pathType must be specified')];
  const errors = new FieldErrors();
  const text = asString(entry.path);
  const mayBeEmpty = type === 'ImplementationSpecific';
  const isKnown = PATH_TYPES.includes(type);
  errors.oneOf(`${path}.pathType`, type, PATH_TYPES);
  if (isKnown && !text.startsWith('/') && !(mayBeEmpty && text === '')) {
    errors.invalid(`${path}.path`, text, 'must be an absolute path');
  }
  return [...errors, ...validateBackend(asJson(entry.backend), `${path}.backend`)];
}

function validateBackend(backend: Json, path: string): FieldError[] {
  const { resource, service } = backend;
  if (isJson(resource) && isJson(service)) {
    return [invalidField(path, '', 'cannot set both resource and service backends')];
  }
  if (isJson(resource)) return [];
  if (!isJson(service)) return [invalidField(path, '', 'resource or service backend is required')];
  const errors = new FieldErrors();
  errors.requiredName(`${path}.service.name`, asString(service.name), checkLabelName);
  return [...errors, ...validatePort(asJson(service.port), path)];
}

function validatePort(port: Json, path: string): FieldError[] {
  const name = asString(port.name);
  const number = asNumber(port.number);
  if (name !== '' && number !== 0) return [invalidField(path, '', 'cannot set both port name & port number')];
  if (name !== '') {
    return checkPortName(name).map((words) => invalidField(`${path}.service.port.name`, name, words));
  }
  if (number === 0) return [requiredField(path, 'port name or number is required')];
  const isPort = number >= 1 && number <= LAST_PORT;
  return isPort
    ? []
    : [invalidField(`${path}.service.port.number`, number, 'must be between 1 and 65535, inclusive')];
}
