import { type Clock, type Random, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { TokenBuckets } from '../base/token-buckets.ts';
import { isAlreadyExists, isNotFound } from '../client/errors.ts';
import type { KubeClient } from '../client/types.ts';
import type { CoreEvent, KubeObject, ObjectReference } from '../kinds/core.ts';
import { apiVersionOf, EVENTS, type Resource } from '../kinds/resources.ts';
import { metaTime } from '../text/time.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/** The object that an Event is about. */
export interface EventTarget {
  readonly apiVersion: string;
  readonly kind: string;
  /** The part of the object that is meant, e.g. `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

/** What an Event says. */
export interface EventText {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, one per kind of occurrence. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  /**
   * Name of the Event object: an Event of this name is counted up, also one of another writer. Absent: a name is made from the
   * object's, and only repetitions by this recorder are counted up.
   */
  readonly name?: string;
  /** Namespace of the Event. @default that of the object, else `default` */
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'find' | 'create' | 'patch'>;
  /** `source.component`. */
  readonly component: string;
  /** `source.host`. */
  readonly host?: string;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random | undefined;
  readonly logger?: Logger;
  /**
   * Events per object at once, and how fast the allowance grows back; false where their number is bounded anyway and none may be
   * lost. @default 25, one per 10 s
   */
  readonly spamFilter?: { readonly burst: number; readonly refillMs: number } | false;
  /** Events waiting to be written; more are dropped. @default 1000 */
  readonly maxPending?: number;
}

const DEFAULT_SPAM_FILTER = { burst: 25, refillMs: 10_000 } as const;
const DEFAULT_MAX_PENDING = 1_000;
/** Own Events remembered for counting up. */
const MAX_KNOWN = 2_000;
/** Longest message the API server takes (core/v1 Event validation). */
const MAX_MESSAGE = 1_024;
const WRITE_TIMEOUT_MS = 10_000;
/** Experiment, helpers and runner write under the same names at the same time. */
const CONFLICT_TRIES = 12;

interface Known {
  readonly name: string;
  count: number;
}

/**
 * Writes core/v1 Events: one object per occurrence, counted up when it happens again.
 *
 * `record` never throws and never makes its caller wait: Events are written in their order in the background. They are
 * news for people and not records; what cannot be written is logged and dropped. `flush` before the process ends.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #buckets: TokenBuckets | undefined;
  readonly #known = new Map<string, Known>();
  #pending = 0;
  #last: Promise<void> = Promise.resolve();
  #serial: number;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    // Recorders that write on one object in the same millisecond begin differently. In the lower half, so that it seldom comes round.
    this.#serial = Math.floor((options.random ?? Math.random)() * 0x8000);
    const { spamFilter = DEFAULT_SPAM_FILTER } = options;
    this.#buckets = spamFilter === false ? undefined : new TokenBuckets(spamFilter);
  }

  /** Records an Event on an object, for users. */
  record(target: EventTarget, text: EventText): void {
    const dropped = this.#reasonToDrop(target);
    if (dropped !== undefined) {
      this.#logger.warn({ object: describe(target), reason: text.reason, dropped }, 'event dropped');
      return;
    }
    const at = this.#clock.now();
    this.#pending += 1;
    this.#last = this.#last
      .then(() => this.#write(target, text, at))
      .catch((error: unknown) => {
        this.#logger.warn({ object: describe(target), reason: text.reason, err: error }, 'event not written');
      })
      .finally(() => {
        this.#pending -= 1;
      });
  }

  /** As {@link record}; while an object waits for its Event, only its reference is held. */
  recordOn(resource: Resource, { metadata }: KubeObject, text: EventText): void {
    const { name, namespace, uid, resourceVersion } = metadata;
    const target = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    this.record({ ...target, metadata: { name, namespace, uid, resourceVersion } }, text);
  }

  /** Resolves when everything recorded so far is written or given up. Never rejects. */
  flush(): Promise<void> {
    return this.#last;
  }

  /** A thousand equal complaints a second do not help and hurt the API server. */
  #reasonToDrop(target: EventTarget): 'spam' | 'backlog' | undefined {
    if (this.#pending >= (this.#options.maxPending ?? DEFAULT_MAX_PENDING)) return 'backlog';
    const key = `${target.kind}/${target.metadata.namespace ?? ''}/${target.metadata.name}`;
    return this.#buckets?.take(key, this.#clock.now()) === false ? 'spam' : undefined;
  }

  async #write(target: EventTarget, text: EventText, at: number): Promise<void> {
    const namespace = text.namespace ?? target.metadata.namespace ?? 'default';
    if (text.name !== undefined) {
      await this.#createOrCount(text.name, namespace, target, text, at);
      return;
    }
    const sameness = JSON.stringify([
      namespace,
      target.kind,
      target.metadata.name,
      target.metadata.uid,
      text.type,
      text.reason,
      text.message,
    ]);
    const known = this.#known.get(sameness);
    if (known !== undefined) {
      try {
        known.count += 1;
        await this.#patch(known.name, namespace, { count: known.count, lastTimestamp: metaTime(at) });
        return;
      } catch (error) {
        // Expired meanwhile (Events live an hour): begin a new one.
        if (!isNotFound(error)) throw error;
      }
    }
    const name = `${target.metadata.name}.${this.#uniqueSuffix(at)}`;
    await this.#create(this.#event(name, namespace, target, text, at));
    this.#remember(sameness, { name, count: 1 });
  }

  /** As upstream counts, but the type is that of the latest as well: a check that now fails must not look as before. */
  async #createOrCount(
    name: string,
    namespace: string,
    target: EventTarget,
    text: EventText,
    at: number,
  ): Promise<void> {
    const event = this.#event(name, namespace, target, text, at);
    await retryOnConflict(
      async () => {
        try {
          await this.#create(event);
        } catch (error) {
          if (!isAlreadyExists(error)) throw error;
          await this.#countUp(event, namespace);
        }
      },
      { clock: this.#clock, attempts: CONFLICT_TRIES },
    );
  }

  async #countUp(event: CoreEvent, namespace: string): Promise<void> {
    const { name } = event.metadata;
    const present = await this.#options.client.find<CoreEvent>(EVENTS, name, {
      namespace,
      timeoutMs: WRITE_TIMEOUT_MS,
    });
    // Expired between the two requests.
    if (present === undefined) return await this.#create(event);
    await this.#patch(name, namespace, {
      metadata: { resourceVersion: present.metadata.resourceVersion },
      count: (present.count ?? 1) + 1,
      lastTimestamp: event.lastTimestamp,
      type: event.type,
      message: event.message,
      source: event.source,
      involvedObject: event.involvedObject,
    });
  }

  async #create(event: CoreEvent): Promise<void> {
    await this.#options.client.create<CoreEvent>(EVENTS, event, {
      namespace: event.metadata.namespace ?? 'default',
      timeoutMs: WRITE_TIMEOUT_MS,
    });
  }

  async #patch(name: string, namespace: string, patch: object): Promise<void> {
    await this.#options.client.patch<CoreEvent>(EVENTS, name, 'merge', patch, {
      namespace,
      timeoutMs: WRITE_TIMEOUT_MS,
    });
  }

  #event(name: string, namespace: string, target: EventTarget, text: EventText, at: number): CoreEvent {
    const { component, host } = this.#options;
    return {
      metadata: { name, namespace, ...(text.annotations && { annotations: { ...text.annotations } }) },
      involvedObject: referenceTo(target),
      type: text.type,
      reason: text.reason,
      message:
        text.message.length > MAX_MESSAGE ? `${text.message.slice(0, MAX_MESSAGE - 1)}…` : text.message,
      source: { component, host },
      reportingComponent: component,
      reportingInstance: host ?? component,
      firstTimestamp: metaTime(at),
      lastTimestamp: metaTime(at),
      count: 1,
    };
  }

  #remember(sameness: string, known: Known): void {
    this.#known.set(sameness, known);
    if (this.#known.size <= MAX_KNOWN) return;
    const oldest = this.#known.keys().next();
    if (oldest.done === false) this.#known.delete(oldest.value);
  }

  /** Time and serial number in hex: Events of one object differ also within a millisecond and sort by age. */
  #uniqueSuffix(at: number): string {
    this.#serial = (this.#serial + 1) % 0x1_0000;
    return `${at.toString(16)}${this.#serial.toString(16).padStart(4, '0')}`;
  }
}

/** The reference of an Event or status to an object. */
function referenceTo(target: EventTarget): ObjectReference {
  const { name, namespace, uid, resourceVersion } = target.metadata;
  return {
    apiVersion: target.apiVersion,
    kind: target.kind,
    name,
    namespace,
    uid,
    resourceVersion,
    fieldPath: target.fieldPath,
  };
}

function describe(target: EventTarget): string {
  const { namespace, name } = target.metadata;
  return `${target.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
