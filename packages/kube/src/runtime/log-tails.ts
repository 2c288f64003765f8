import { Backoff } from '../base/backoff.ts';
import { type Clock, type Random, systemClock } from '../base/clock.ts';
import { Limiter } from '../base/limiter.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { isNotFound } from '../client/errors.ts';
import type { KubeClient } from '../client/types.ts';
import type { ContainerStatus, Pod } from '../kinds/core.ts';
import { PODS } from '../kinds/resources.ts';
import { messageOf } from '../text/error-message.ts';
import { Tail } from '../text/tail.ts';
import { Informer } from './informer.ts';
import { linesAfter, timeOfLastLine } from './log-times.ts';

/** The end of what a container of a pod has printed. */
export interface KeptLog {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
  /** Whole lines, each after the time at which it was printed (RFC 3339, with nanoseconds) and a space. */
  readonly text: string;
  /** Bytes before them that are not kept. */
  readonly leftOutBytes: number;
  /** Whether its container has ended, so that nothing follows. */
  readonly isOver: boolean;
}

/** Which pods, how much of the log of each, and where it goes. */
interface LogTailsOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'logTexts'>;
  /** @default all namespaces */
  readonly namespace?: string | undefined;
  readonly labelSelector: string;
  /** Called when a container of it has started. @default true for all */
  readonly isMeant?: (pod: Pod) => boolean;
  /** @default the first one of the pod */
  readonly containerOf?: (pod: Pod) => string | undefined;
  /** Bytes of each log that are kept: its last whole lines. */
  readonly limitBytes: number;
  /** Called once for each pod that has printed something: when its container has ended for good, it is gone, or these tails are stopped. */
  readonly onLog: (log: KeptLog, pod: Pod) => void;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  readonly logger?: Logger;
}

/** Each log that is followed is a connection; pods beyond this wait for one that ends. */
const MOST_AT_ONCE = 64;
/** A longer line is cut. */
const MOST_LINE_BYTES = 16 * 1024;
/** Between two readings of a log that broke off, or whose container may start again. */
const BACKOFF = { baseMs: 250, maxMs: 10_000 } as const;

/**
 * Keeps the end of the logs of pods while these run, so that it is there when they are deleted. Logs are followed from the start of a
 * container; a connection that breaks, and a container that starts again, are read on after the last line that came.
 *
 * What is not kept: the log of a pod that is deleted before its turn (see {@link MOST_AT_ONCE}), and lines of a container that starts
 * again within the pause after a broken connection. A log that may not be read is passed over, and told of once.
 */
export class LogTails {
  readonly #options: LogTailsOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #informer: Informer<Pod>;
  readonly #limiter = new Limiter(MOST_AT_ONCE);
  readonly #stop = new AbortController();
  /** By uid, as long as the pod is there. */
  readonly #followed = new Map<string, Promise<void>>();
  #refusal: string | undefined;

