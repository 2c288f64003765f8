import { Wake } from '@turnsole/kube/base/wake';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { ControlPlaneClient, Operation } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';
import type { Spool } from '../../../spool/spool.ts';
import type { SpoolEntry } from '../../../spool/waiting.ts';
import { readStoredEvent } from '../events/stored-event.ts';
import { readStoredRecord, runRecordOperation } from '../records/stored-record.ts';
import { decideDelivery, decideRecord, type Verdict } from './decide-delivery.ts';

/** What delivering needs. */
interface DeliveryOptions extends Omit<BasicsWithRandom, 'client'> {
  readonly spool: Spool;
  readonly client: Pick<ControlPlaneClient, 'send'>;
  readonly identity: () => InfraIdentity;
  /** Milliseconds that only go forward. */
  readonly monotonic: () => number;
  /** Called when an answer has been acted on. */
  readonly onVerdict?: (verdict: Verdict['type']) => void;
  /** Called with what the server has answered to a record. */
  readonly onRecord?: (body: Buffer, outcome: 'taken' | 'incomplete') => void;
  /** The server refuses this agent, its key or its version. */
  readonly onAgentRefused?: () => void;
}

interface Hold {
  readonly failures: number;
  readonly until: number;
}

/**
 * Hands the events of the spool to the server: in order, one at a time, each until the server has taken it or says that it never
 * will. Runs whose event the server refuses wait behind it; the others go on.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #wake: Wake;
  /** By run. */
  readonly #holds = new Map<string, Hold>();
  #server: Hold = { failures: 0, until: 0 };
  /** Why nothing can be delivered now. */
  #problem: string | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#wake = new Wake(options.clock);
  }

  /** Why nothing can be delivered now; undefined while all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether an event is on its way, or may go now. */
  get isBusy(): boolean {
    const now = this.#options.monotonic();
    return this.#server.until <= now && this.#next(now) !== undefined;
  }

  /** Resolves when the signal aborts, after the answer under way. */
  async run(signal: AbortSignal): Promise<void> {
    const { spool, monotonic } = this.#options;
    const unsubscribe = spool.onChange(this.#wake.wake);
    try {
      while (!signal.aborted) {
        const now = monotonic();
        const next = this.#server.until > now ? undefined : this.#next(now);
        if (next === undefined) await this.#wake.rest(this.#restMs(now), signal);
        else await this.#deliver(next, signal);
      }
    } finally {
      unsubscribe();
    }
  }

  /** The first event of a run that is not held. */
  #next(now: number): SpoolEntry | undefined {
    for (const entry of this.#options.spool.entries()) {
      if ((this.#holds.get(entry.key)?.until ?? 0) <= now) return entry;
    }
    return undefined;
  }

  /** Until the first hold ends; undefined without one: a new event wakes. */
  #restMs(now: number): number | undefined {
    if (this.#server.until > now) return this.#server.until - now;
    if (this.#options.spool.size === 0) return undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const { until } of this.#holds.values()) if (until > now) first = Math.min(first, until);
    return Number.isFinite(first) ? first - now : undefined;
  }

  async #deliver(entry: SpoolEntry, signal: AbortSignal): Promise<void> {
    const { spool, client, identity, random, onVerdict, onRecord } = this.#options;
    const body = await spool.take(entry);
    if (body === undefined) return;
    try {
      const record = readStoredRecord(body);
      const operation =
        record === undefined
          ? experimentRun(body, identity())
          : runRecordOperation(record.run, record.bytes, identity());
      const answer = await client.send(operation, signal);
      const ofRun = (this.#holds.get(entry.key)?.failures ?? 0) + 1;
      const failures = { ofRun, ofServer: this.#server.failures + 1 };
      const verdict =
        record === undefined
          ? decideDelivery(answer, failures, random())
          : decideRecord(answer, failures, random());
      this.#apply(entry, verdict);
      if (record !== undefined && verdict.type === 'taken') onRecord?.(body, 'taken');
      if ('isIncomplete' in verdict) onRecord?.(body, 'incomplete');
      onVerdict?.(verdict.type);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      spool.release(entry);
    }
  }

  #apply(entry: SpoolEntry, verdict: Verdict): void {
    const { spool, logger, monotonic, onAgentRefused } = this.#options;
    if (verdict.type === 'hold-all') {
      const failures = this.#server.failures + 1;
      this.#server = { failures, until: monotonic() + verdict.delayMs };
      this.#problem = verdict.why;
      logger.warn({ detail: verdict.why, waiting: spool.size }, 'events cannot be delivered; they wait');
      if (verdict.isAgentRefused) onAgentRefused?.();
      return;
    }
    this.#server = { failures: 0, until: 0 };
    this.#problem = undefined;
    if (verdict.type === 'hold-run') {
      const failures = (this.#holds.get(entry.key)?.failures ?? 0) + 1;
      this.#holds.set(entry.key, { failures, until: monotonic() + verdict.delayMs });
      logger.warn(
        { detail: verdict.why, run: entry.key, failures },
        'the server does not take an event of a run',
      );
      return;
    }
    this.#holds.delete(entry.key);
    spool.done(entry);
    if (verdict.type === 'discarded') {
      logger.info({ detail: verdict.why, run: entry.key }, 'the server wants no more of a run');
    }
  }
}

const DOCUMENT = `mutation ChaosExperimentRun($request: ExperimentRunRequest!) {
  chaosExperimentRun(request: $request)
}`;

/** The operation that reports an event to a server, under the present identity: events in the spool hold no key. */
function experimentRun(body: Buffer, infraID: InfraIdentity): Operation {
  const { head, json } = readStoredEvent(body);
  return {
    query: DOCUMENT,
    variables: {
      request: {
        experimentID: head.experimentID,
        experimentRunID: head.uid,
        experimentName: head.name,
        revisionID: head.revisionID,
        notifyID: head.notifyID ?? undefined,
        completed: head.isOver,
        updatedBy: head.updatedBy,
        executionData: json.toString('base64'),
        infraID,
      },
    },
  };
}
