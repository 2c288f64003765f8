import { isIP } from 'node:net';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import type { Store } from '../../store/index.ts';
import {
  type ApiObject,
  asJson,
  asList,
  asObjects,
  asString,
  asStrings,
  childOf,
  type Json,
  setDefault,
  setDefaults,
  valueAt,
} from '../object.ts';
import { objectOf } from '../stored-object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors, invalidField, structure } from '../validation/field.ts';
import { validateLabels } from '../validation/labels.ts';
import { checkLabelName, checkPortName, checkSubdomainName } from '../validation/names.ts';
import type { ServiceAddresses } from './allocator.ts';
import { defineKind, fieldAt } from './define.ts';
import { type KindDefinition, PROXY_VERBS, type Rules } from './kind.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;

/** Services; their cluster addresses come out of `block`. */
export function serviceKind(block: ServiceAddresses, store: Store): KindDefinition {
  const isTaken = (address: string): boolean =>
    [...store.values('services')].some(
      (version) => valueAt(objectOf(version), 'spec', 'clusterIP') === address,
    );
  const isPortTaken = (port: number): boolean =>
    [...store.values('services')].some((version) =>
      asObjects(valueAt(objectOf(version), 'spec', 'ports')).some(({ nodePort }) => nodePort === port),
    );
  const rules: Rules = {
    applyDefaults,
    prepareCreate: (object) => {
      object.status = { loadBalancer: {} };
      allocate(object, block, isTaken, isPortTaken);
    },
    prepareUpdate: (object, old) => {
      keepAddresses(object, old);
      allocate(object, block, isTaken, isPortTaken);
    },
    validate: (object) => [...validate(object), ...validateFree(object, store)],
    validateCreate: (object) => validateAddress(object, block),
    validateUpdate: (object, old) => validateUpdate(object, old, block),
  };
  return defineKind(SERVICES, {
    shortNames: ['svc'],
    categories: ['all'],
    hasStatus: true,
    returnsDeleted: true,
    checkName: checkLabelName,
    rules,
    subresources: [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: PROXY_VERBS }],
    columns: [
      NAME_COLUMN,
      column('Type', (service) => asString(valueAt(service, 'spec', 'type'))),
      column('Cluster-IP', (service) => asString(valueAt(service, 'spec', 'clusterIP')) || '<none>'),
      column('External-IP', externalAddress),
      column('Port(s)', portsText),
      AGE_COLUMN,
      column('Selector', (service) => selectorText(valueAt(service, 'spec', 'selector')), { wide: true }),
    ],
    fields: { 'spec.clusterIP': fieldAt('spec', 'clusterIP'), 'spec.type': fieldAt('spec', 'type') },
  });
}

