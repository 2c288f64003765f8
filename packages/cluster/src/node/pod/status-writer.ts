import { Backoff } from '@turnsole/kube/base/backoff';
import type { Clock } from '@turnsole/kube/base/clock';
import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ObjectMeta, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { compareResourceVersions } from '@turnsole/kube/runtime/resource-version';

/** The object to write, and how. */
interface StatusWriterOptions {
  readonly client: Pick<KubeClient, 'patch'>;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Hears of a write that failed and will be tried again. */
  readonly onError: (error: unknown) => void;
}

const BACKOFF = { baseMs: 50, maxMs: 5_000, jitter: 'equal' } as const;

/**
 * Writes a pod's status: one request at a time, always the latest, nothing when nothing has changed.
 *
 * A strategic merge patch, so that conditions of others stay, with the uid as precondition, so that a new pod of the
 * same name never gets the status of the old one.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #backoff = new Backoff(BACKOFF);
  readonly #stop = new AbortController();
  #wanted: { readonly status: PodStatus; readonly text: string } | undefined;
  #written = '';
  #last: WrittenStatus | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Has the status written unless it is what was written last. */
  offer(status: PodStatus): void {
    if (this.#stop.signal.aborted) return;
    const text = JSON.stringify(status);
    this.#wanted = text === this.#written && this.#writing === undefined ? undefined : { status, text };
    if (this.#wanted !== undefined) this.#writing ??= this.#write();
  }

  /** See {@link isOverwritten}; not to be told while a write is under way. */
  isOverwritten(pod: Pod): boolean {
    return this.#writing === undefined && isOverwritten(pod, this.#last);
  }

  /** Has the next status written even if it is what was written last. */
  rewrite(): void {
    this.#written = '';
  }

  /** Resolves when the latest status is written, or the object is gone. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Writes no more. */
  close(): void {
    this.#stop.abort();
    this.#wanted = undefined;
  }

  async #write(): Promise<void> {
    for (let next = this.#wanted; next !== undefined; next = this.#wanted) {
      if (next.text === this.#written) break;
      try {
        const { client } = this.#options;
        this.#last = await patchStatus(client, this.#options, next.status, this.#stop.signal);
        this.#written = next.text;
        this.#backoff.reset();
      } catch (error) {
        if (this.#stop.signal.aborted || isGone(error)) break;
        this.#options.onError(error);
        await this.#pause();
        continue;
      }
      if (this.#wanted === next) break;
    }
    this.#wanted = undefined;
    this.#writing = undefined;
  }

  async #pause(): Promise<void> {
    try {
      await this.#options.clock.sleep(this.#backoff.next(), this.#stop.signal);
    } catch {
      // Closed meanwhile: the loop finds nothing wanted.
    }
  }
}

/** What is remembered of a status that was written. */
export interface WrittenStatus {
  readonly version: string | undefined;
  readonly ready: string | undefined;
}

/**
 * Writes a pod's status. The uid is a precondition. Conditions are merged by their type, so a reason that no longer holds has to be
 * removed by name.
 */
export async function patchStatus(
  client: Pick<KubeClient, 'patch'>,
  { namespace, name, uid }: Pick<ObjectMeta, 'namespace' | 'name' | 'uid'>,
  status: PodStatus,
  signal?: AbortSignal,
): Promise<WrittenStatus> {
  const conditions = status.conditions && [
    ...status.conditions.map((condition) => ({ reason: null, message: null, ...condition })),
    ...pastResizes(status),
  ];
  const patch = { metadata: { uid }, status: { ...status, conditions } };
  const options = { namespace, subresource: 'status', signal };
  const { metadata } = await client.patch<Pod>(PODS, name, 'strategic', patch, options);
  return { version: metadata.resourceVersion, ready: readyOf(status) };
}

/** A status that says which generation of the specification it is of. */
type ObservedStatus = PodStatus & { readonly observedGeneration?: number };

/** Conditions of a resize that is through have to be removed by name. Only a specification that was changed can have had one. */
function pastResizes({ conditions = [], observedGeneration = 0 }: ObservedStatus): unknown[] {
  if (observedGeneration <= 1) return [];
  return ['PodResizePending', 'PodResizeInProgress']
    .filter((type) => !conditions.some((condition) => condition.type === type))
    .map((type) => ({ $patch: 'delete', type }));
}

/** Whether another writer has changed the condition Ready since: the node controller does when it takes the node for lost. */
export function isOverwritten({ metadata, status }: Pod, written: WrittenStatus | undefined): boolean {
  const order = compareResourceVersions(metadata.resourceVersion, written?.version);
  return order !== undefined && order > 0 && readyOf(status) !== written?.ready;
}

function readyOf(status: PodStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** The object, or this incarnation of it, is no longer there. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.code === 409);
}
