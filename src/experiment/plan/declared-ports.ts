import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod, Service } from '@turnsole/kube/kinds/core';
import { lastingContainers } from '@turnsole/kube/kinds/lasting-containers';
import { PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../api/index.ts';
import type { DeclaredPorts } from '../injection/fault.ts';

/**
 * The declared ports of the targets' pods: by their containers, and by the services of their namespaces that select them. An unreadable
 * object declares nothing; the result is at most a warning.
 */
export async function observeDeclaredPorts(
  client: KubeClient,
  targets: readonly InjectionTarget[],
  signal: AbortSignal,
): Promise<readonly DeclaredPorts[]> {
  const names = new Map(
    targets
      .filter(({ kind }) => kind === 'pod')
      .map(({ namespace = '', name }) => [`${namespace}/${name}`, { namespace, name }]),
  );
  const namespaces = [...new Set([...names.values()].map(({ namespace }) => namespace))];
  const quietly = <T>(asked: Promise<T>): Promise<T | undefined> =>
    asked.catch(() => {
      signal.throwIfAborted();
      return undefined;
    });
  const [pods, services] = await Promise.all([
    Promise.all(
      [...names.values()].map(({ namespace, name }) =>
        quietly(client.find<Pod>(PODS, name, { namespace, signal })),
      ),
    ),
    Promise.all(
      namespaces.map((namespace) =>
        quietly(client.list<Service & KubeObject>(SERVICES, { namespace, signal })),
      ),
    ),
  ]);
  const all = services.flatMap((list) => list?.items ?? []);
  return pods.flatMap((pod) => (pod === undefined ? [] : [declaredPorts(pod, all)]));
}

/** What containers and services say of the TCP ports of a pod. Pure. */
export function declaredPorts(pod: Pod, services: readonly Service[]): DeclaredPorts {
  const { namespace, name, labels = {} } = pod.metadata;
  const own = lastingContainers(pod.spec)
    .flatMap(({ ports = [] }) => ports)
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ containerPort }) => containerPort);
  const behind = services.filter(({ metadata, spec }) => {
    const selector = Object.entries(spec?.selector ?? {});
    const isSelected = selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
    return metadata.namespace === namespace && isSelected;
  });
  // A port by name is one of the containers'.
  const numbers = behind
    .flatMap(({ spec }) => spec?.ports ?? [])
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ port, targetPort = port }) => Number(targetPort))
    .filter((port) => Number.isInteger(port));
  return { pod: `${namespace}/${name}`, ports: [...new Set([...own, ...numbers])].sort((a, b) => a - b) };
}
