/**
 * Rules of Endpoints. Source: core/v1 API reference. Loopback addresses are let in: they are those of pods where the
 * machine gives pods no others.
 */
import { isIP } from 'node:net';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { type ApiObject, asObjects, asString, type Json } from '../object.ts';
import { FieldErrors, invalidField } from './field.ts';

const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

export function validateEndpoints(object: ApiObject): FieldError[] {
  return asObjects(object.subsets).flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`));
}

function validateSubset(subset: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  const lists = ['addresses', 'notReadyAddresses'].map((field) => [field, asObjects(subset[field])] as const);
  if (lists.every(([, addresses]) => addresses.length === 0)) {
    errors.required(path, 'must specify `addresses` or `notReadyAddresses`');
  }
  for (const [field, addresses] of lists) {
    for (const [index, { ip }] of addresses.entries()) {
      errors.push(...validateAddress(asString(ip), `${path}.${field}[${index}].ip`));
    }
  }
  const ports = asObjects(subset.ports);
  for (const [index, { name, port }] of ports.entries()) {
    const at = `${path}.ports[${index}]`;
    if (ports.length > 1 && asString(name) === '') errors.required(`${at}.name`);
    errors.port(`${at}.port`, port);
  }
  return errors;
}

function validateAddress(ip: string, path: string): FieldError[] {
  if (isIP(ip) === 0) {
    // Said twice, as a real server does: as no address, and as none that endpoints may have.
    return [invalidField(path, ip, NO_ADDRESS), invalidField(path, ip, 'must be a valid IP address')];
  }
  if (ip === '0.0.0.0' || ip === '::') return [invalidField(path, ip, `may not be unspecified (${ip})`)];
  if (ip.startsWith('169.254.')) {
    return [invalidField(path, ip, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')];
  }
  return [];
}
