import type { Container, EnvFromSource, EnvVar, Pod } from '@turnsole/kube/kinds/core';
import { fieldValue, type PodPlacement, resourceValue } from './downward.ts';
import { expandVariables } from './expand.ts';
import { configMapData, MissingReferenceError, type ReferenceSource, secretData } from './references.ts';

/** The sources of a container's environment. */
interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly placement: PodPlacement;
  readonly references: ReferenceSource;
  /** Variables of services; `env` and `envFrom` win over them. */
  readonly services: ReadonlyMap<string, string>;
}

/** Name as envFrom takes it; other keys are left out (kubelet reports them in an Event). */
const VARIABLE_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/**
 * Gives the variables the pod asks for, weakest first: services, envFrom in order, env in order, each able to use those
 * before it in `$(NAME)`.
 *
 * @throws MissingReferenceError when a config map, secret or key that is not optional is missing, or a field does not exist
 */
export async function containerEnvironment(input: EnvironmentInput): Promise<Map<string, string>> {
  const variables = new Map<string, string>(input.services);
  for (const source of input.container.envFrom ?? []) {
    for (const [key, value] of await valuesFrom(source, input)) variables.set(key, value);
  }
  for (const variable of input.container.env ?? []) {
    const value = await variableValue(variable, variables, input);
    if (value !== undefined) variables.set(variable.name, value);
  }
  return variables;
}

async function valuesFrom(source: EnvFromSource, input: EnvironmentInput): Promise<[string, string][]> {
  const namespace = input.pod.metadata.namespace ?? '';
  const data = await dataFrom(source, namespace, input.references);
  return [...data].flatMap(([key, value]): [string, string][] => {
    const name = `${source.prefix ?? ''}${key}`;
    return VARIABLE_NAME.test(name) ? [[name, value.toString()]] : [];
  });
}

async function dataFrom(
  source: EnvFromSource,
  namespace: string,
  references: ReferenceSource,
): Promise<Map<string, Buffer>> {
  if (source.configMapRef?.name !== undefined) {
    const { name, optional } = source.configMapRef;
    const object = await references.configMap(namespace, name);
    if (object !== undefined) return configMapData(object);
    if (optional !== true) throw new MissingReferenceError(`configmap ${JSON.stringify(name)} not found`);
  } else if (source.secretRef?.name !== undefined) {
    const { name, optional } = source.secretRef;
    const object = await references.secret(namespace, name);
    if (object !== undefined) return secretData(object);
    if (optional !== true) throw new MissingReferenceError(`secret ${JSON.stringify(name)} not found`);
  }
  return new Map();
}

async function variableValue(
  variable: EnvVar,
  before: ReadonlyMap<string, string>,
  input: EnvironmentInput,
): Promise<string | undefined> {
  const from = variable.valueFrom;
  if (from === undefined) return expandVariables(variable.value ?? '', before);
  if (from.fieldRef !== undefined) {
    const path = from.fieldRef.fieldPath;
    const value = fieldValue(path, input.pod, input.placement);
    if (value === undefined) throw new MissingReferenceError(`unsupported fieldPath: ${path}`);
    return value;
  }
  if (from.resourceFieldRef !== undefined) {
    const { resource, divisor, containerName } = from.resourceFieldRef;
    const container = containerNamed(input, containerName);
    const value = resourceValue(resource, divisor, container, input.placement);
    if (value === undefined) throw new MissingReferenceError(`unsupported container resource : ${resource}`);
    return value;
  }
  if (from.configMapKeyRef !== undefined) return keyValue('configmap', from.configMapKeyRef, input);
  if (from.secretKeyRef !== undefined) return keyValue('secret', from.secretKeyRef, input);
  return '';
}

function containerNamed({ pod, container }: EnvironmentInput, name: string | undefined): Container {
  if (name === undefined || name === '') return container;
  const all = [
    ...(pod.spec?.initContainers ?? []),
    ...(pod.spec?.containers ?? []),
    ...(pod.spec?.ephemeralContainers ?? []),
  ];
  const found = all.find((candidate) => candidate.name === name);
  if (found === undefined) throw new MissingReferenceError(`container ${name} not found`);
  return found;
}

async function keyValue(
  kind: 'configmap' | 'secret',
  ref: { readonly name?: string; readonly key: string; readonly optional?: boolean },
  { pod, references }: EnvironmentInput,
): Promise<string | undefined> {
  const namespace = pod.metadata.namespace ?? '';
  const name = ref.name ?? '';
  const data =
    kind === 'configmap'
      ? map(await references.configMap(namespace, name), configMapData)
      : map(await references.secret(namespace, name), secretData);
  const value = data?.get(ref.key);
  if (value !== undefined) return value.toString();
  if (ref.optional === true) return undefined;
  if (data === undefined) throw new MissingReferenceError(`${kind} ${JSON.stringify(name)} not found`);
  const object = kind === 'configmap' ? 'ConfigMap' : 'Secret';
  throw new MissingReferenceError(`couldn't find key ${ref.key} in ${object} ${namespace}/${name}`);
}

function map<T, R>(value: T | undefined, apply: (value: T) => R): R | undefined {
  return value === undefined ? undefined : apply(value);
}
