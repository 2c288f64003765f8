import type { Clock } from '@turnsole/kube/base/clock';
import type { ContainerStatus, Pod } from '@turnsole/kube/kinds/core';
import { PodLogError, type PodLogRequest, type PodLogSource } from '../../apiserver/index.ts';
import type { ContainerLog } from './container-log.ts';
import type { LogStore } from './log-store.ts';
import { selectLog } from './select.ts';

/** Gives the API server what the containers of this machine's nodes wrote. */
export class NodeLogSource implements PodLogSource {
  readonly #logs: LogStore;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(logs: LogStore, clock: Pick<Clock, 'now'>) {
    this.#logs = logs;
    this.#clock = clock;
  }

  async *logs(pod: Pod, request: PodLogRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const log = this.#find(pod, request);
    if (log === undefined) return;
    const position = log.start();
    const follow = request.follow && !request.previous;
    const later = follow ? log.following(position, signal) : nothing();
    const sinceMs = sinceOf(request, this.#clock.now());
    yield* selectLog(log.present(position), later, { ...request, sinceMs });
  }

  /** Undefined for a container that ran without leaving a log: a simulated one. */
  #find(pod: Pod, { container, previous }: PodLogRequest): ContainerLog | undefined {
    const key = { uid: pod.metadata.uid ?? '', container };
    const log = this.#logs.find(key, previous);
    if (log !== undefined) return log;
    if (!previous && hasRun(pod, container)) return undefined;
    throw new PodLogError(whyNoLog(pod, container, previous));
  }
}

async function* nothing(): AsyncGenerator<never> {}

function sinceOf({ sinceSeconds, sinceTime }: PodLogRequest, nowMs: number): number | undefined {
  if (sinceTime !== undefined) return Date.parse(sinceTime);
  return sinceSeconds === undefined ? undefined : nowMs - sinceSeconds * 1000;
}

function hasRun({ status }: Pod, container: string): boolean {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const state = statuses.find(({ name }) => name === container)?.state;
  return state?.running !== undefined || state?.terminated !== undefined;
}

/** Why a container has no log, in kubelet's words; pure. */
function whyNoLog(pod: Pod, container: string, previous: boolean): string {
  const where = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`;
  if (previous) return `previous terminated ${where} not found`;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const status: ContainerStatus | undefined = statuses.find((candidate) => candidate.name === container);
  const reason = status?.state?.waiting?.reason ?? 'ContainerCreating';
  return `${where} is waiting to start: ${WAITING_TEXTS[reason] ?? reason}`;
}

const WAITING_TEXTS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};
