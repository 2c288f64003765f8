import { inflateRawSync } from 'node:zlib';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { stepIdentity, type TimelineEntry } from '../../../api/timeline.ts';

/** News of an engine or a result, from its agent. */
interface ReportedRecord {
  readonly kind: 'ChaosEngine' | 'ChaosResult';
  readonly namespace: string;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** Number of steps that the agent assumes here. */
  readonly known: number;
  readonly steps: readonly TimelineEntry[];
  readonly leftOut: number;
}

/** Stored data of an engine or a result. */
export interface StoredRecord {
  readonly kind: ReportedRecord['kind'];
  readonly namespace: string;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly steps: readonly TimelineEntry[];
  /** Number of all steps, including those that were dropped. */
  readonly count: number;
  /** Number of what is not here: ledger entries and steps that the agent could not send, and steps that were dropped for their number. */
  readonly leftOut: number;
}

/** Limit of a record after decompression. */
const MOST_BYTES = 8 * 1024 * 1024;
/** An object in the cluster keeps 1,000 steps; here more of them are kept. */
const MOST_STEPS = 5_000;

/** The object in an agent's report, deflated JSON in Base64; undefined for an invalid one. Pure. */
export function readData(text: string): Readonly<Record<string, unknown>> | undefined {
  return parseObject(inflated(text) ?? '');
}

/** Reads the record of an engine or a result; undefined for anything else. Pure. */
export function readRecord(data: Readonly<Record<string, unknown>>): ReportedRecord | undefined {
  const { kind, namespace, name, object, known, steps, leftOut } = data;
  if (kind !== 'ChaosEngine' && kind !== 'ChaosResult') return undefined;
  if (
    typeof namespace !== 'string' ||
    typeof name !== 'string' ||
    name === '' ||
    !isObject(object) ||
    !isObject(object.metadata)
  )
    return undefined;
  return {
    ...{ kind, namespace, name },
    object: object as Readonly<Record<string, unknown>>,
    known: countOf(known),
    steps: (Array.isArray(steps) ? steps : []).flatMap(readStep),
    leftOut: countOf(leftOut),
  };
}

function inflated(text: string): string | undefined {
  try {
    return inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: MOST_BYTES }).toString();
  } catch {
    return undefined;
  }
}

function readStep(step: unknown): TimelineEntry[] {
  if (!isObject(step)) return [];
  const { time, actor, object, message, runId } = step;
  const isRead = [time, actor, step.step, message].every((value) => typeof value === 'string');
  if (!isRead || Number.isNaN(Date.parse(String(time)))) return [];
  const entry = {
    time: String(time),
    actor: String(actor),
    step: String(step.step),
    message: String(message),
  };
  return [
    { ...entry, ...(typeof object === 'string' && { object }), ...(typeof runId === 'string' && { runId }) },
  ];
}

/**
 * Merges news into a record: adds new steps of the same run of its object, without duplicates; another run replaces it. Undefined if steps are
 * missing that the agent assumes here. Pure.
 */
export function mergedRecord(
  before: StoredRecord | undefined,
  reported: ReportedRecord,
): StoredRecord | undefined {
  const { known, steps, ...record } = reported;
  const kept =
    before !== undefined && runIdOf(before.object) === runIdOf(reported.object) ? before : undefined;
  if (known > (kept?.count ?? 0)) return undefined;
  const identities = new Set(kept?.steps.map(stepIdentity));
  const added = steps.filter((step) => {
    const identity = stepIdentity(step);
    const isNew = !identities.has(identity);
    identities.add(identity);
    return isNew;
  });
  const latest = [...(kept?.steps ?? []), ...added].slice(-MOST_STEPS);
  const count = (kept?.count ?? 0) + added.length;
  // Earlier merges may have dropped steps too, so the dropped ones are counted from the first.
  return { ...record, steps: latest, count, leftOut: record.leftOut + count - latest.length };
}

/** Identifies the run of a record's object, for comparisons only. */
function runIdOf({ metadata, status }: StoredRecord['object']): string {
  const { uid, labels } = isObject(metadata) ? metadata : {};
  return JSON.stringify([uid, labels, isObject(status) ? status.runId : undefined]);
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
