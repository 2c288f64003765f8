import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { JsonPatchOperation, KubeClient } from '@turnsole/kube/client/types';
import type { Condition } from '@turnsole/kube/kinds/conditions';
import {
  CHAOS_ENGINES,
  type ChaosEngine,
  type ChaosEngineStatus,
  CONDITION_DRY_RUN,
  CONDITION_GIVEN_UP,
  CONDITION_MONITORED,
  CONDITION_RECOVERED,
  CONDITION_RUNNABLE,
  type TimelineEntry,
} from '../../../api/index.ts';
import { restoreRun } from '../../../chaos/run-record.ts';

/** A change of an engine: each part is a JSON merge patch of its part of the object (null removes). */
export interface EngineChange {
  readonly finalizers?: readonly string[];
  /** null removes one. */
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Written although the engine, as it was decided on, has it: another writer may have dropped it. */
  readonly restoredSpec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly [K in keyof ChaosEngineStatus]?: ChaosEngineStatus[K] | null };
}

/**
 * Which part is written first where the status is a subresource and one request cannot write both. A process that dies between
 * the two leaves the first part alone; in the chosen order the next decision then finishes what was begun.
 */
export type WriteOrder = 'status-first' | 'object-first';

/**
 * Writes a change and gives the engine as it then is. Fails with a conflict (409) when the engine has changed since it was
 * read, so that no decision is carried out on an engine it was not made for.
 */
export async function writeEngine(
  client: KubeClient,
  engine: ChaosEngine,
  change: EngineChange,
  order: WriteOrder,
): Promise<ChaosEngine> {
  const object = changedParts(engine, change);
  const hasObject = Object.keys(object).length > 0;
  if (!hasObject && change.status === undefined) return engine;
  if (!(await client.hasStatusSubresource(CHAOS_ENGINES))) {
    const patch = change.status === undefined ? object : { ...object, status: change.status };
    return patchEngine(client, engine, patch);
  }
  const writeStatus = (current: ChaosEngine): Promise<ChaosEngine> =>
    change.status === undefined
      ? Promise.resolve(current)
      : patchEngine(client, current, { status: change.status }, 'status');
  const writeObject = (current: ChaosEngine): Promise<ChaosEngine> =>
    hasObject ? patchEngine(client, current, object) : Promise.resolve(current);
  return order === 'status-first'
    ? writeObject(await writeStatus(engine))
    : writeStatus(await writeObject(engine));
}

/**
 * Appends one line to the timeline of the run under way, whatever else of the engine has changed. Fails when the engine is in
 * another run or has no timeline yet.
 */
export async function appendToTimeline(
  client: KubeClient,
  { metadata, status }: ChaosEngine,
  line: TimelineEntry,
): Promise<ChaosEngine> {
  const { name, namespace } = metadata;
  const operations: JsonPatchOperation[] = [
    { op: 'test', path: '/status/runId', value: status?.runId },
    { op: 'add', path: '/status/timeline/-', value: line },
  ];
  const options = await statusOptions(client, CHAOS_ENGINES, { namespace });
  return client.patch<ChaosEngine>(CHAOS_ENGINES, name, 'json', operations, options);
}

/** The finalizers and spec that are not as wanted yet: a write that is repeated after a failure costs only the rest. */
function changedParts(
  { metadata, spec }: ChaosEngine,
  change: EngineChange,
): { readonly metadata?: object; readonly spec?: object } {
  const present = metadata.finalizers ?? [];
  const { finalizers = present } = change;
  const isSame = finalizers.length === present.length && finalizers.every((name) => present.includes(name));
  // Widened to look fields up by name.
  const current = spec as unknown as Readonly<Record<string, unknown>>;
  const stored = metadata.annotations ?? {};
  const annotations = Object.entries(change.annotations ?? {}).filter(
    ([key, value]) => (stored[key] ?? null) !== value,
  );
  const fields = Object.entries(change.spec ?? {}).filter(([key, value]) => current[key] !== value);
  const written = { ...change.restoredSpec, ...Object.fromEntries(fields) };
  return {
    ...(isSame && annotations.length === 0
      ? {}
      : {
          metadata: {
            ...(isSame ? {} : { finalizers }),
            ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
          },
        }),
    ...(Object.keys(written).length === 0 ? {} : { spec: written }),
  };
}

async function patchEngine(
  client: KubeClient,
  engine: ChaosEngine,
  patch: { readonly metadata?: object; readonly spec?: object; readonly status?: object },
  subresource?: 'status',
): Promise<ChaosEngine> {
  const { name, namespace, resourceVersion, uid } = engine.metadata;
  // The uid guards against an engine that was deleted and made again under the same name.
  const metadata = { ...patch.metadata, resourceVersion, uid };
  // The next decision starts from the returned object, including what other writers have dropped of the run.
  const place = { namespace, subresource };
  return restoreRun(
    await client.patch<ChaosEngine>(CHAOS_ENGINES, name, 'merge', { ...patch, metadata }, place),
  );
}

/** Conditions that outlive a run: all but those about one run. */
export function lastingConditions(conditions: readonly Condition[] | null | undefined): Condition[] {
  const ofRun = [
    CONDITION_RUNNABLE,
    CONDITION_GIVEN_UP,
    CONDITION_RECOVERED,
    CONDITION_DRY_RUN,
    CONDITION_MONITORED,
  ];
  return (conditions ?? []).filter(({ type }) => !ofRun.includes(type));
}
