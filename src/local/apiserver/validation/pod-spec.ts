/** Validation of pod specifications: what people get wrong, in the real server's words and order. */

import { compareQuantities, formatQuantity, parseQuantity } from '../../../api/quantity.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { asJson, asNumber, asObjects, asString, isJson, type Json, valueAt } from '../object.ts';
import { validateAffinity } from './affinity.ts';
import { duplicateField, forbiddenField, invalidField, requiredField, unsupportedField } from './field.ts';
import {
  checkConfigKey,
  checkEnvName,
  checkLabelName,
  checkPortName,
  checkQualifiedName,
  checkSubdomainName,
} from './names.ts';
import { type KnownVolumes, validateMounts, validateVolumes } from './volumes.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MESSAGE_POLICIES = ['FallbackToLogsOnError', 'File'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

/**
 * Problems of a pod specification at `path` (`spec`, `spec.template.spec`). `claims` are the names of the volumes that a stateful
 * set's claim templates give its pods, beside and in place of those of the template.
 */
export function validatePodSpec(spec: Json, path: string, claims: readonly string[] = []): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = validateVolumes(asObjects(spec.volumes), `${path}.volumes`, errors);
  for (const name of claims) volumes.set(name, 'device');
  const containers = asObjects(spec.containers);
  if (containers.length === 0) errors.push(requiredField(`${path}.containers`));
  const names = new Set<string>();
  const all: readonly [string, readonly Json[]][] = [
    ['containers', containers],
    ['initContainers', asObjects(spec.initContainers)],
  ];
  for (const [field, list] of all) {
    for (const [index, container] of list.entries()) {
      validateContainer(container, `${path}.${field}[${index}]`, volumes, names, errors);
    }
    checkHostPorts(list, `${path}.${field}`, spec.hostNetwork === true, errors);
  }
  const policy = asString(spec.restartPolicy);
  if (policy === '') errors.push(requiredField(`${path}.restartPolicy`));
  else if (!RESTART_POLICIES.includes(policy)) {
    errors.push(unsupportedField(`${path}.restartPolicy`, policy, RESTART_POLICIES));
  }
  const dns = asString(spec.dnsPolicy);
  if (!DNS_POLICIES.includes(dns)) errors.push(unsupportedField(`${path}.dnsPolicy`, dns, DNS_POLICIES));
  checkNames(spec, path, errors);
  const deadline = spec.activeDeadlineSeconds;
  if (typeof deadline === 'number' && (deadline < 1 || deadline > 2 ** 31 - 1)) {
    errors.push(
      invalidField(`${path}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'),
    );
  }
  errors.push(...validateAffinity(spec.affinity, `${path}.affinity`));
  validateTolerations(asObjects(spec.tolerations), `${path}.tolerations`, errors);
  return errors;
}

function checkNames(spec: Json, path: string, errors: FieldError[]): void {
  for (const [field, check] of [
    ['serviceAccountName', checkSubdomainName],
    ['nodeName', checkSubdomainName],
    ['priorityClassName', checkSubdomainName],
    ['hostname', checkLabelName],
    ['subdomain', checkLabelName],
  ] as const) {
    const value = asString(spec[field]);
    if (value === '') continue;
    for (const words of check(value)) errors.push(invalidField(`${path}.${field}`, value, words));
  }
  for (const [key, value] of Object.entries(asJson(spec.nodeSelector))) {
    for (const words of checkQualifiedName(key))
      errors.push(invalidField(`${path}.nodeSelector`, key, words));
    if (typeof value === 'string' && value.length > 63) {
      errors.push(invalidField(`${path}.nodeSelector`, value, 'must be no more than 63 characters'));
    }
  }
}

/** Problems of one container of any kind. Its name is added to `names`. */
export function validateContainer(
  container: Json,
  path: string,
  volumes: KnownVolumes,
  names: Set<string>,
  errors: FieldError[],
): void {
  const name = asString(container.name);
  if (name === '') errors.push(requiredField(`${path}.name`));
  else {
    for (const words of checkLabelName(name)) errors.push(invalidField(`${path}.name`, name, words));
    if (names.has(name)) errors.push(duplicateField(`${path}.name`, name));
  }
  names.add(name);
  const image = asString(container.image);
  if (image === '') errors.push(requiredField(`${path}.image`));
  else if (image !== image.trim()) {
    errors.push(invalidField(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  }
  validatePorts(asObjects(container.ports), `${path}.ports`, errors);
  validateEnv(asObjects(container.env), `${path}.env`, errors);
  validateMounts(container, path, volumes, errors);
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const found = container[probe];
    if (isJson(found)) validateProbe(found, `${path}.${probe}`, probe === 'readinessProbe', errors);
  }
  for (const hook of ['postStart', 'preStop']) {
    const found = valueAt(container, 'lifecycle', hook);
    if (isJson(found)) validateHandler(found, `${path}.lifecycle.${hook}`, [...HANDLERS, 'sleep'], errors);
  }
  const messages = asString(container.terminationMessagePolicy);
  if (!MESSAGE_POLICIES.includes(messages)) {
    errors.push(unsupportedField(`${path}.terminationMessagePolicy`, messages, MESSAGE_POLICIES));
  }
  const pull = asString(container.imagePullPolicy);
  if (!PULL_POLICIES.includes(pull))
    errors.push(unsupportedField(`${path}.imagePullPolicy`, pull, PULL_POLICIES));
  validateResources(asJson(container.resources), `${path}.resources`, errors);
}

function inRange(port: unknown): boolean {
  return typeof port === 'number' && port >= 1 && port <= 65_535;
}

const PORT_WORDS = 'must be between 1 and 65535, inclusive';

function validatePorts(ports: readonly Json[], path: string, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = asString(port.name);
    if (name !== '') {
      for (const words of checkPortName(name)) errors.push(invalidField(`${at}.name`, name, words));
      if (names.has(name)) errors.push(duplicateField(`${at}.name`, name));
      names.add(name);
    }
    const number = port.containerPort;
    if (number === undefined || number === 0) errors.push(requiredField(`${at}.containerPort`));
    else if (!inRange(number)) errors.push(invalidField(`${at}.containerPort`, number, PORT_WORDS));
    const host = port.hostPort;
    if (host !== undefined && host !== 0 && !inRange(host))
      errors.push(invalidField(`${at}.hostPort`, host, PORT_WORDS));
    const protocol = asString(port.protocol);
    if (!PROTOCOLS.includes(protocol)) errors.push(unsupportedField(`${at}.protocol`, protocol, PROTOCOLS));
  }
}

function checkHostPorts(
  containers: readonly Json[],
  path: string,
  isHostNetwork: boolean,
  errors: FieldError[],
): void {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [portIndex, port] of asObjects(container.ports).entries()) {
      if (isHostNetwork && port.hostPort !== port.containerPort) {
        const words = 'must match `hostPort` when `hostNetwork` is true';
        errors.push(
          invalidField(`${path}[${index}].ports[${portIndex}].containerPort`, port.containerPort, words),
        );
      }
      if (asNumber(port.hostPort) === 0) continue;
      const key = `${asString(port.protocol)}/${asString(port.hostIP)}/${asNumber(port.hostPort)}`;
      if (taken.has(key)) errors.push(duplicateField(`${path}[${index}].ports[${portIndex}].hostPort`, key));
      taken.add(key);
    }
  }
}

function validateEnv(variables: readonly Json[], path: string, errors: FieldError[]): void {
  for (const [index, variable] of variables.entries()) {
    const at = `${path}[${index}]`;
    const name = asString(variable.name);
    if (name === '') errors.push(requiredField(`${at}.name`));
    else for (const words of checkEnvName(name)) errors.push(invalidField(`${at}.name`, name, words));
    const from = variable.valueFrom;
    if (!isJson(from)) continue;
    const sources = Object.keys(from).filter((key) => isJson(from[key]));
    if (sources.length === 0) {
      const detail =
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
      errors.push(invalidField(`${at}.valueFrom`, '', detail));
    }
    if (asString(variable.value) !== '' && sources.length > 0) {
      errors.push(invalidField(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    } else if (sources.length > 1) {
      errors.push(
        invalidField(`${at}.valueFrom`, '', 'may not have more than one field specified at a time'),
      );
    }
    for (const source of ['configMapKeyRef', 'secretKeyRef']) {
      const ref = from[source];
      if (!isJson(ref)) continue;
      const key = asString(ref.key);
      if (asString(ref.name) === '') errors.push(requiredField(`${at}.valueFrom.${source}.name`));
      if (key === '') errors.push(requiredField(`${at}.valueFrom.${source}.key`));
      else
        for (const words of checkConfigKey(key))
          errors.push(invalidField(`${at}.valueFrom.${source}.key`, key, words));
    }
    const ref = from.fieldRef;
    if (isJson(ref)) validateFieldPath(asString(ref.fieldPath), `${at}.valueFrom.fieldRef.fieldPath`, errors);
  }
}

const FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

function validateFieldPath(value: string, path: string, errors: FieldError[]): void {
  if (value === '') errors.push(requiredField(path));
  else if (!FIELD_PATHS.includes(value) && !/^metadata\.(labels|annotations)\['.+'\]$/.test(value)) {
    errors.push(invalidField(path, value, `error converting fieldPath: field label not supported: ${value}`));
  }
}

function validateProbe(probe: Json, path: string, isReadiness: boolean, errors: FieldError[]): void {
  validateHandler(probe, path, HANDLERS, errors);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    const value = asNumber(probe[field]);
    if (value < 0) errors.push(invalidField(`${path}.${field}`, value, 'must be greater than or equal to 0'));
  }
  if (!isReadiness && asNumber(probe.successThreshold, 1) !== 1) {
    errors.push(invalidField(`${path}.successThreshold`, probe.successThreshold, 'must be 1'));
  }
}

function validateHandler(handler: Json, path: string, kinds: readonly string[], errors: FieldError[]): void {
  const given = kinds.filter((kind) => isJson(handler[kind]));
  if (given.length === 0) errors.push(requiredField(path, 'must specify a handler type'));
  for (const extra of given.slice(1)) {
    errors.push(forbiddenField(`${path}.${extra}`, 'may not specify more than 1 handler type'));
  }
  const command = valueAt(handler, 'exec', 'command');
  if (isJson(handler.exec) && (!Array.isArray(command) || command.length === 0)) {
    errors.push(requiredField(`${path}.exec.command`));
  }
  for (const kind of ['httpGet', 'tcpSocket', 'grpc']) {
    const found = handler[kind];
    if (!isJson(found)) continue;
    const { port } = found;
    if (typeof port === 'string') {
      for (const words of checkPortName(port)) errors.push(invalidField(`${path}.${kind}.port`, port, words));
    } else if (!inRange(port)) errors.push(invalidField(`${path}.${kind}.port`, port ?? 0, PORT_WORDS));
  }
}

function validateResources(resources: Json, path: string, errors: FieldError[]): void {
  const limits = asJson(resources.limits);
  for (const [field, amounts] of [
    ['limits', limits],
    ['requests', asJson(resources.requests)],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts)) {
      const at = `${path}.${field}[${name}]`;
      for (const words of checkQualifiedName(name))
        errors.push(invalidField(`${path}.${field}`, name, words));
      if (!name.includes('/') && !isStandardResource(name)) {
        errors.push(invalidField(at, name, 'must be a standard resource type or fully qualified'));
        errors.push(invalidField(at, name, 'must be a standard resource for containers'));
      }
      const quantity = parseQuantity(asString(amount));
      if (name.includes('/') && quantity.nano % 1_000_000_000n !== 0n) {
        errors.push(invalidField(at, amount, 'must be an integer'));
      }
      if (quantity.nano < 0n) errors.push(invalidField(at, amount, 'must be greater than or equal to 0'));
      if (field === 'limits' || limits[name] === undefined) continue;
      const limit = parseQuantity(asString(limits[name]));
      if (compareQuantities(quantity, limit) > 0) {
        const words = `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`;
        errors.push(invalidField(`${path}.requests`, amount, words));
      }
    }
  }
}

function isStandardResource(name: string): boolean {
  return ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-');
}

function validateTolerations(tolerations: readonly Json[], path: string, errors: FieldError[]): void {
  for (const [index, toleration] of tolerations.entries()) {
    const at = `${path}[${index}]`;
    const key = asString(toleration.key);
    const operator = asString(toleration.operator);
    if (key !== '')
      for (const words of checkQualifiedName(key)) errors.push(invalidField(`${at}.key`, key, words));
    else if (operator !== 'Exists') {
      errors.push(
        invalidField(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (operator === 'Exists' && asString(toleration.value) !== '') {
      errors.push(
        invalidField(`${at}.operator`, toleration.value, "value must be empty when `operator` is 'Exists'"),
      );
    } else if (!['', 'Equal', 'Exists'].includes(operator)) {
      errors.push(unsupportedField(`${at}.operator`, operator, ['Equal', 'Exists']));
    }
    const effect = asString(toleration.effect);
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(
        invalidField(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    }
    const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
    if (effect !== '' && !effects.includes(effect))
      errors.push(unsupportedField(`${at}.effect`, effect, effects));
  }
}
