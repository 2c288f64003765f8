import type { Container, ContainerStatus, Pod, PodSpec } from './core.ts';

/**
 * The containers that run as long as their pod: its own, in their order, and after them its sidecars, which are init containers that
 * are restarted always. Pure.
 */
export function lastingContainers(spec: PodSpec | undefined): Container[] {
  return [...(spec?.containers ?? []), ...sidecarsOf(spec)];
}

/** What the status says of them; without those that it does not know yet. Pure. */
export function lastingStatuses({ spec, status }: Pick<Pod, 'spec' | 'status'>): ContainerStatus[] {
  const sidecars = new Set(sidecarsOf(spec).map(({ name }) => name));
  const ofSidecars = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  return [...(status?.containerStatuses ?? []), ...ofSidecars];
}

function sidecarsOf(spec: PodSpec | undefined): Container[] {
  return (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
}
