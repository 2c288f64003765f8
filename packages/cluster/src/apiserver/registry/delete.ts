import type { Version } from '../../store/index.ts';
import { conflict, invalid } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { type ApiObject, timestamp } from '../object.ts';
import { objectOf } from '../stored-object.ts';
import { FieldErrors, unsupportedField } from '../validation/field.ts';
import type { ServerParts, WriteContext } from './environment.ts';
import { completeAtOnce, type PendingWrite } from './pending-write.ts';
import { readVersion } from './read.ts';
import { hasSpecFinalizers } from './update.ts';

/** meta/v1 DeleteOptions, checked. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What a deletion came to. */
interface Deleted {
  /** Last state, or the state that waits for finalizers or grace. */
  readonly object: ApiObject;
  /** False while something holds the object. */
  readonly gone: boolean;
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Problems of delete options. Throws Invalid. */
export function checkDeleteOptions(options: DeleteOptions): void {
  const { propagationPolicy: policy, orphanDependents } = options;
  const errors = new FieldErrors();
  if (policy !== undefined && orphanDependents !== undefined) {
    errors.invalid(
      'propagationPolicy',
      policy,
      'orphanDependents and deletionPropagation cannot be both set',
    );
  }
  const policies = ['Foreground', 'Background', 'Orphan'];
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(unsupportedField('propagationPolicy', policy, [...policies, 'nil']));
  }
  if (errors.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', errors);
}

/** Deletes an object, or begins to, without asking webhooks. */
export function deleteObject(
  env: ServerParts,
  definition: KindDefinition,
  namespace: string,
  name: string,
  options: DeleteOptions,
  context: WriteContext,
): Deleted {
  return completeAtOnce(deleting(env, definition, namespace, name, options, context));
}

/** The deletion of an object, or its beginning: grace and finalizers may hold it. */
export function* deleting(
  env: ServerParts,
  definition: KindDefinition,
  namespace: string,
  name: string,
  options: DeleteOptions,
  context: WriteContext,
): PendingWrite<Deleted> {
  const version = readVersion(env, definition, namespace, name);
  const old = objectOf(version);
  checkPreconditions(definition, name, old, options);
  const attempt = {
    operation: 'delete',
    definition,
    subresource: '',
    namespace,
    name,
    old,
    context,
  } as const;
  env.admit(attempt);
  yield { phase: 'mutating', attempt };
  yield { phase: 'validating', attempt };
  env.review(attempt);
  const next = afterDeletion(definition, old, options, env.clock.now());
  if (next.gone) {
    // Kinds with grace are marked before they go, even where they have none: watchers see both.
    const isMarked = next.object !== old && !context.dryRun;
    const last = isMarked ? env.store.update(definition.table, version, next.object) : version;
    return remove(env, definition, last, next.object, context);
  }
  if (next.object === old || context.dryRun) return { object: next.object, gone: false };
  return { object: objectOf(env.store.update(definition.table, version, next.object)), gone: false };
}

function checkPreconditions(
  definition: KindDefinition,
  name: string,
  old: ApiObject,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion } = old.metadata;
  // These messages name the kind where all others name the resource.
  const asKind = { group: definition.group, plural: definition.kind };
  const wanted = preconditions?.uid;
  if (wanted !== undefined && wanted !== uid) {
    const why = `the UID in the precondition (${wanted}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(asKind, name, why);
  }
  const version = preconditions?.resourceVersion;
  if (version !== undefined && version !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${version}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(asKind, name, why);
  }
}

/** What a deletion asks of an object; pure. `object` is `old` itself when nothing changes. */
function afterDeletion(
  definition: KindDefinition,
  old: ApiObject,
  options: DeleteOptions,
  now: number,
): Deleted {
  const wanted = finalizersAfter(definition, old.metadata.finalizers ?? [], options);
  const first = old.metadata.deletionTimestamp === undefined ? (definition.deletionFinalizers ?? []) : [];
  const finalizers = [...new Set([...wanted, ...first])];
  const held = finalizers.length > 0 || hasSpecFinalizers(old);
  const asked = options.gracePeriodSeconds;
  const grace = definition.rules.gracePeriodSeconds?.(old, asked) ?? 0;
  const running = old.metadata.deletionTimestamp;
  if (running !== undefined) {
    const present = old.metadata.deletionGracePeriodSeconds ?? 0;
    // A second deletion may shorten the grace, never lengthen it.
    const shorter =
      definition.rules.gracePeriodSeconds !== undefined && asked !== undefined && grace < present;
    const left = shorter ? grace : present;
    if (left === 0 && !held) return { object: shorter ? marked(old, [], now, 0) : old, gone: true };
    if (!shorter && sameList(finalizers, old.metadata.finalizers ?? [])) return { object: old, gone: false };
    const started = Date.parse(running) - present * 1000;
    return {
      object: marked(old, finalizers, shorter ? started + left * 1000 : Date.parse(running), left),
      gone: false,
    };
  }
  if (grace === 0 && !held) {
    // Kinds with grace show that they had none.
    const isGraceful = definition.rules.gracePeriodSeconds !== undefined;
    return { object: isGraceful ? bumped(marked(old, [], now, 0)) : old, gone: true };
  }
  const object = bumped(marked(old, finalizers, now + grace * 1000, grace));
  definition.rules.prepareDeletion?.(object, old, now);
  return { object, gone: false };
}

/** Controllers have to act differently on an object that is being deleted, so its generation increases once. */
function bumped(object: ApiObject): ApiObject {
  const { generation } = object.metadata;
  if (generation !== undefined && generation > 0) object.metadata.generation = generation + 1;
  return object;
}

function marked(old: ApiObject, finalizers: readonly string[], at: number, grace: number): ApiObject {
  const metadata = { ...old.metadata, deletionTimestamp: timestamp(at), deletionGracePeriodSeconds: grace };
  if (finalizers.length > 0) metadata.finalizers = [...finalizers];
  else delete metadata.finalizers;
  return { ...old, metadata };
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** The garbage collector's finalizers, as the policy wants them. */
function finalizersAfter(
  definition: KindDefinition,
  present: readonly string[],
  options: DeleteOptions,
): readonly string[] {
  const others = present.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  switch (options.propagationPolicy) {
    case 'Orphan':
      return [...others, ORPHAN];
    case 'Foreground':
      return [...others, FOREGROUND];
    case 'Background':
      return others;
    case undefined:
      break;
  }
  if (options.orphanDependents === true) return [...others, ORPHAN];
  if (options.orphanDependents === false) return others;
  if (present.length > others.length) return present;
  return definition.orphansByDefault === true ? [...others, ORPHAN] : others;
}

function remove(
  env: ServerParts,
  definition: KindDefinition,
  version: Version,
  last: ApiObject,
  context: WriteContext,
): Deleted {
  // Copied because the store numbers it with the deletion's revision, and `last` may be the present version.
  const object = { ...last, metadata: { ...last.metadata } };
  if (!context.dryRun) env.store.delete(definition.table, version, object);
  return { object, gone: true };
}
