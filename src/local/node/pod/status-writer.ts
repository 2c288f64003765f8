import type { Pod, PodStatus } from '../../../api/core.ts';
import { PODS } from '../../../api/resources.ts';
import { ApiError, isNotFound } from '../../../kube/client/errors.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import { Backoff } from '../../../kube/runtime/backoff.ts';
import type { Clock } from '../../../kube/runtime/clock.ts';
import { compareResourceVersions } from '../../../kube/runtime/resource-version.ts';

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
  #writtenReady: string | undefined;
  #writtenVersion: string | undefined;
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

  /** Whether another writer has changed the condition Ready since: the node controller does when it takes the node for lost. */
  isOverwritten(pod: Pod): boolean {
    if (this.#writing !== undefined || this.#writtenVersion === undefined) return false;
    const order = compareResourceVersions(pod.metadata.resourceVersion, this.#writtenVersion);
    return order !== undefined && order > 0 && readyOf(pod.status) !== this.#writtenReady;
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
        await this.#patch(next.status);
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

  async #patch(status: PodStatus): Promise<void> {
    const { client, namespace, name, uid } = this.#options;
    const { metadata } = await client.patch<Pod>(
      PODS,
      name,
      'strategic',
      { metadata: { uid }, status: withRemovals(status) },
      { namespace, subresource: 'status', signal: this.#stop.signal },
    );
    this.#writtenVersion = metadata.resourceVersion;
    this.#writtenReady = readyOf(status);
  }

  async #pause(): Promise<void> {
    try {
      await this.#options.clock.sleep(this.#backoff.next(), this.#stop.signal);
    } catch {
      // Closed meanwhile: the loop finds nothing wanted.
    }
  }
}

function readyOf(status: PodStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** The status as a patch. Conditions are merged by their type, so a reason that no longer holds has to be removed by name. */
export function withRemovals(status: PodStatus): object {
  const conditions = status.conditions?.map((condition) => ({ reason: null, message: null, ...condition }));
  return { ...status, conditions };
}

/** The object, or this incarnation of it, is no longer there. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.code === 409);
}
