import { isObject, parseJson, parseObject } from '@turnsole/kube/text/json';
import type { Context } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import type {
  KubeNamespaceRequest,
  KubeNamespaceResponse,
  KubeObjectRequest,
  KubeObjectResponse,
  ServiceOfCluster,
} from '../../schema/generated/types.ts';
import { askAgent, isConnected } from './ask-agent.ts';

/** Objects of a cluster, once; none if its agent is not connected. */
export async function* kubeObjects(
  request: KubeObjectRequest,
  context: Context,
): AsyncGenerator<KubeObjectResponse> {
  const { infraID: infra, namespace, objectType, kubeObjRequest, workloads } = request;
  if (!(await isConnected(infra, context))) {
    yield { infraID: infra, kubeObj: { namespace, data: [] } };
    return;
  }
  // The client must not choose the kind of action.
  const data = { namespace, objectType, kubeObjRequest, workloads };
  for await (const text of askAgent({ infra, type: 'kubeobject', data, mayLast: false }, context)) {
    yield { infraID: infra, kubeObj: readObjects(text) };
    return;
  }
}

/** Namespaces of a cluster, once; none if its agent is not connected. */
export async function* kubeNamespaces(
  { infraID: infra }: KubeNamespaceRequest,
  context: Context,
): AsyncGenerator<KubeNamespaceResponse> {
  if (!(await isConnected(infra, context))) {
    yield { infraID: infra, kubeNamespace: [] };
    return;
  }
  for await (const text of askAgent({ infra, type: 'namespace', data: {}, mayLast: false }, context)) {
    yield { infraID: infra, kubeNamespace: readNames(text) };
    return;
  }
}

/** The objects in an agent's reply, which is null if it could not list them. Pure. @throws Refusal for another text */
export function readObjects(text: string): KubeObjectResponse['kubeObj'] {
  const { namespace, data } = parseObject(text) ?? unreadable();
  const objects = (Array.isArray(data) ? data : []).filter(isObject).map(({ name, labels, service }) => ({
    name: String(name ?? ''),
    labels: Array.isArray(labels) ? labels.map(String) : [],
    service: isObject(service) ? readService(service) : null,
  }));
  return { namespace: String(namespace ?? ''), data: objects };
}

function readService({ selector, ports }: Readonly<Record<string, unknown>>): ServiceOfCluster {
  return {
    selector: Array.isArray(selector) ? selector.map(String) : [],
    ports: (Array.isArray(ports) ? ports : [])
      .filter(isObject)
      .flatMap(({ name, port }) => (isPort(port) ? [{ name: String(name ?? ''), port }] : [])),
  };
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}

/** Pure. @throws Refusal if it is no list of names */
export function readNames(text: string): { readonly name: string }[] {
  const names = parseJson(text);
  if (names === null) return [];
  if (!Array.isArray(names)) return unreadable();
  return names.filter(isObject).map(({ name }) => ({ name: String(name ?? '') }));
}

function unreadable(): never {
  throw new Refusal('unavailable', "the answer of the infrastructure's agent could not be read");
}
