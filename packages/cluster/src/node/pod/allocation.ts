/**
 * What a node has granted the containers of a pod, beside what the pod's specification asks for: in-place resize. Source: kubernetes.io,
 * Resize CPU and Memory Resources assigned to Containers.
 */
import type {
  Container,
  ContainerStatus,
  Pod,
  PodSpec,
  ResourceRequirements,
} from '@turnsole/kube/kinds/core';
import { milliOf } from '../../scheduler/requests.ts';
import type { ObservedContainer } from './observed.ts';

const RESIZABLE = ['cpu', 'memory'] as const;

/** Whether two containers have the same amounts of what can be resized. Pure. */
export function hasSameAmounts(
  a: ResourceRequirements | undefined,
  b: ResourceRequirements | undefined,
): boolean {
  return RESIZABLE.every((name) =>
    (['requests', 'limits'] as const).every(
      (list) => milliOf(a?.[list]?.[name]) === milliOf(b?.[list]?.[name]),
    ),
  );
}

/** The specification with what the node has granted by the pod's status, for a pod that another agent had before. Pure. */
export function grantedSpec({ spec, status }: Pod): PodSpec | undefined {
  if (spec === undefined) return undefined;
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return withResources(spec, ({ name, resources }) => {
    const present = statuses.find((container) => container.name === name);
    return present?.resources === undefined ? resources : grantedResources(present);
  });
}

function grantedResources({ resources, allocatedResources }: ContainerStatus): ResourceRequirements {
  return { ...resources, ...(allocatedResources === undefined ? {} : { requests: allocatedResources }) };
}

/** The specification with other resources of its containers; those that run to their end before the pod does included. Pure. */
export function withResources(
  spec: PodSpec,
  resourcesOf: (container: Container) => ResourceRequirements | undefined,
): PodSpec {
  const change = (container: Container): Container => {
    const resources = resourcesOf(container);
    return resources === container.resources ? container : { ...container, resources };
  };
  return {
    ...spec,
    containers: spec.containers.map(change),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(change) }),
  };
}

/** Containers as the specification asks for them now, by name; without ephemeral ones, which are not resized. Pure. */
export function askedContainers(spec: PodSpec | undefined): ReadonlyMap<string, Container> {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return new Map(all.map((container) => [container.name, container]));
}

/** How a running container gets what it was granted; undefined when it has it. Pure. */
export function resizeStep({ state, spec }: ObservedContainer): 'update' | 'restart' | undefined {
  if (state.phase !== 'running' || state.stopByMs !== undefined) return undefined;
  if (hasSameAmounts(state.resources, spec.resources)) return undefined;
  const restarts = RESIZABLE.some(
    (name) =>
      (['requests', 'limits'] as const).some(
        (list) => milliOf(state.resources?.[list]?.[name]) !== milliOf(spec.resources?.[list]?.[name]),
      ) &&
      spec.resizePolicy?.some(
        ({ resourceName, restartPolicy }) => resourceName === name && restartPolicy === 'RestartContainer',
      ),
  );
  return restarts ? 'restart' : 'update';
}

/** The Event's text: what is asked for, as JSON in the order of Kubernetes' own. Pure. */
export function resizeMessage(
  what: string,
  spec: PodSpec | undefined,
  generation: number | undefined,
  error?: string,
): string {
  const shown = (containers: readonly Container[] = []): unknown =>
    containers.length === 0
      ? undefined
      : containers.map(({ name, resources }) => ({ name, resources: sortedResources(resources) }));
  const summary = {
    initContainers: shown(spec?.initContainers),
    containers: shown(spec?.containers),
    generation: generation ?? 0,
    error,
  };
  return `Pod resize ${what}: ${JSON.stringify(summary)}`;
}

function sortedResources(resources: ResourceRequirements | undefined): unknown {
  const sorted = (amounts: Readonly<Record<string, string>> | undefined): unknown =>
    amounts && Object.fromEntries(Object.entries(amounts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { limits: sorted(resources?.limits), requests: sorted(resources?.requests) };
}

/** What the status says of the resources of a container that the runtime knows. Pure. */
export function shownResources({
  state,
  spec,
}: ObservedContainer): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  const { limits, requests } =
    (state.phase === 'running' ? state.resources : undefined) ?? spec.resources ?? {};
  const granted = spec.resources?.requests;
  return {
    resources: { ...(limits && { limits }), ...(requests && { requests }) },
    ...(granted && { allocatedResources: granted }),
  };
}
