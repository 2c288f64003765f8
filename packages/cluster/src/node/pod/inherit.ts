import type { Container, ContainerStatus, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { type ContainerRole, type ObservedContainer, restartsAfter, type Termination } from './observed.ts';
import { CONTAINER_ID_SCHEME } from './status.ts';

/** Exit code of a run whose end was not seen (kubelet's, after a restart of the machine). */
const UNSEEN_EXIT_CODE = 255;

/** What the status says of a container that ran before this agent: its state now, and how often it was started. */
interface Inheritance {
  readonly container: ObservedContainer;
  readonly attempts: number;
}

/** The containers of a pod that an agent takes over, init containers first, ephemeral ones last; see {@link inheritContainer}. */
export function inheritContainers({ spec, status }: Pod, nowMs: number): Inheritance[] {
  const inherit = (role: ContainerRole, container: Container): Inheritance => {
    const present = statusesOf(role, status).find(({ name }) => name === container.name);
    return inheritContainer(container, role, present, spec?.restartPolicy, nowMs);
  };
  return [
    ...(spec?.initContainers ?? []).map((container) =>
      inherit(container.restartPolicy === 'Always' ? 'sidecar' : 'init', container),
    ),
    ...(spec?.containers ?? []).map((container) => inherit('app', container)),
    ...(spec?.ephemeralContainers ?? []).map((container) => inherit('ephemeral', container)),
  ];
}

/** Ephemeral containers of the pod that are not known yet: they are added while it runs, and never change. Pure. */
export function newEphemeral({ spec }: Pod, known: ReadonlyMap<string, unknown>): ObservedContainer[] {
  return (spec?.ephemeralContainers ?? [])
    .filter(({ name }) => !known.has(name))
    .map((container) => ({ role: 'ephemeral', spec: container, state: { phase: 'idle' }, restarts: 0 }));
}

function statusesOf(role: ContainerRole, status: PodStatus | undefined): readonly ContainerStatus[] {
  if (role === 'app') return status?.containerStatuses ?? [];
  if (role === 'ephemeral') return status?.ephemeralContainerStatuses ?? [];
  return status?.initContainerStatuses ?? [];
}

/**
 * The state of a container whose runs all ended when its node was lost, by its status; pure.
 *
 * A running container counts as ended with 255, reason Unknown. One that its policy restarts begins anew, without back-off and
 * after the init containers; the restart is counted. One that its policy does not restart stays ended.
 */
function inheritContainer(
  spec: Container,
  role: ContainerRole,
  status: ContainerStatus | undefined,
  restartPolicy: string | undefined,
  nowMs: number,
): Inheritance {
  const fresh: ObservedContainer = { role, spec, state: { phase: 'idle' }, restarts: 0 };
  const last = status === undefined ? undefined : lastTermination(status, nowMs);
  if (status === undefined || last === undefined) return { container: fresh, attempts: 0 };
  const attempts = status.restartCount + 1;
  const known = { ...fresh, restarts: status.restartCount, imageID: status.imageID };
  // Init containers are run again in the new sandbox, unless one has failed for good.
  const isOver =
    role === 'init'
      ? last.exitCode !== 0 && !restartsAfter(restartPolicy, role, last)
      : !restartsAfter(restartPolicy, role, last);
  return isOver
    ? { container: { ...known, state: { phase: 'exited', termination: last } }, attempts }
    : { container: { ...known, last }, attempts };
}

function lastTermination(status: ContainerStatus, nowMs: number): Termination | undefined {
  const { state, lastState, containerID } = status;
  const running = state?.running;
  if (running !== undefined) {
    return {
      id: plainId(containerID),
      exitCode: UNSEEN_EXIT_CODE,
      reason: 'Unknown',
      startedAtMs: timeOf(running.startedAt, nowMs),
      finishedAtMs: nowMs,
    };
  }
  const terminated = state?.terminated ?? lastState?.terminated;
  if (terminated === undefined) return undefined;
  const { exitCode, reason, message, signal } = terminated;
  return {
    id: plainId(terminated.containerID ?? containerID),
    exitCode,
    reason: reason ?? 'Error',
    message,
    signal,
    startedAtMs: timeOf(terminated.startedAt, nowMs),
    finishedAtMs: timeOf(terminated.finishedAt, nowMs),
  };
}

function plainId(id = ''): string {
  return id.startsWith(CONTAINER_ID_SCHEME) ? id.slice(CONTAINER_ID_SCHEME.length) : id;
}

/** Milliseconds of a time of the API; `otherwise` for none or one that is no time. */
export function timeOf(text: string | undefined, otherwise: number): number {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? otherwise : ms;
}
