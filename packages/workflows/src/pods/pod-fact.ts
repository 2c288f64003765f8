import type { Container, ContainerStatus, Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { parseTime } from '@turnsole/kube/text/time';
import type { ContainerFact, ContainerRole, ContainerState, PodFact } from '../engine/change.ts';
import { resourcesDuration } from './resources-duration.ts';

/** A pod of the watch in the words of the engine. Containers of which the kubelet has said nothing yet are left out. Pure. */
export function podFact(pod: Pod): PodFact {
  const { metadata, status = {} } = pod;
  const containers = containersOf(pod);
  return {
    name: metadata.name,
    phase: phaseOf(status.phase),
    containers: containers.flatMap(({ container, role, status: known }) =>
      known === undefined ? [] : [factOf(container, role, known)],
    ),
    message: textOf(status.message),
    unschedulable: unschedulable(pod),
    ip: textOf(status.podIP),
    host: textOf(pod.spec?.nodeName),
    finishedAt: lastEnd(containers.map(({ status: known }) => known)),
    resourcesDuration: isFinished(pod)
      ? resourcesDuration(containers.map(({ container, status: known }) => [container, known]))
      : undefined,
  };
}

const PHASES: ReadonlySet<string> = new Set(['Pending', 'Running', 'Succeeded', 'Failed']);

function phaseOf(phase: string | undefined): PodFact['phase'] {
  if (phase === undefined || phase === '') return 'Pending';
  return PHASES.has(phase) ? (phase as PodFact['phase']) : 'Unknown';
}

interface KnownContainer {
  readonly container: Container;
  readonly role: ContainerRole;
  readonly status: ContainerStatus | undefined;
}

function containersOf({ spec, status }: Pod): KnownContainer[] {
  const { initContainers = [], containers = [] } = spec ?? {};
  const hasMain = containers.some(({ name }) => name === 'main');
  return [
    ...initContainers.map((container) =>
      known(container, initRole(container), status?.initContainerStatuses),
    ),
    ...containers.map((container) => known(container, roleOf(container, hasMain), status?.containerStatuses)),
  ];
}

function known(
  container: Container,
  role: ContainerRole,
  statuses: readonly ContainerStatus[] = [],
): KnownContainer {
  return { container, role, status: statuses.find(({ name }) => name === container.name) };
}

/** An init container that is always restarted is a sidecar of the kubelet's own (Kubernetes 1.29; the types are older). */
function initRole(container: Container & { readonly restartPolicy?: string }): ContainerRole {
  if (container.restartPolicy === 'Always') return 'sidecar';
  return container.name === 'init' ? 'init' : 'userInit';
}

/** All containers of a set without a main one are equal. */
function roleOf({ name }: Container, hasMain: boolean): ContainerRole {
  if (name === 'wait') return 'wait';
  return name === 'main' || !hasMain ? 'main' : 'sidecar';
}

function factOf({ name }: Container, role: ContainerRole, { state, ready }: ContainerStatus): ContainerFact {
  return { name, role, state: stateOf(state), ready };
}

function stateOf({
  running,
  terminated,
  waiting,
}: NonNullable<ContainerStatus['state']> = {}): ContainerState {
  if (terminated !== undefined) {
    const { exitCode, reason, message } = terminated;
    return { kind: 'terminated', exitCode, reason: textOf(reason), message: textOf(message) };
  }
  if (running !== undefined) return { kind: 'running' };
  return { kind: 'waiting', reason: textOf(waiting?.reason), message: textOf(waiting?.message) };
}

function unschedulable({ status }: Pod): string | undefined {
  const found = status?.conditions?.find(({ reason }) => reason === 'Unschedulable');
  return found === undefined ? undefined : (found.message ?? '');
}

function lastEnd(statuses: readonly (ContainerStatus | undefined)[]): number | undefined {
  const ends = statuses.map((status) => parseTime(status?.state?.terminated?.finishedAt));
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function textOf(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
