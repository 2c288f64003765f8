/** Validation of pod specifications: what people get wrong, in the real server's words and order. */

import type { FieldError } from '@turnsole/kube/schema/field-error';
import { compareQuantities, formatQuantity, parseQuantity } from '@turnsole/kube/text/quantity';
import { asJson, asNumber, asObjects, asString, isJson, type Json, valueAt } from '../object.ts';
import { validateAffinity } from './affinity.ts';
import { FieldErrors, unsupportedField } from './field.ts';
import {
  checkConfigKey,
  checkEnvName,
  checkLabelName,
  checkPortName,
  checkQualifiedName,
  checkSubdomainName,
} from './names.ts';
import {
  validateContainerSecurity,
  validateDns,
  validateHostAliases,
  validateOs,
  validatePodSecurity,
  validateSpread,
} from './pod-level.ts';
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
  const errors = new FieldErrors();
  const volumes = validateVolumes(asObjects(spec.volumes), `${path}.volumes`, errors);
  for (const name of claims) volumes.set(name, 'device');
  const containers = asObjects(spec.containers);
  if (containers.length === 0) errors.required(`${path}.containers`);
  const names = new Set<string>();
  const all: readonly [string, readonly Json[]][] = [
    ['containers', containers],
    ['initContainers', asObjects(spec.initContainers)],
  ];
  for (const [field, list] of all) {
    for (const [index, container] of list.entries()) {
      const at = `${path}.${field}[${index}]`;
      validateContainer(container, at, volumes, names, errors);
      validateResizePolicy(
        asObjects(container.resizePolicy),
        `${at}.resizePolicy`,
        spec.restartPolicy,
        errors,
      );
      if (field === 'initContainers') refuseOfInit(container, at, errors);
    }
    checkHostPorts(list, `${path}.${field}`, spec.hostNetwork === true, errors);
  }
  const policy = asString(spec.restartPolicy);
  if (policy === '') errors.required(`${path}.restartPolicy`);
  else errors.oneOf(`${path}.restartPolicy`, policy, RESTART_POLICIES);
  const dns = asString(spec.dnsPolicy);
  errors.oneOf(`${path}.dnsPolicy`, dns, DNS_POLICIES);
  checkNodeSelector(asJson(spec.nodeSelector), path, errors);
  validatePodSecurity(spec, path, errors);
  errors.push(...validateAffinity(spec.affinity, `${path}.affinity`));
  validateDns(spec, path, errors);
  validateSpread(asObjects(spec.topologySpreadConstraints), `${path}.topologySpreadConstraints`, errors);
  checkNames(spec, path, errors);
  const deadline = spec.activeDeadlineSeconds;
  if (typeof deadline === 'number' && (deadline < 1 || deadline > 2 ** 31 - 1)) {
    errors.invalid(`${path}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive');
  }
  validateTolerations(asObjects(spec.tolerations), `${path}.tolerations`, errors);
  validateHostAliases(asObjects(spec.hostAliases), `${path}.hostAliases`, errors);
  validateOs(spec.os, `${path}.os`, errors);
  return errors;
}

function checkNames(spec: Json, path: string, errors: FieldErrors): void {
  for (const [field, check] of [
    ['serviceAccountName', checkSubdomainName],
    ['nodeName', checkSubdomainName],
    ['priorityClassName', checkSubdomainName],
    ['hostname', checkLabelName],
    ['subdomain', checkLabelName],
  ] as const) {
    const value = asString(spec[field]);
    if (value !== '') errors.named(`${path}.${field}`, value, check);
  }
}

function checkNodeSelector(selector: Json, path: string, errors: FieldErrors): void {
  for (const [key, value] of Object.entries(selector)) {
    errors.named(`${path}.nodeSelector`, key, checkQualifiedName);
    if (typeof value === 'string' && value.length > 63) {
      errors.invalid(`${path}.nodeSelector`, value, 'must be no more than 63 characters');
    }
  }
}

function validateResizePolicy(
  policies: readonly Json[],
  path: string,
  restarts: unknown,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [index, { resourceName, restartPolicy }] of policies.entries()) {
    const resource = asString(resourceName);
    if (seen.has(resource)) errors.duplicate(`${path}[${index}]`, resource);
    seen.add(resource);
    if (resource === '') errors.required(path);
    else errors.oneOf(path, resource, ['cpu', 'memory']);
    const policy = asString(restartPolicy);
    if (policy === '') errors.required(path);
    else errors.oneOf(path, policy, ['NotRequired', 'RestartContainer']);
    if (restarts === 'Never' && policy !== 'NotRequired') {
      errors.invalid(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

/** A container that runs to its end before the others is not watched, nor started again; one that stays beside them is. */
function refuseOfInit(container: Json, path: string, errors: FieldErrors): void {
  if (container.restartPolicy === 'Always') return;
  for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (!isJson(container[field])) continue;
    errors.forbidden(`${path}.${field}`, 'may not be set for init containers without restartPolicy=Always');
  }
  for (const [index, { restartPolicy }] of asObjects(container.resizePolicy).entries()) {
    if (restartPolicy !== 'RestartContainer') continue;
    const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    errors.invalid(`${path}.resizePolicy[${index}].restartPolicy`, restartPolicy, why);
  }
}

/** Problems of one container of any kind. Its name is added to `names`. */
export function validateContainer(
  container: Json,
  path: string,
  volumes: KnownVolumes,
  names: Set<string>,
  errors: FieldErrors,
): void {
  errors.newName(`${path}.name`, asString(container.name), names, checkLabelName);
  const image = asString(container.image);
  if (image === '') errors.required(`${path}.image`);
  else if (image !== image.trim()) {
    errors.invalid(`${path}.image`, image, 'must not have leading or trailing whitespace');
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
  errors.oneOf(`${path}.terminationMessagePolicy`, messages, MESSAGE_POLICIES);
  const pull = asString(container.imagePullPolicy);
  errors.oneOf(`${path}.imagePullPolicy`, pull, PULL_POLICIES);
  validateResources(asJson(container.resources), `${path}.resources`, errors);
  const restart = container.restartPolicy;
  if (restart !== undefined) errors.oneOf(`${path}.restartPolicy`, restart, ['Always', 'Never', 'OnFailure']);
  const { securityContext } = container;
  if (isJson(securityContext)) validateContainerSecurity(securityContext, `${path}.securityContext`, errors);
}

function validatePorts(ports: readonly Json[], path: string, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = asString(port.name);
    if (name !== '') {
      errors.named(`${at}.name`, name, checkPortName);
      if (names.has(name)) errors.duplicate(`${at}.name`, name);
      names.add(name);
    }
    const number = port.containerPort;
    if (number === undefined || number === 0) errors.required(`${at}.containerPort`);
    else errors.port(`${at}.containerPort`, number);
    const host = port.hostPort;
    if (host !== undefined && host !== 0) errors.port(`${at}.hostPort`, host);
    const protocol = asString(port.protocol);
    errors.oneOf(`${at}.protocol`, protocol, PROTOCOLS);
  }
}

function checkHostPorts(
  containers: readonly Json[],
  path: string,
  isHostNetwork: boolean,
  errors: FieldErrors,
): void {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [portIndex, port] of asObjects(container.ports).entries()) {
      if (isHostNetwork && port.hostPort !== port.containerPort) {
        const words = 'must match `containerPort` when `hostNetwork` is true';
        errors.invalid(`${path}[${index}].ports[${portIndex}].hostPort`, port.hostPort, words);
      }
      if (asNumber(port.hostPort) === 0) continue;
      const key = `${asString(port.protocol)}/${asString(port.hostIP)}/${asNumber(port.hostPort)}`;
      if (taken.has(key)) errors.duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key);
      taken.add(key);
    }
  }
}

function validateEnv(variables: readonly Json[], path: string, errors: FieldErrors): void {
  for (const [index, variable] of variables.entries()) {
    const at = `${path}[${index}]`;
    const name = asString(variable.name);
    errors.requiredName(`${at}.name`, name, checkEnvName);
    const from = variable.valueFrom;
    if (!isJson(from)) continue;
    const sources = Object.keys(from).filter((key) => isJson(from[key]));
    if (sources.length === 0) {
      const detail =
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
      errors.invalid(`${at}.valueFrom`, '', detail);
    }
    const ref = from.fieldRef;
    if (isJson(ref)) validateFieldPath(asString(ref.fieldPath), `${at}.valueFrom.fieldRef.fieldPath`, errors);
    for (const source of ['configMapKeyRef', 'secretKeyRef']) {
      const key = from[source];
      if (!isJson(key)) continue;
      if (asString(key.name) === '') errors.required(`${at}.valueFrom.${source}.name`);
      errors.requiredName(`${at}.valueFrom.${source}.key`, asString(key.key), checkConfigKey);
    }
    if (asString(variable.value) !== '' && sources.length > 0) {
      errors.invalid(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty');
    } else if (sources.length > 1) {
      errors.invalid(`${at}.valueFrom`, '', 'may not have more than one field specified at a time');
    }
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

function validateFieldPath(value: string, path: string, errors: FieldErrors): void {
  if (value === '') errors.required(path);
  else if (!FIELD_PATHS.includes(value) && !/^metadata\.(labels|annotations)\['.+'\]$/.test(value)) {
    errors.invalid(path, value, `error converting fieldPath: field label not supported: ${value}`);
  }
}

function validateProbe(probe: Json, path: string, isReadiness: boolean, errors: FieldErrors): void {
  validateHandler(probe, path, HANDLERS, errors);
  errors.counts(path, probe, [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]);
  if (!isReadiness && asNumber(probe.successThreshold, 1) !== 1) {
    errors.invalid(`${path}.successThreshold`, probe.successThreshold, 'must be 1');
  }
}

function validateHandler(handler: Json, path: string, kinds: readonly string[], errors: FieldErrors): void {
  const [first, ...others] = kinds.filter((kind) => isJson(handler[kind]));
  if (first === undefined) errors.required(path, 'must specify a handler type');
  const command = valueAt(handler, 'exec', 'command');
  if (first === 'exec' && (!Array.isArray(command) || command.length === 0)) {
    errors.required(`${path}.exec.command`);
  }
  for (const extra of others) {
    errors.forbidden(`${path}.${extra}`, 'may not specify more than 1 handler type');
  }
  // Only the first is looked at any closer.
  for (const kind of ['httpGet', 'tcpSocket', 'grpc']) {
    const found = handler[kind];
    if (kind !== first || !isJson(found)) continue;
    const { port } = found;
    if (typeof port === 'string') errors.named(`${path}.${kind}.port`, port, checkPortName);
    else errors.port(`${path}.${kind}.port`, port);
  }
}

function validateResources(resources: Json, path: string, errors: FieldErrors): void {
  const limits = asJson(resources.limits);
  for (const [field, amounts] of [
    ['limits', limits],
    ['requests', asJson(resources.requests)],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts)) {
      const at = `${path}.${field}[${name}]`;
      errors.named(`${path}.${field}`, name, checkQualifiedName);
      if (!name.includes('/') && !isStandardResource(name)) {
        errors.invalid(at, name, 'must be a standard resource type or fully qualified');
        errors.invalid(at, name, 'must be a standard resource for containers');
      }
      const quantity = parseQuantity(asString(amount));
      if (name.includes('/') && quantity.nano % 1_000_000_000n !== 0n) {
        errors.invalid(at, amount, 'must be an integer');
      }
      if (quantity.nano < 0n) errors.invalid(at, amount, 'must be greater than or equal to 0');
      if (field === 'limits' || limits[name] === undefined) continue;
      const limit = parseQuantity(asString(limits[name]));
      if (compareQuantities(quantity, limit) > 0) {
        const words = `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`;
        errors.invalid(`${path}.requests`, amount, words);
      }
    }
  }
}

function isStandardResource(name: string): boolean {
  return ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-');
}

function validateTolerations(tolerations: readonly Json[], path: string, errors: FieldErrors): void {
  for (const [index, toleration] of tolerations.entries()) {
    const at = `${path}[${index}]`;
    const key = asString(toleration.key);
    const operator = asString(toleration.operator);
    if (key !== '') errors.named(`${at}.key`, key, checkQualifiedName);
    else if (operator !== 'Exists') {
      errors.invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    }
    if (operator === 'Exists' && asString(toleration.value) !== '') {
      errors.invalid(`${at}.operator`, toleration.value, "value must be empty when `operator` is 'Exists'");
    } else if (!['', 'Equal', 'Exists'].includes(operator)) {
      errors.push(unsupportedField(`${at}.operator`, operator, ['Equal', 'Exists']));
    }
    const effect = asString(toleration.effect);
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
    if (effect !== '') errors.oneOf(`${at}.effect`, effect, effects);
  }
}
