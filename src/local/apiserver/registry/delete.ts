import type { Version } from '../../store/index.ts';
import { conflict, invalid } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { type ApiObject, timestamp } from '../object.ts';
import { forbiddenField, invalidField, unsupportedField } from '../validation/field.ts';
import { objectOf } from './encode.ts';
import type { Environment, WriteContext } from './environment.ts';
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
export interface Deleted {
  /** Last state, or the state that waits for finalizers or grace. */
  readonly object: ApiObject;
  /** False while something holds the object. */
  readonly gone: boolean;
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Problems of delete options. Throws Invalid. */
export function checkDeleteOptions(options: DeleteOptions): void {
  const { propagationPolicy: policy, orphanDependents, gracePeriodSeconds } = options;
  const errors = [];
  if (policy !== undefined && orphanDependents !== undefined) {
    errors.push(
      invalidField(
        'propagationPolicy',
        policy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  const policies = ['Foreground', 'Background', 'Orphan'];
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(unsupportedField('propagationPolicy', policy, [...policies, 'nil']));
  }
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 && gracePeriodSeconds !== -1) {
    errors.push(forbiddenField('gracePeriodSeconds', 'must be greater than or equal to 0'));
  }
  if (errors.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', errors);
}

/** Deletes an object, or begins to: grace and finalizers may hold it. */
export function deleteObject(
  env: Environment,
  definition: KindDefinition,
  namespace: string,
  name: string,
  options: DeleteOptions,
  context: WriteContext,
): Deleted {
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
  env.review(attempt);
  const next = afterDeletion(definition, old, options, env.clock.now());
  if (next.gone) return remove(env, definition, version, next.object, context);
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
  const wanted = preconditions?.uid;
  if (wanted !== undefined && wanted !== uid) {
    const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
    throw conflict(definition, name, why);
  }
  const version = preconditions?.resourceVersion;
  if (version !== undefined && version !== resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${resourceVersion}`;
    throw conflict(definition, name, why);
  }
}

/** What a deletion asks of an object; pure. `object` is `old` itself when nothing changes. */
export function afterDeletion(
  definition: KindDefinition,
  old: ApiObject,
  options: DeleteOptions,
  now: number,
): Deleted {
  const finalizers = finalizersAfter(definition, old.metadata.finalizers ?? [], options);
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
    if (left === 0 && !held) return { object: old, gone: true };
    if (!shorter && sameList(finalizers, old.metadata.finalizers ?? [])) return { object: old, gone: false };
    const started = Date.parse(running) - present * 1000;
    return {
      object: marked(old, finalizers, shorter ? started + left * 1000 : Date.parse(running), left),
      gone: false,
    };
  }
  if (grace === 0 && !held) return { object: old, gone: true };
  return { object: bumped(marked(old, finalizers, now + grace * 1000, grace)), gone: false };
}

/** Controllers have to act differently on an object that goes, so its generation counts up once. */
function bumped(object: ApiObject): ApiObject {
  const { generation } = object.metadata;
  if (generation !== undefined && generation > 0) object.metadata.generation = generation + 1;
  return object;
}

function marked(old: ApiObject, finalizers: readonly string[], at: number, grace: number): ApiObject {
  const metadata = { ...old.metadata, deletionTimestamp: timestamp(at), deletionGracePeriodSeconds: grace };
  if (finalizers.length > 0) metadata.finalizers = [...finalizers];
  else delete metadata.finalizers;
  const object = { ...old, metadata };
  if (old.kind === 'Namespace' && old.apiVersion === 'v1') object.status = { phase: 'Terminating' };
  return object;
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
  env: Environment,
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
