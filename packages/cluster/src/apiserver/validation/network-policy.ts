/** Rules of NetworkPolicies. Source: networking.k8s.io/v1 API reference. */
import { isIP } from 'node:net';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { asJson, asList, asObjects, asString, isJson, type Json } from '../object.ts';
import { FieldErrors, invalidField, requiredField } from './field.ts';
import { validateSelectorParts } from './labels.ts';
import { checkPortName } from './names.ts';

const POLICY_TYPES = ['Ingress', 'Egress'];
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

/** Problems of a NetworkPolicy's spec. */
export function validateNetworkPolicy(spec: Json): FieldError[] {
  const errors = validateSelectorParts(asJson(spec.podSelector), 'spec.podSelector');
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [index, rule] of asObjects(spec[direction]).entries()) {
      const path = `spec.${direction}[${index}]`;
      for (const [at, port] of asObjects(rule.ports).entries()) {
        errors.push(...validatePort(port, `${path}.ports[${at}]`));
      }
      for (const [at, peer] of asObjects(rule[peers]).entries()) {
        errors.push(...validatePeer(peer, `${path}.${peers}[${at}]`));
      }
    }
  }
  for (const [index, type] of asList(spec.policyTypes).entries()) {
    errors.oneOf(`spec.policyTypes[${index}]`, type, POLICY_TYPES);
  }
  return errors;
}

function validatePort({ port, protocol }: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  if (protocol !== undefined) errors.oneOf(`${path}.protocol`, protocol, PROTOCOLS);
  if (typeof port === 'number') errors.port(`${path}.port`, port);
  if (typeof port === 'string') errors.named(`${path}.port`, port, checkPortName);
  return errors;
}

function validatePeer(peer: Json, path: string): FieldError[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((field) => isJson(peer[field]));
  if (selectors.length === 0 && !isJson(peer.ipBlock)) return [requiredField(path, 'must specify a peer')];
  const errors = new FieldErrors();
  for (const field of selectors) {
    errors.push(...validateSelectorParts(asJson(peer[field]), `${path}.${field}`));
  }
  if (!isJson(peer.ipBlock)) return errors;
  errors.push(...validateBlock(peer.ipBlock, `${path}.ipBlock`));
  if (selectors.length > 0) errors.forbidden(path, 'may not specify both ipBlock and another peer');
  return errors;
}

function validateBlock(block: Json, path: string): FieldError[] {
  const cidr = asString(block.cidr);
  if (cidr === '') return [requiredField(`${path}.cidr`)];
  const all = [
    [`${path}.cidr`, cidr],
    ...asList(block.except).map((value, index) => [`${path}.except[${index}]`, asString(value)] as const),
  ] as const;
  return all
    .filter(([, value]) => !isCidr(value))
    .map(([at, value]) =>
      invalidField(at, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'),
    );
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  return (
    family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
  );
}
