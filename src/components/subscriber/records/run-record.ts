import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { isObject, textOf } from '@turnsole/kube/text/json';
import { LABEL_RUN_ID, LABEL_WORKFLOW_RUN_ID } from '../../../api/labels.ts';
import type { LedgerEntry } from '../../../api/ledger.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import { stepIdentity, type TimelineEntry } from '../../../api/timeline.ts';
import { belongsToRun } from '../../../chaos/run-id.ts';

/** The part of an engine or result that the time axis of its run shows, as a server of ours takes it: JSON, deflated. */
export interface RunRecord {
  readonly kind: 'ChaosEngine' | 'ChaosResult';
  readonly namespace: string;
  readonly name: string;
  /** The object without its steps, and without what no axis shows. */
  readonly object: Pick<KubeObject, 'metadata'> & { readonly status: object };
  /** How many steps the server should have already: a server that has fewer reports it. */
  readonly known: number;
  /** The steps that it may not have, with exact times. */
  readonly steps: readonly TimelineEntry[];
  /** Entries of the ledger and steps that were too many to be sent. */
  readonly leftOut: number;
}

/** Longer sentences are cut. */
const MOST_CHARACTERS = 2_000;
/** Limit of one record, before it is deflated. */
const MOST_BYTES = 1024 * 1024;

/** The record of an engine; undefined where it has no times. Pure. */
export function engineRecord({ metadata, spec, status }: ChaosEngine): RunRecord | undefined {
  const runId = textOf(status?.runId);
  const steps = stepsOf([status?.timeline], runId);
  if (steps.length === 0) return undefined;
  const { engineStatus, experiments, conditions } = status ?? {};
  const { name, namespace = '', uid } = metadata;
  // What it aims at, and nothing of what it does with it.
  const { appinfo, selectors, engineState } = spec ?? {};
  const aim = { appinfo, selectors, engineState };
  const object = {
    metadata: { name, namespace, uid },
    spec: aim,
    status: { runId, engineStatus, experiments, conditions },
  };
  return { kind: 'ChaosEngine', namespace, name, object, known: 0, steps, leftOut: 0 };
}

/** The record of a result; undefined where it has no times. Pure. */
export function resultRecord({ metadata, spec, status }: ChaosResult): RunRecord | undefined {
  const { name, namespace = '', uid, labels } = metadata;
  const runId = labels?.[LABEL_RUN_ID] ?? '';
  // Its engine may be gone: then these are all that is left of the engine's own.
  const steps = stepsOf([status?.engineTimeline, status?.timeline], runId);
  if (steps.length === 0) return undefined;
  const { experimentStatus, probeStatuses, ledger, workloads, timing } = status ?? {};
  const entries = isObject(ledger) ? Object.entries(ledger).flatMap(slimEntry) : [];
  const object = {
    metadata: { name, namespace, uid, labels: { [LABEL_RUN_ID]: runId } },
    spec: { engine: spec?.engine, experiment: spec?.experiment },
    status: { experimentStatus, probeStatuses, ledger: Object.fromEntries(entries), workloads, timing },
  };
  return { kind: 'ChaosResult', namespace, name, object, known: 0, steps, leftOut: 0 };
}

/** The run, as the server knows it, that an engine or its result belongs to; undefined for one of another infrastructure. Pure. */
export function runOf(
  object: KubeObject,
  infraID: string,
  engineUid: string | undefined,
): string | undefined {
  const labels = object.metadata.labels ?? {};
  if (labels.infra_id !== infraID) return undefined;
  return labels[LABEL_WORKFLOW_RUN_ID] ?? (labels.type === 'standalone_workflow' ? engineUid : undefined);
}

/** When the last of some steps was; 0 without any. Pure. */
export function lastStepMs(...timelines: readonly unknown[]): number {
  return timelines
    .map((timeline) => (Array.isArray(timeline) ? timeline.at(-1) : undefined))
    .reduce<number>(
      (last, step) => Math.max(last, isObject(step) ? Date.parse(textOf(step.time)) || 0 : 0),
      0,
    );
}

/** Steps of a run, each once: an engine keeps those of earlier runs as well. Statuses hold whatever their writers put there. */
function stepsOf(timelines: readonly unknown[], runId: string): TimelineEntry[] {
  const unique = new Map<string, TimelineEntry>();
  for (const entry of timelines.flatMap((timeline) => (Array.isArray(timeline) ? timeline : []))) {
    const step = isObject(entry) ? readStep(entry) : undefined;
    if (step === undefined) continue;
    const isOfRun = runId === '' || step.runId === undefined || belongsToRun(step.runId, runId);
    if (isOfRun) unique.set(stepIdentity(step), step);
  }
  return [...unique.values()];
}

function readStep({
  time,
  actor,
  step,
  object,
  message,
  runId,
}: object & Partial<TimelineEntry>): TimelineEntry | undefined {
  if (Number.isNaN(Date.parse(textOf(time)))) return undefined;
  return {
    time: textOf(time),
    actor: textOf(actor),
    step: textOf(step),
    ...(typeof object === 'string' && { object }),
    message: cut(textOf(message)),
    ...(typeof runId === 'string' && { runId }),
  };
}

/** Without what inject and revert need: that stays inside the cluster. */
function slimEntry([id, entry]: [string, unknown]): [string, object][] {
  if (!isObject(entry) || !isObject(entry.target)) return [];
  // All that is read of it is passed on as it is.
  const { fault, state, injectedAt, revertedAt, instant, effect, message, target } =
    entry as unknown as LedgerEntry;
  const { kind, namespace, name, container, owner } = target;
  const workload = isObject(owner) ? { kind: owner.kind, name: owner.name } : undefined;
  const slim = {
    id,
    fault,
    state,
    injectedAt,
    revertedAt,
    instant,
    effect,
    target: { kind, namespace, name, container, owner: workload },
  };
  return [[id, message === undefined ? slim : { ...slim, message: cut(textOf(message)) }]];
}

/** The bytes of a record, of which the oldest part stays away where it would be too large. Pure. */
export function packRecord(record: RunRecord): Buffer {
  let fitting = record;
  let text = JSON.stringify(fitting);
  while (text.length > MOST_BYTES && fitting.steps.length + ledgerOf(fitting).length > 0) {
    fitting = halved(fitting);
    text = JSON.stringify(fitting);
  }
  return deflateRawSync(text, { level: 1 });
}

/** Reverses {@link packRecord}. Pure. */
export function unpackRecord(bytes: Buffer): RunRecord {
  // Only this program writes it.
  return JSON.parse(inflateRawSync(bytes).toString()) as RunRecord;
}

function halved(record: RunRecord): RunRecord {
  const [steps, ledger] = [record.steps, ledgerOf(record)];
  const kept = {
    steps: steps.slice(Math.ceil(steps.length / 2)),
    ledger: ledger.slice(Math.ceil(ledger.length / 2)),
  };
  const leftOut = record.leftOut + steps.length - kept.steps.length + ledger.length - kept.ledger.length;
  const status = {
    ...record.object.status,
    ...(ledger.length > 0 && { ledger: Object.fromEntries(kept.ledger) }),
  };
  return { ...record, object: { ...record.object, status }, steps: kept.steps, leftOut };
}

function ledgerOf({ object: { status } }: RunRecord): readonly [string, unknown][] {
  return 'ledger' in status && isObject(status.ledger) ? Object.entries(status.ledger) : [];
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
