import { createHash } from 'node:crypto';
import { stepIdentity } from '../../../api/timeline.ts';
import type { RunRecord } from './run-record.ts';

/** What a server should have of a record. */
interface Acknowledged {
  readonly runId: string;
  /** The object, as its digest. */
  object: string;
  /** Digests of steps. */
  readonly steps: Set<string>;
}

/** Only the latest records are remembered: the next report about any other one contains all of it. */
const MOST_RECORDS = 500;

/** Remembers what servers have taken of records, so that only news go out. */
export class AcknowledgedRecords {
  readonly #acknowledged = new Map<string, Acknowledged>();

  /** The part of a record that the server may not have; undefined: nothing. */
  news(key: string, record: RunRecord): RunRecord | undefined {
    const acknowledged = this.#acknowledged.get(key);
    if (acknowledged === undefined || acknowledged.runId !== runIdOf(record)) return record;
    const steps = record.steps.filter((step) => !acknowledged.steps.has(digest(stepIdentity(step))));
    if (steps.length === 0 && acknowledged.object === digest(JSON.stringify(record.object))) return undefined;
    return { ...record, known: acknowledged.steps.size, steps };
  }

  /** The server has it. */
  taken(key: string, record: RunRecord): void {
    const runId = runIdOf(record);
    const before = this.#acknowledged.get(key);
    const acknowledged: Acknowledged =
      before?.runId === runId ? before : { runId, object: '', steps: new Set() };
    acknowledged.object = digest(JSON.stringify(record.object));
    for (const step of record.steps) acknowledged.steps.add(digest(stepIdentity(step)));
    this.#acknowledged.delete(key);
    this.#acknowledged.set(key, acknowledged);
    const [oldest] = this.#acknowledged.size > MOST_RECORDS ? this.#acknowledged.keys() : [];
    if (oldest !== undefined) this.#acknowledged.delete(oldest);
  }

  /** The server has less than it was thought to have. */
  forget(key: string): void {
    this.#acknowledged.delete(key);
  }
}

function runIdOf({ object }: RunRecord): string {
  return JSON.stringify([
    object.metadata.uid,
    object.metadata.labels,
    (object.status as { runId?: unknown }).runId,
  ]);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