function applyDefaults(object: ApiObject): void {
  const spec = childOf(object, 'spec');
  setDefaults(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  if (spec.sessionAffinity === 'ClientIP') {
    setDefault(childOf(childOf(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds', 10_800);
  } else delete spec.sessionAffinityConfig;
  for (const port of asObjects(spec.ports)) {
    setDefault(port, 'protocol', 'TCP');
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
      port.targetPort = port.port;
  }
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer')
    setDefault(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec.type === 'LoadBalancer') setDefault(spec, 'allocateLoadBalancerNodePorts', true);
  if (spec.type !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster');
}

/** What a service without addresses has none of. */
const OF_ADDRESSES = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'];

function allocate(
  object: ApiObject,
  block: ServiceAddresses,
  isTaken: (address: string) => boolean,
  isPortTaken: (port: number) => boolean,
): void {
  const spec = childOf(object, 'spec');
  if (spec.type === 'ExternalName') {
    for (const field of OF_ADDRESSES) delete spec[field];
    return;
  }
  const [listed] = asList(spec.clusterIPs);
  const wanted = asString(spec.clusterIP) || asString(listed);
  const address = wanted === '' ? block.next(isTaken) : wanted;
  if (address === undefined) return;
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  // Without addresses and pods of its own it may stand for addresses of both families.
  const hasSelector = Object.keys(asJson(spec.selector)).length > 0;
  if (address === 'None' && !hasSelector) {
    setDefaults(spec, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' });
  }
  setDefaults(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  if (spec.type === 'ClusterIP') {
    for (const port of asObjects(spec.ports)) delete port.nodePort;
    return;
  }
  const chosen = new Set<number>();
  for (const port of asObjects(spec.ports)) {
    if (typeof port.nodePort === 'number' && port.nodePort !== 0) continue;
    for (let number = FIRST_NODE_PORT; number <= LAST_NODE_PORT; number += 1) {
      if (chosen.has(number) || isPortTaken(number)) continue;
      chosen.add(number);
      port.nodePort = number;
      break;
    }
  }
}

/** Allocated values stay where an update does not mention them. */
function keepAddresses(object: ApiObject, old: ApiObject): void {
  const spec = childOf(object, 'spec');
  const before = asJson(old.spec);
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return;
  if (asString(spec.clusterIP) === '' && asList(spec.clusterIPs).length === 0) {
    spec.clusterIP = before.clusterIP;
    spec.clusterIPs = before.clusterIPs;
  }
  for (const field of ['ipFamilies', 'ipFamilyPolicy']) setDefault(spec, field, before[field]);
  if (spec.type === 'ClusterIP') return;
  for (const port of asObjects(spec.ports)) {
    if (port.nodePort !== undefined) continue;
    const same = asObjects(before.ports).find(
      (other) => other.port === port.port && other.protocol === port.protocol,
    );
    if (same?.nodePort !== undefined) port.nodePort = same.nodePort;
  }
}

function validate(object: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const errors = new FieldErrors();
  const type = asString(spec.type);
  const address = asString(spec.clusterIP);
  const ports = asObjects(spec.ports);
  if (ports.length === 0 && address !== 'None' && type !== 'ExternalName') errors.required('spec.ports');
  const name = asString(spec.externalName);
  if (type === 'ExternalName') errors.requiredName('spec.externalName', name, checkSubdomainName);
  if (type !== 'ClusterIP' && address === 'None') {
    errors.invalid('spec.clusterIPs[0]', address, `may not be set to 'None' for ${type} services`);
  }
  if (address !== '' && address !== 'None' && isIP(address) === 0) {
    // Nothing else is looked at before the address is one.
    return [
      invalidField(
        'spec.clusterIPs[0]',
        address,
        'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ),
    ];
  }
  errors.push(...validateLabels(asJson(spec.selector), 'spec.selector'));
  validatePorts(ports, errors);
  errors.oneOf('spec.sessionAffinity', asString(spec.sessionAffinity), ['ClientIP', 'None']);
  errors.oneOf('spec.type', type, TYPES);
  if (spec.externalTrafficPolicy !== undefined && type !== 'LoadBalancer' && type !== 'NodePort') {
    const why = 'may only be set for externally-accessible services';
    errors.invalid('spec.externalTrafficPolicy', spec.externalTrafficPolicy, why);
  }
  for (const [index, external] of asStrings(spec.externalIPs).entries()) {
    if (isIP(external) !== 0) continue;
    const why = /(^|\.)0\d/.test(external)
      ? 'must not have leading 0s'
      : 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    errors.invalid(`spec.externalIPs[${index}]`, external, why);
  }
  return errors;
}

/** An address that a service asks for must not belong to a different service. */
function validateFree(object: ApiObject, store: Store): FieldError[] {
  const address = asString(asJson(object.spec).clusterIP);
  if (address === '' || address === 'None') return [];
  for (const version of store.values('services')) {
    const other = objectOf(version);
    if (valueAt(other, 'spec', 'clusterIP') !== address || other.metadata.uid === object.metadata.uid)
      continue;
    const words = `failed to allocate IP ${address}: provided IP is already allocated`;
    return [invalidField('spec.clusterIPs', [address], words)];
  }
  return [];
}

function validatePorts(ports: readonly Json[], errors: FieldErrors): void {
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `spec.ports[${index}]`;
    const name = asString(port.name);
    if (name === '') {
      if (ports.length > 1) errors.required(`${at}.name`);
    } else {
      errors.named(`${at}.name`, name, checkLabelName);
      if (names.has(name)) errors.duplicate(`${at}.name`, name);
      names.add(name);
    }
    const { nodePort } = port;
    if (
      typeof nodePort === 'number' &&
      nodePort !== 0 &&
      (nodePort < FIRST_NODE_PORT || nodePort > LAST_NODE_PORT)
    ) {
      const words = `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`;
      errors.invalid(`${at}.nodePort`, nodePort, words);
    }
    errors.port(`${at}.port`, port.port);
    const protocol = asString(port.protocol);
    errors.oneOf(`${at}.protocol`, protocol, PROTOCOLS);
    if (typeof port.targetPort === 'string') {
      errors.named(`${at}.targetPort`, port.targetPort, checkPortName);
    } else errors.port(`${at}.targetPort`, port.targetPort);
  }
  for (const [index, { protocol, port }] of ports.entries()) {
    const key = `${asString(protocol)}/${String(port)}`;
    if (numbers.has(key)) {
      const shown = structure({
        Name: '',
        Protocol: protocol,
        AppProtocol: null,
        Port: port,
        TargetPort: 0,
        NodePort: 0,
      });
      errors.duplicate(`spec.ports[${index}]`, shown);
    }
    numbers.add(key);
  }
}

/** Whether the block has the address that a service asks for. */
function validateAddress(object: ApiObject, block: ServiceAddresses): FieldError[] {
  const address = asString(asJson(object.spec).clusterIP);
  if (address === '' || address === 'None' || isIP(address) === 0 || block.contains(address)) return [];
  const why = `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${block.cidr}`;
  return [invalidField('spec.clusterIPs', [address], why)];
}

function validateUpdate(object: ApiObject, old: ApiObject, block: ServiceAddresses): FieldError[] {
  const spec = asJson(object.spec);
  const before = asJson(old.spec);
  const from = asString(before.clusterIP);
  const to = asString(spec.clusterIP);
  if (from === to) return [];
  if (before.type === 'ExternalName' || spec.type === 'ExternalName' || from === '')
    return validateAddress(object, block);
  return [invalidField('spec.clusterIPs[0]', [to], 'may not change once set')];
}

function externalAddress(service: ApiObject): string {
  const spec = asJson(service.spec);
  const external = asStrings(spec.externalIPs);
  switch (spec.type) {
    case 'ExternalName':
      return asString(spec.externalName);
    case 'LoadBalancer': {
      const ingress = asObjects(valueAt(service, 'status', 'loadBalancer', 'ingress'));
      const shown = [...ingress.map((item) => asString(item.ip) || asString(item.hostname)), ...external];
      return shown.length === 0 ? '<pending>' : shown.join(',');
    }
    default:
      return external.length === 0 ? '<none>' : external.join(',');
  }
}

function portsText(service: ApiObject): string {
  const ports = asObjects(valueAt(service, 'spec', 'ports')).map(({ port, nodePort, protocol }) =>
    nodePort === undefined || nodePort === 0
      ? `${String(port)}/${asString(protocol)}`
      : `${String(port)}:${String(nodePort)}/${asString(protocol)}`,
  );
  return ports.length === 0 ? '<none>' : ports.join(',');
}

/** A map of labels as `a=b,c=d`. */
export function selectorText(selector: unknown): string {
  const pairs = Object.entries(asJson(selector))
    .map(([key, value]) => `${key}=${asString(value)}`)
    .sort();
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}