  constructor(options: LogTailsOptions) {
    this.#options = options;
    const { client, namespace, labelSelector, random } = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#informer = new Informer<Pod>({
      ...{ client, namespace, labelSelector, clock: this.#clock, logger: this.#logger },
      ...(random !== undefined && { random }),
      resource: PODS,
      transform: slimPod,
      indexes: { uid: ({ metadata }) => [metadata.uid ?? ''] },
    });
  }

  /** Begins to follow. Idempotent. */
  start(): void {
    this.#informer.addHandler({
      onAdd: (pod) => this.#look(pod),
      onUpdate: (pod) => this.#look(pod),
      onDelete: ({ metadata }) => this.#followed.delete(metadata.uid ?? ''),
    });
    this.#informer.start();
  }

  /** Resolves when every log that was followed has been given away. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the logs are followed no longer'));
    await this.#informer.stop();
    await Promise.all(this.#followed.values());
  }

  #look(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const container = this.#containerOf(pod);
    if (container === undefined || this.#followed.has(uid) || statusOf(pod, container) === undefined) return;
    if (this.#options.isMeant?.(pod) === false) return;
    this.#followed.set(
      uid,
      this.#limiter.run(() => this.#follow(pod, container)),
    );
  }

  #containerOf(pod: Pod): string | undefined {
    const [first] = pod.spec?.containers ?? [];
    return this.#options.containerOf?.(pod) ?? first?.name;
  }

  /** Never rejects. */
  async #follow(pod: Pod, container: string): Promise<void> {
    const { name, namespace = '', uid = '' } = pod.metadata;
    const { signal } = this.#stop;
    const tail = new Tail(this.#options.limitBytes);
    const backoff = new Backoff(BACKOFF, this.#options.random);
    let lastTime: string | undefined;
    for (let isRead = false; !isRead && !signal.aborted; ) {
      // Before the reading: a container that has ended by then has nothing more to say after it.
      isRead = this.#isOver(uid, container);
      try {
        for await (const text of this.#texts(name, namespace, container, lastTime)) {
          tail.push(text);
          lastTime = timeOfLastLine(text) ?? lastTime;
          backoff.reset();
        }
      } catch (error) {
        if (signal.aborted || isNotFound(error)) break;
        this.#tellRefusal(error);
        isRead = false;
        if (this.#informer.lister.byIndex('uid', uid).length === 0) break;
      }
      if (!isRead) await this.#clock.sleep(backoff.next(), signal).catch(() => {});
    }
    if (tail.isEmpty) return;
    const isOver = this.#isOver(uid, container);
    this.#options.onLog({ namespace, name, uid, container, ...tail.kept(), isOver }, pod);
  }

  async *#texts(
    pod: string,
    namespace: string,
    container: string,
    after: string | undefined,
  ): AsyncGenerator<string, void, undefined> {
    const { signal } = this.#stop;
    const how = { follow: true, timestamps: true, mostBytes: MOST_LINE_BYTES, signal };
    const texts = this.#options.client.logTexts(pod, {
      ...{ namespace, container, ...how },
      ...(after !== undefined && { sinceTime: after }),
    });
    let isRepeated = after !== undefined;
    for await (const text of texts) {
      // Servers give what was printed in that second, which includes lines that have come.
      const rest: string = isRepeated ? linesAfter(text, after ?? '') : text;
      if (rest === '') continue;
      isRepeated = false;
      yield rest;
    }
  }

  /** Whether the container has ended for good, by what is known of the pod; true for a pod that is gone. */
  #isOver(uid: string, container: string): boolean {
    const [pod] = this.#informer.lister.byIndex('uid', uid);
    if (pod === undefined) return true;
    const { phase } = pod.status ?? {};
    return phase === 'Succeeded' || phase === 'Failed' || isEndedForGood(pod, container);
  }

  #tellRefusal(error: unknown): void {
    const detail = messageOf(error);
    if (this.#refusal === detail) return;
    this.#refusal = detail;
    this.#logger.warn({ detail }, 'the log of a pod cannot be read; it is tried again');
  }
}

/** The status of a container that has started once; undefined before. */
function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const found = (status?.containerStatuses ?? []).find(({ name }) => name === container);
  const { state, restartCount = 0 } = found ?? {};
  return state?.running !== undefined || state?.terminated !== undefined || restartCount > 0
    ? found
    : undefined;
}

function isEndedForGood(pod: Pod, container: string): boolean {
  const { terminated } = statusOf(pod, container)?.state ?? {};
  if (terminated === undefined) return false;
  const { restartPolicy = 'Always' } = pod.spec ?? {};
  return restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && terminated.exitCode === 0);
}

/** Only what is read: there may be many pods. */
function slimPod({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, labels, ownerReferences, creationTimestamp } = metadata;
  const containers = (spec?.containers ?? []).map(({ name: of }) => ({ name: of }));
  const statuses = (status?.containerStatuses ?? []).map(({ name: of, state, restartCount, ready }) => ({
    ...{ name: of, state, restartCount, ready },
  }));
  return {
    metadata: { name, namespace, uid, resourceVersion, labels, ownerReferences, creationTimestamp },
    spec: { containers, restartPolicy: spec?.restartPolicy },
    status: { phase: status?.phase, startTime: status?.startTime, containerStatuses: statuses },
  } as Pod;
}
